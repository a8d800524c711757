"""`match`."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from tl_ascend.frontend.attributes import member
from tl_ascend.frontend.changes import Unclear, is_many
from tl_ascend.frontend.expressions import compare, truth_of
from tl_ascend.frontend.machine import Machine, Mistake, bound_names, statement
from tl_ascend.frontend.models.classes import fields_of
from tl_ascend.frontend.models.inspection import is_instance
from tl_ascend.frontend.statements import side
from tl_ascend.frontend.values import Builtin, ClassValue, NamedTuple, Unknown, first_unknown
from tl_ascend.source.units import span_of


@statement(ast.Match)
def _match(m: Machine, node: ast.Match) -> None:
    subject = m.eval(node.subject)
    for index, case in enumerate(node.cases):
        try:
            matches = _applies(m, case, subject)
        except Unclear as error:
            _any_of(m, node, node.cases[index:], error.unknown)
            return
        if matches:
            m.run(case.body)
            return


def _applies(m: Machine, case: ast.match_case, subject: Any) -> bool:
    bound: dict[str, Any] = {}
    if not _matches(m, case.pattern, subject, bound):
        return False
    m.env.names.update(bound)
    return case.guard is None or _known(truth_of(m.eval(case.guard)))


def _any_of(m: Machine, node: ast.Match, cases: list[ast.match_case], why: Unknown) -> None:
    """Which case it is, is not known: what they bind and change is unknown."""
    before = dict(m.env.names)
    for case in cases:
        m.env.names.clear()
        m.env.names.update(before)
        m.env.names.update(dict.fromkeys(bound_names(case.pattern), why))
        with m.undecided():
            side(m, case.body)
    m.env.names.update(dict.fromkeys(bound_names(node), why))


def _matches(m: Machine, pattern: ast.pattern, value: Any, bound: dict[str, Any]) -> bool:
    """Errors: Unclear, where it cannot be known."""
    if isinstance(pattern, ast.MatchAs):
        if pattern.pattern is not None and not _matches(m, pattern.pattern, value, bound):
            return False
        if pattern.name is not None:
            bound[pattern.name] = value
        return True
    if isinstance(pattern, ast.MatchOr):
        return any(_matches(m, p, value, bound) for p in pattern.patterns)
    if isinstance(value, Unknown):
        raise Unclear(value)
    if isinstance(pattern, ast.MatchValue):
        return _known(compare(m, pattern, ast.Eq(), value, m.eval(pattern.value)))
    if isinstance(pattern, ast.MatchSingleton):
        return _known(compare(m, pattern, ast.Is(), value, pattern.value))
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(m, pattern, value, bound)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(m, pattern, value, bound)
    if isinstance(pattern, ast.MatchClass):
        return _class(m, pattern, value, bound)
    raise Unclear(Unknown("this pattern is not evaluated", span_of(pattern)))


def _known(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unclear(first_unknown(value) or Unknown("a comparison in a pattern"))
    return value


def _sequence(m: Machine, pattern: ast.MatchSequence, value: Any, bound: dict[str, Any]) -> bool:
    if not isinstance(value, (list, tuple, range)):
        return False
    if is_many(value):
        raise Unclear(Unknown("what this holds is not known", span_of(pattern)))
    parts, items = pattern.patterns, list(value)
    star = next((i for i, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
    if star is None:
        return len(parts) == len(items) and all(
            _matches(m, p, v, bound) for p, v in zip(parts, items, strict=True)
        )
    if len(items) < len(parts) - 1:
        return False
    tail = len(items) - (len(parts) - star - 1)
    named = parts[star]
    if isinstance(named, ast.MatchStar) and named.name is not None:
        bound[named.name] = items[star:tail]
    pairs = zip([*parts[:star], *parts[star + 1 :]], [*items[:star], *items[tail:]], strict=True)
    return all(_matches(m, p, v, bound) for p, v in pairs)


def _mapping(m: Machine, pattern: ast.MatchMapping, value: Any, bound: dict[str, Any]) -> bool:
    if not isinstance(value, dict):
        return False
    if any(isinstance(k, Unknown) for k in value):
        raise Unclear(Unknown("the keys of this dictionary", span_of(pattern)))
    keys = [m.eval(k) for k in pattern.keys]
    for key, part in zip(keys, pattern.patterns, strict=True):
        if key not in value or not _matches(m, part, value[key], bound):
            return False
    if pattern.rest is not None:
        bound[pattern.rest] = {k: v for k, v in value.items() if k not in keys}
    return True


def _class(m: Machine, pattern: ast.MatchClass, value: Any, bound: dict[str, Any]) -> bool:
    kind = m.eval(pattern.cls)
    if not _known(is_instance(value, kind)):
        return False
    if pattern.patterns:
        pairs = list(zip(pattern.patterns, _positional(m, pattern, kind, value), strict=False))
        if len(pairs) < len(pattern.patterns):
            raise Unclear(Unknown("positions in this pattern", span_of(pattern)))
        if not all(_matches(m, p, v, bound) for p, v in pairs):
            return False
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        try:
            found = member(m, pattern, value, name)
        except Mistake as mistake:
            if isinstance(mistake.error, AttributeError):
                return False
            raise
        if not _matches(m, part, found, bound):
            return False
    return True


def _positional(m: Machine, pattern: ast.MatchClass, kind: Any, value: Any) -> list[Any]:
    native = getattr(builtins, kind.name, None) if isinstance(kind, Builtin) else None
    if native in (int, float, str, bool, list, tuple, dict, set):
        return [value]
    if isinstance(value, NamedTuple):
        return list(value)
    if isinstance(kind, ClassValue) and kind.kind == "dataclass":
        return [member(m, pattern, value, name) for name in fields_of(kind)]
    return []
