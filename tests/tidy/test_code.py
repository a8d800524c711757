"""Conventions of the code that no linter knows."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tidy.files import ROOT, python, text, tracked, tree

from tl_ascend.diagnostics.catalogue import RULES
from tl_ascend.passes.pipeline import STAGES

OURS = python("compiler/", "server/", "scripts/", "tests/")
PRODUCT = python("compiler/", "server/")
# Printing is what a command is for.
MAY_PRINT = ("compiler/tl_ascend/cli/", "scripts/", "tests/")
# Asks a server that is not ours until it answers; there is nothing to wait for instead.
MAY_SLEEP = ("tests/editors/code_server.py",)
# Rows of data are one statement each, however long.
ROW_FILES = ("compiler/tl_ascend/ops/", "compiler/tl_ascend/diagnostics/catalogue.py")
LONG_FUNCTION, TOO_LONG_FUNCTION = 40, 80
LONG_FILE, TOO_LONG_FILE = 400, 800


def test_a_module_says_what_it_is() -> None:
    assert [p for p in OURS if not ast.get_docstring(tree(p))] == []


def functions(path: str) -> Iterator[tuple[str, int]]:
    """Names and lengths."""
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_functions_are_short() -> None:
    long = [(p, n, c) for p in OURS for n, c in functions(p) if c > LONG_FUNCTION]
    assert [item for item in long if item[2] > TOO_LONG_FUNCTION] == []
    for path, name, count in long:
        warnings.warn(f"{path}: {name} has {count} lines", stacklevel=1)


def test_files_are_short() -> None:
    counts = {p: text(p).count("\n") for p in OURS if not p.startswith(ROW_FILES)}
    assert {p: c for p, c in counts.items() if c >= TOO_LONG_FILE} == {}
    for path, count in counts.items():
        if count > LONG_FILE:
            warnings.warn(f"{path} has {count} lines", stacklevel=1)


def calls(path: str) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))


def test_only_commands_print() -> None:
    """The server's standard output is the protocol; what it says to people goes elsewhere."""
    printing = [
        f"{path}:{call.lineno}"
        for path in PRODUCT
        if not path.startswith(MAY_PRINT)
        for call in calls(path)
        if ast.unparse(call.func) == "print" and not any(k.arg == "file" for k in call.keywords)
    ]
    assert printing == []


def test_json_for_others_has_only_numbers_that_json_has() -> None:
    """`json` writes NaN and Infinity, which no other reader takes; `driver/strict_json.py` does not."""
    writing = [
        f"{path}:{call.lineno}"
        for path in python("compiler/tl_ascend/cli/", "compiler/tl_ascend/ide/", "server/")
        for call in calls(path)
        if ast.unparse(call.func) in ("json.dump", "json.dumps")
    ]
    assert writing == []


def test_tests_do_not_sleep() -> None:
    sleeping = [
        f"{path}:{call.lineno}"
        for path in python("tests/")
        if path not in MAY_SLEEP
        for call in calls(path)
        if ast.unparse(call.func) in ("time.sleep", "asyncio.sleep")
    ]
    assert sleeping == []


# --- passes --------------------------------------------------------------------------------------


def test_each_stage_is_a_file_of_its_own() -> None:
    for stage in STAGES:
        package, _, stem = stage.run.__module__.rpartition(".")
        assert package == "tl_ascend.passes"
        assert stage.run.__name__.startswith(stem)
        assert stage.reason.endswith("."), stage.name
    assert len({s.name for s in STAGES}) == len(STAGES)


def passes() -> set[str]:
    """Functions of passes/ that have the form of a pass: kernel and context in, kernel out."""
    found = set()
    for path in python("compiler/tl_ascend/passes/"):
        for node in tree(path).body:
            if isinstance(node, ast.FunctionDef) and node.returns is not None:
                taken = [ast.unparse(a.annotation) for a in node.args.args if a.annotation]
                if [*taken, ast.unparse(node.returns)] == ["Kernel", "PassContext", "Kernel"]:
                    found.add(node.name)
    return {name for name in found if not name.startswith("_")}


def test_every_pass_is_in_the_pipeline() -> None:
    assert passes() == {stage.run.__name__ for stage in STAGES}


@pytest.mark.parametrize("name", sorted(passes()))
def test_every_pass_is_tested(name: str) -> None:
    dashed = name.replace("_", "-")
    tests = [p for p in python("tests/") if p.rsplit("/", 1)[1] == f"test_{name}.py"]
    mentions = [p for p in python("tests/passes/") if name in text(p) or dashed in text(p)]
    assert tests or mentions


# --- diagnostics ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_every_diagnostic_is_used(rule: object) -> None:
    name = getattr(rule, "name", "")
    users = [p for p in PRODUCT if f'"{name}"' in text(p) and not p.endswith("catalogue.py")]
    assert users


def test_codes_are_in_order_and_unique() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.code)
def test_every_diagnostic_is_expected_somewhere(rule: object) -> None:
    """By a case, a page with an example, or a test that names it."""
    code, name = getattr(rule, "code", ""), getattr(rule, "name", "")
    pages = ROOT / "compiler/tl_ascend/diagnostics/pages" / f"{code}.md"
    cases = list((ROOT / "tests/check").rglob("*.py"))
    assert (
        "## Wrong" in pages.read_text(encoding="utf-8")
        or any(f"[{code}]" in p.read_text(encoding="utf-8") for p in cases)
        or any(code in text(p) or f'"{name}"' in text(p) for p in python("tests/"))
    )


def test_nothing_is_left_at_the_root() -> None:
    """Commands write where they are called; what they wrote is no part of the project."""
    names = {path for path in tracked() if "/" not in path}
    assert {
        name for name in names if Path(name).suffix not in (".md", ".toml", ".yaml", ".yml")
    } == {*("LICENSE", "dev", ".gitignore")}
