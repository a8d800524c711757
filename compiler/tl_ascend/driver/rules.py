"""Which diagnostics are told, and how loud: what projects and command lines choose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from fnmatch import fnmatchcase

from tl_ascend.diagnostics.catalogue import BY_CODE, BY_NAME, RULES, Rule, Severity

_PREFIX = re.compile(r"TL\d{0,3}")
_EXACT = 6  # longer than the longest prefix
_LEVELS = {severity.label: severity for severity in Severity}


class BadChoice(ValueError):
    """A word that selects no diagnostic, or no severity."""


@dataclass(frozen=True, slots=True)
class Rules:
    """`select` (none: all), `ignore`: codes, prefixes of codes (`TL5`) and names; the more exact one
    wins. `severity`: how loud some are, later ones first. `per_file`: what is ignored in the files
    that a pattern matches."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def over(self, project: Rules) -> Rules:
        """What a command line says, and what the project says where that leaves it open."""
        chosen = self if self.select else replace(project, ignore=project.ignore + self.ignore)
        severity = project.severity + self.severity
        return replace(chosen, severity=severity, per_file=project.per_file + self.per_file)

    def tells(self, rule: Rule, path: str) -> bool:
        """Whether a diagnostic is told of a file; `path` is relative to its project."""
        here = [w for pattern, words in self.per_file if _is_for(pattern, path) for w in words]
        if _exactness(here, rule):
            return False
        # A choice that is wrong cannot be what hides that it is wrong.
        wanted = self.select if self.select and rule.name != "bad-settings" else ("TL",)
        return _exactness(wanted, rule) > _exactness(self.ignore, rule)

    def level(self, rule: Rule, default: Severity) -> Severity:
        """How loud a diagnostic is that would have the severity `default`."""
        best, found = 0, default
        for word, severity in self.severity:
            exact = _exactness((word,), rule)
            if exact and exact >= best:
                best, found = exact, severity
        return found


def _exactness(words: Iterable[str], rule: Rule) -> int:
    """How exactly one of the words names a diagnostic; 0: none does."""
    return max((_one(word, rule) for word in words), default=0)


def _one(word: str, rule: Rule) -> int:
    if word in (rule.name, rule.code):
        return _EXACT
    return len(word) if _PREFIX.fullmatch(word) and rule.code.startswith(word) else 0


def _is_for(pattern: str, path: str) -> bool:
    """A pattern is for a path or for the name of a file; its `*` matches `/`, too."""
    pattern = pattern.removeprefix("./").replace("**/", "*")
    return fnmatchcase(path, pattern) or fnmatchcase(path.rpartition("/")[2], pattern)


def selector(word: str) -> str:
    """A code, a prefix or a name as we write it. Errors: BadChoice."""
    word = word.strip()
    upper = word.upper()
    if word in BY_NAME:
        return word
    if _PREFIX.fullmatch(upper) and any(rule.code.startswith(upper) for rule in RULES):
        return upper
    raise BadChoice(no_such(word))


def no_such(word: str) -> str:
    """What is said of a word that names no diagnostic."""
    near = get_close_matches(word, [*BY_NAME, *BY_CODE], 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"there is no diagnostic {word!r}{hint}"


def severity_named(word: str) -> Severity:
    """Errors: BadChoice."""
    if word not in _LEVELS:
        raise BadChoice(f"a severity is one of {', '.join(reversed(_LEVELS))}, not {word!r}")
    return _LEVELS[word]
