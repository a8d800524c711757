"""Kernel files with their expectations, and all of their programs through a host compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit import support
from tests.emit.checks import checks, complaint, route

from tl_ascend.ir.expr import Call, walk
from tl_ascend.ir.nodes import TileOp, exprs_of, walk_stmts
from tl_ascend.ops.row import Unsupported
from tl_ascend.ops.table import ROWS

needs_gxx = pytest.mark.skipif(not support.GXX, reason="needs g++")


EVERY = (*support.KERNELS, *support.PTO_KERNELS)
every = pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}-{path.stem}")


@every
def test_program_is_as_expected(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert route(source) == ("pto" if path in support.PTO_KERNELS else "ascendc")
    expected = checks(source)
    assert expected, "a case without a CHECK line"
    problem = complaint(expected, support.first(path).text)
    assert not problem, f"{path}: {problem}"


@needs_gxx
def test_programs_compile(tmp_path: Path) -> None:
    programs = {path.stem: support.first(path) for path in support.KERNELS}
    unit = tmp_path / "programs.cpp"
    unit.write_text(support.together(programs), encoding="utf-8")
    result = support.compile_cpp("-fsyntax-only", unit)
    assert result.returncode == 0, result.stderr


@every
def test_emission_is_deterministic(path: Path) -> None:
    assert support.first(path) == support.first(path)


@pytest.mark.parametrize("way", ["ascendc", "pto"])
def test_every_form_is_emitted_somewhere(way: str) -> None:
    """So that each text of the operation table passes through a compiler: that of the host, or in
    tests/proofs that of the simulator."""
    seen: set[tuple[str, str]] = set()
    for path in support.KERNELS if way == "ascendc" else EVERY:
        for kernel in support.lowered(path):
            seen |= {(s.op, s.form) for s in walk_stmts(kernel.body) if isinstance(s, TileOp)}
            calls = (node for s in walk_stmts(kernel.body) for v in exprs_of(s) for node in walk(v))
            seen |= {(c.name, "") for c in calls if isinstance(c, Call)}
    missing = [
        f"T.{row.name}, form {form.name}"
        for row in ROWS
        for form in row.forms
        if not isinstance(form.emit[way], Unsupported)
        if (row.name, "" if row.kind == "value" else form.name) not in seen
    ]
    assert missing == []
