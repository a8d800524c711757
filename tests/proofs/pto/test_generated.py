"""Generated kernels: what they evaluate to is what their programs for PTO compute."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.proofs.pto import build, kernels
from tests.proofs.pto.compare import AGREED, prove_together
from tests.proofs.pto.test_pto import tools  # noqa: F401  (a fixture)

COUNT, BATCH = 40, 20


@pytest.mark.parametrize("first", range(0, COUNT, BATCH))
def test_generated_kernels_agree(first: int, tools: build.Tools, tmp_path: Path) -> None:  # noqa: F811
    batch = list(kernels.generated(BATCH, first))
    verdicts = list(prove_together(tools, tmp_path, batch))
    assert [str(verdict) for verdict in verdicts if verdict.kind != AGREED] == []
    assert len(verdicts) == BATCH


def test_a_program_that_does_not_compile_is_named(tools: build.Tools, tmp_path: Path) -> None:  # noqa: F811
    """Its neighbours are proved all the same."""
    batch = list(kernels.generated(3))
    whole = build.device_part

    def broken(program):  # type: ignore[no-untyped-def]
        text = whole(program)
        return text.replace("TDIVS(", "nothing(").replace("TADD(", "nothing(")

    build.device_part = broken
    try:
        verdicts = list(prove_together(tools, tmp_path, batch, only="ours"))
    finally:
        build.device_part = whole
    failing = [v for v in verdicts if "does not compile" in v.reason]
    assert failing and len(failing) < len(verdicts) == 3
