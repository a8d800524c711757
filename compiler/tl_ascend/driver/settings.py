"""Settings that every entry point shares, and those of a project (`[tool.tl-ascend]`)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from tl_ascend.driver.roots import is_root, project_root
from tl_ascend.driver.rules import Rules, selector, severity_named
from tl_ascend.target.hardware import DEFAULT_PLATFORM, PLATFORMS, Platform

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_INSTANCES = 16
_Read = TypeVar("_Read")


def platform_named(name: str) -> Platform:
    """`auto`: the environment variable TL_PLATFORM, else A3 (as upstream without a device)."""
    if name in PLATFORMS:
        return PLATFORMS[name]
    return PLATFORMS.get(os.environ.get("TL_PLATFORM", "").upper(), DEFAULT_PLATFORM)


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """`[tool.tl-ascend]` of the project's pyproject.toml.

    `platform`, `upstream`: as on the command line; `cores`: cube cores that a device reports (0: the
    platform's); `max_instances`: checked per factory; `stated`: argument lists by
    `path/of/file.py:factory`, paths relative to `root`; `rules`: which diagnostics are told;
    `remote`: where to build and run (host, python, folder), empty for this machine. `problem`: why
    the file was not understood.
    """

    root: Path = Path()
    platform: str = "auto"
    upstream: str = "snapshot"
    cores: int = 0
    max_instances: int = MAX_INSTANCES
    stated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: Rules = field(default_factory=Rules)
    remote: dict[str, str] = field(default_factory=dict)
    problem: str = ""

    def relative(self, path: str) -> str:
        """A file of the project by its path from the root; any other by its whole path."""
        whole = Path(os.path.realpath(path))
        try:
            return whole.relative_to(self.root).as_posix()
        except ValueError:
            return whole.as_posix()

    def named(self, path: str) -> str:
        """By what a file is known from run to run: its path from the root of the project; where there
        is no project, from the working directory, for the next folder may hold another of its name."""
        if is_root(self.root):
            return self.relative(path)
        return replace(self, root=Path(os.path.realpath("."))).relative(path)

    def stated_for(self, path: str) -> dict[str, tuple[str, ...]]:
        """Argument lists by factory for one file."""
        relative = self.relative(path)
        found = {}
        for place, texts in self.stated.items():
            file, _, factory = place.rpartition(":")
            if file == relative:
                found[factory] = texts
        return found


def project_settings(path: str) -> ProjectSettings:
    """The settings that hold for a file."""
    # realpath, not Path.resolve: that one raises on a loop of links
    root = project_root(Path(os.path.realpath(path)).parent)
    file = root / "pyproject.toml"
    try:
        stamp = file.stat().st_mtime_ns
    except OSError:
        return ProjectSettings(root)
    return _read(root, stamp)


class OncePerProject:
    """What is wrong with the settings of a project is told with the first of its files."""

    def __init__(self) -> None:
        self._shown: dict[tuple[Path, str], str] = {}

    def keeps(self, path: str, name: str, message: str) -> bool:
        """False for what another file shows already."""
        if name != "bad-settings":
            return True
        return self._shown.setdefault((project_settings(path).root, message), path) == path

    def forget(self, path: str) -> None:
        """This file shows nothing any more."""
        self._shown = {key: shown for key, shown in self._shown.items() if shown != path}


@lru_cache(maxsize=64)
def _read(root: Path, stamp: int) -> ProjectSettings:
    base = ProjectSettings(root)
    try:
        with (root / "pyproject.toml").open("rb") as file:
            table = tomllib.load(file).get("tool", {}).get("tl-ascend", {})
        return _understood(base, table)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return replace(base, problem=f"pyproject.toml: {error}")
    except (TypeError, ValueError, AttributeError) as error:
        return replace(base, problem=f"pyproject.toml, [tool.tl-ascend]: {error}")


_CHOICES = {"platform": ("auto", *PLATFORMS), "upstream": ("snapshot", "none")}
_COUNTS = {"cores": "cores", "max-instances": "max_instances"}


def _understood(base: ProjectSettings, table: dict[str, Any]) -> ProjectSettings:
    """A setting that is wrong is left out and told; the others hold."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in table.items():
        try:
            values.update(_setting(key, value))
        except (TypeError, ValueError) as error:
            problems.append(str(error))
    rules = _rules(table, problems)
    said = f"pyproject.toml, [tool.tl-ascend]: {'; '.join(problems)}" if problems else ""
    return replace(base, **values, rules=rules, problem=said)


def _setting(key: str, value: Any) -> dict[str, Any]:
    """What a setting sets; nothing for those that choose diagnostics."""
    if key in _CHOICES:
        if value not in _CHOICES[key]:
            raise ValueError(f"{key} is one of {', '.join(_CHOICES[key])}, not {value!r}")
        return {key: value}
    if key in _COUNTS:
        if not isinstance(value, int) or value < 1:
            raise ValueError(f"{key} is a positive number, not {value!r}")
        return {_COUNTS[key]: value}
    if key == "remote":
        return {"remote": _remote(value)}
    if key == "instances":
        return {"stated": {k: tuple(map(str, v)) for k, v in _lists(key, value).items()}}
    if key in _RULES:
        return {}
    known = (*_CHOICES, *_COUNTS, "remote", "instances", *_RULES)
    near = get_close_matches(key.replace("_", "-").lower(), known, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    raise ValueError(f"there is no setting {key!r}{hint}")


def _lists(key: str, table: Any) -> dict[str, list[Any]]:
    if not isinstance(table, dict):
        raise ValueError(f"{key} is a table of lists, not {table!r}")
    for name, words in table.items():
        if not isinstance(words, list):
            raise ValueError(f"{key} has a list under {name!r}, not {words!r}")
    return table


_REMOTE = ("host", "python", "folder")


def _remote(table: Any) -> dict[str, str]:
    if not isinstance(table, dict):
        raise ValueError(f"remote is a table of {', '.join(_REMOTE)}, not {table!r}")
    for key, value in table.items():
        if key not in _REMOTE or not isinstance(value, str):
            raise ValueError(f"remote has texts under {', '.join(_REMOTE)}, not {key} = {value!r}")
    others = [key for key in table if key != "host"]
    if table and not table.get("host"):
        text = f"no host for its {' and '.join(others)}" if others else "an empty host"
        raise ValueError(f"remote has {text}: name one as ssh takes it")
    return dict(table)


_RULES = ("select", "ignore", "severity", "per-file-ignores")


def _rules(table: dict[str, Any], problems: list[str]) -> Rules:
    """A word that is wrong is left out, and told among the problems."""
    tell = problems.append
    levels = table.get("severity", {})
    try:
        files = _lists("per-file-ignores", table.get("per-file-ignores", {}))
    except ValueError as error:
        files = {}
        tell(str(error))
    if not isinstance(levels, dict):
        tell(f"severity is a table of codes and names, not {levels!r}")
        levels = {}
    pairs = (
        (_or_told(selector, w, tell), _or_told(severity_named, v, tell)) for w, v in levels.items()
    )
    return Rules(
        _selectors("select", table.get("select", []), tell),
        _selectors("ignore", table.get("ignore", []), tell),
        tuple((word, level) for word, level in pairs if word is not None and level is not None),
        tuple((pattern, _selectors(pattern, words, tell)) for pattern, words in files.items()),
    )


def _selectors(key: str, words: Any, tell: Callable[[str], None]) -> tuple[str, ...]:
    if not isinstance(words, list):
        tell(f"{key} is a list of codes and names, not {words!r}")
        return ()
    found = (_or_told(selector, word, tell) for word in words)
    return tuple(word for word in found if word is not None)


def _or_told(read: Callable[[str], _Read], word: Any, tell: Callable[[str], None]) -> _Read | None:
    try:
        if not isinstance(word, str):
            raise ValueError(f"{word!r} is no text")
        return read(word)
    except ValueError as error:
        tell(str(error))
        return None
