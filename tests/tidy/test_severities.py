"""A page says how loud its diagnostic is wherever that is not as the catalogue has it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.harness.pages import read

import tl_ascend
from tl_ascend.diagnostics.catalogue import BY_NAME, Severity

WORDS = {"ERROR": "error", "WARNING": "warning", "INFO": "information", "HINT": "hint"}


def _texts(node: ast.AST, module: ast.Module) -> Iterator[str]:
    """The texts in an expression and in what the module calls by the names in it."""
    wanted = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    nodes = [node]
    for stmt in module.body:
        targets = stmt.targets if isinstance(stmt, ast.Assign) else []
        nodes += [stmt for t in targets if isinstance(t, ast.Name) and t.id in wanted]
    for found in (inner for each in nodes for inner in ast.walk(each)):
        if isinstance(found, ast.Constant) and isinstance(found.value, str):
            yield found.value


def _given(node: ast.AST) -> set[str]:
    return {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute)
        and isinstance(n.value, ast.Name)
        and n.value.id == "Severity"
    }


def _levels() -> dict[str, set[str]]:
    """The severities that calls in the code give to each diagnostic."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(Path(tl_ascend.__file__).parent.rglob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        for call in (n for n in ast.walk(module) if isinstance(n, ast.Call) and n.args):
            given = [k.value for k in call.keywords if k.arg == "severity"]
            names = set(_texts(call.args[0], module)) & BY_NAME.keys() if given else set()
            for name in names:
                found[name] |= _given(given[0])
    return found


LEVELS = _levels()


def test_severities_are_found() -> None:
    assert {"ERROR", "INFO"} <= LEVELS["ub-overflow"]
    assert "WARNING" in LEVELS["copy-shape"]


@pytest.mark.parametrize("name", sorted(LEVELS))
def test_a_page_says_when_it_is_louder_or_quieter(name: str) -> None:
    rule = BY_NAME[name]
    page = read(rule.code)
    text = f"{page.sections['What']} {page.sections['Why']}".lower()
    other = LEVELS[name] - {rule.severity.name}
    assert [word for word in sorted(other) if WORDS[word] not in text] == []
    assert set(WORDS) == {level.name for level in Severity}
