"""Route `pto`: how it is chosen, what is lowered differently for it, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.emit import support
from tests.emit.test_command import TWO, run

from tl_ascend.backends import registry
from tl_ascend.driver.check import Checker, CheckOptions, on_route
from tl_ascend.driver.emit import Outcome, emit_kernel
from tl_ascend.driver.files import Files

UB = 'a = T.alloc_ub((4, 64), "float")\n{}\nT.copy(a, x[0:4, :])'


def outcome(body: str) -> Outcome:
    report = support.report("case.py", support.kernel(UB.format(body)))
    return emit_kernel(report.kernels[0], registry.backend("pto"))


def test_the_jit_chooses_unless_the_command_does(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(
        TWO.replace("@tilelang.jit(out_idx=[-1])", '@tilelang.jit(out_idx=[-1], target="pto")')
    )
    assert run(path, "-o", tmp_path) == 0
    assert "TASSIGN(" in (tmp_path / "add.cpp").read_text()
    assert "AscendC::" in (tmp_path / "alone.cpp").read_text()
    assert run(path, "-o", tmp_path, "--target", "ascendc") == 0
    assert "AscendC::" in (tmp_path / "add.cpp").read_text()
    assert run(path, "-o", tmp_path, "--target", "pto") == 0
    assert "pipe_barrier(PIPE_ALL)" in (tmp_path / "alone.cpp").read_text()


def test_scratch_is_that_of_the_route() -> None:
    body = (
        'b = T.alloc_ub((4, 64), "float16")\nc = T.alloc_ub((4, 64), "float16")\nT.tile.sin(b, c)'
    )
    report = support.report("case.py", support.kernel(UB.format(body))).kernels[0]
    sizes = {}
    for route in ("ascendc", "pto"):
        lowered = on_route(report, route).lowered
        assert lowered is not None
        sizes[route] = [buffer.shape for buffer in lowered.scratch]
    # The vector library asks for 2048 bytes at least; PTO works on three rows of 256 floats.
    assert sizes == {"ascendc": [(2048,)], "pto": [(3072,)]}


@pytest.mark.parametrize(
    ("body", "name", "text"),
    [
        ("T.set_deq_scale(2.0)", "not-lowered", "sets the factor to 1 itself"),
        (
            "T.tile.wholereducesum(a, a, 64, 2, 1, 1, 4)",
            "not-lowered",
            "repeats of 64 elements that lie 32 apart: route pto reduces rows, which do not overlap",
        ),
        (
            "T.tile.wholereducesum(a, a, 64, 2, 1, 2, 16)",
            "not-lowered",
            "repeats whose blocks follow each other: srcblkstride 1",
        ),
        (
            "T.tile.block_reduce_sum(a, a, 1, 13, 1, 1, 8)",
            "not-lowered",
            "whole blocks at one distance",
        ),
        (
            'T.tile.datacachecleanandinvalid_experiment(a, "SINGLE_CACHE_LINE", "CACHELINE_ALL")',
            "not-lowered",
            "lies in the UB, of which route pto has no cache to clean",
        ),
        (
            'b = T.alloc_ub((4, 10), "float")\nc = T.alloc_ub((4, 1), "float")\nT.tile.broadcast(b, c)',
            "not-lowered",
            "rows of a PTO tile begin at whole blocks of 32 bytes",
        ),
    ],
)
def test_what_it_refuses_is_told_at_its_place(body: str, name: str, text: str) -> None:
    found = outcome(body)
    assert found.emitted is None
    assert [(f.name, text in f.message) for f in found.blockers] == [(name, True)]


@pytest.mark.parametrize(
    ("body", "half"),
    [
        ('a = T.alloc_ub((4, 64), "float")\nT.copy(x[0:4, :], a)\nT.copy(a, x[0:4, :])', "VEC"),
        ('a = T.alloc_L1((64, 64), "float")\nT.copy(x, a)', "CUBE"),
    ],
)
def test_what_nothing_divides_is_code_of_its_half(body: str, half: str) -> None:
    """The compiler for the other one does not know these calls."""
    report = support.report("case.py", support.kernel(body))
    program = support.emitted(emit_kernel(report.kernels[0], registry.backend("pto")))
    before, _, after = program.text.partition(f"#if defined(__DAV_C220_{half}__)")
    assert "copy_gm_to_" not in before
    assert "copy_gm_to_" in after.partition("#endif")[0]
    assert program.text.count("__DAV_C220_") == 1


def test_refusals_are_findings_of_the_selected_route() -> None:
    text = support.kernel(UB.format("T.barrier_all()\nT.set_deq_scale(2.0)\nT.barrier_all()"))
    head = '@tilelang.jit(target="pto")\ndef make():'
    chosen = f"{head}\n{_indented(text)}\n    return main\n\n\nmake()\n"
    files = Files()
    files.set_text("case.py", support.HEAD + chosen)
    report = Checker(files).check("case.py", CheckOptions(emit=True))
    (kernel,) = report.kernels
    assert [f.message for f in kernel.findings if "of PTO" in f.message]
    assert kernel.routes == {"ascendc": False, "pto": False}


def _indented(text: str) -> str:
    body = text.removeprefix(support.HEAD)
    return "\n".join(f"    {line}" if line else "" for line in body.splitlines())


@pytest.mark.parametrize("route", ["ascendc", "pto"])
def test_line_markers_lead_back_to_the_file(route: str, tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    path.write_text(TWO)
    assert run(path, "-o", tmp_path, "--target", route, "--line-markers") == 0
    source, program = TWO.splitlines(), (tmp_path / "add.cpp").read_text().splitlines()
    rows = {}
    file, row = "", 0
    for line in program:
        marker = re.match(r'#line (\d+) "(.*)"', line)
        if marker:
            file, row = marker[2], int(marker[1])
            continue
        rows[line.strip()] = (file, row)
        row += 1
    transfer = next(line for line in rows if "copy_gm_to_ub" in line)
    assert rows[transfer][0] == str(path)
    assert source[rows[transfer][1] - 1].strip() == "T.copy(x, a)"
    # A line of ours counts in the program itself.
    host = next(line for line in rows if "rtGetC2cCtrlAddr" in line)
    assert rows[host][0].endswith("add.cpp")
    assert program[rows[host][1] - 1].strip() == host
