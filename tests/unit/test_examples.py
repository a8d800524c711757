"""The examples are what they say: right, except for the one that is wrong on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.compare import analyse

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import KernelReport
from tl_ascend.ide.workspace import Analysis

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RIGHT = sorted(EXAMPLES.glob("*.py"))
FAULTY = sorted((EXAMPLES / "faulty").glob("*.py"))


def kernels(analysis: Analysis) -> tuple[KernelReport, ...]:
    assert analysis.index is not None
    return analysis.index.report.kernels


def test_there_are_examples() -> None:
    assert {p.stem for p in RIGHT} == {
        "elementwise_parallel",
        "flash_attention",
        "gemm",
        "gemm_manual_flags",
        "online_softmax",
        "quantised_gemm",
        "rms_norm_rope",
        "sparse_mla_decode",
        "topk_selector",
        "vector_add",
    }
    assert [p.stem for p in FAULTY] == ["ub_overflow"]


@pytest.mark.parametrize("platform", ["A2", "A3", "A5"])
@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_an_example_is_checked_and_right(path: Path, platform: str) -> None:
    analysis = analyse(str(path), None, platform)
    # A hint may say what a program costs.
    told = [d for d in analysis.diagnostics if d.severity > Severity.HINT]
    assert [(d.code, d.message) for d in told] == []
    assert [k.status for k in kernels(analysis)] == ["checked"] * len(kernels(analysis))
    assert kernels(analysis)


@pytest.mark.parametrize("path", RIGHT, ids=lambda p: p.stem)
def test_an_example_has_hints_for_its_tiles(path: Path) -> None:
    labels = [h.label for h in analyse(str(path), None, "A3").hints]
    assert any("->" in label for label in labels), "no copy is labelled with its path"
    assert any("KiB" in label or " B" in label for label in labels)


def test_the_faulty_example_has_its_one_fault() -> None:
    analysis = analyse(str(FAULTY[0]), None, "A3")
    (found,) = analysis.diagnostics
    assert (found.code, found.range.start.row) == ("TL503", 20)
    assert found.message.startswith("a, b and c take 393216 bytes of UB")
    mended = FAULTY[0].read_text().replace("tile_rows=64", "tile_rows=16")
    right = analyse(str(FAULTY[0]), mended, "A3")
    assert not [d for d in right.diagnostics if d.severity.label in ("error", "warning")]
