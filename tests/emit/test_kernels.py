"""Kernel files with their expectations, and all of their programs through a host compiler."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit import support
from tests.emit.checks import checks, complaint, route

needs_gxx = pytest.mark.skipif(not support.GXX, reason="needs g++")


@pytest.mark.parametrize("path", support.KERNELS, ids=lambda path: path.stem)
def test_program_is_as_expected(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert route(source) == "ascendc"
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


@pytest.mark.parametrize("path", support.KERNELS, ids=lambda path: path.stem)
def test_emission_is_deterministic(path: Path) -> None:
    assert support.first(path) == support.first(path)
