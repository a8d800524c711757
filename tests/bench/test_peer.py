"""The comparison with upstream: both sides have the same kernels; what it prints and judges."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from tests.bench import peer, peer_worker

HERE = Path(__file__).parent
EXAMPLES = peer.ROOT / "examples"


def listed() -> list[str]:
    """The names in `MAKE` of upstream's side, which needs more than we have to be loaded."""
    tree = ast.parse((HERE / "peer_kernels" / "upstream.py").read_text("utf-8"))
    (made,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and "MAKE" in ast.dump(n))
    assert isinstance(made, ast.DictComp)
    return [n.id for n in ast.walk(made.generators[0].iter) if isinstance(n, ast.Name)]


def test_both_sides_have_the_same_kernels_and_ours_are_emitted() -> None:
    work = peer_worker.ours(str(EXAMPLES))
    assert list(work) == listed()
    for name, program in work.items():
        assert "__global__" in program(), name


def test_the_best_of_all_rounds_counts() -> None:
    turns: list[dict[str, Any]] = [{"gemm": {"ms": [5.0, 3.0]}}, {"gemm": {"ms": [4.0]}}]
    assert peer.best(turns, "gemm") == 3.0
    assert peer.table({"gemm": (2.0, 300.0)})[-1] == "| gemm | 300 | 2.0 | 150 | 10 |"


@pytest.mark.parametrize(("theirs", "status"), [(100.0, 0), (19.0, 1)])
def test_a_ratio_below_the_goal_fails(
    theirs: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = {"ours": 2.0, "upstream": theirs}
    monkeypatch.setattr(peer, "environment", lambda folder, packages: folder)
    monkeypatch.setattr(
        peer, "measured", lambda python, side, rounds: {"gemm": {"ms": [times[side]]}}
    )
    monkeypatch.setattr("sys.argv", ["peer"])
    assert peer.main() == status
    assert f"| gemm | {theirs:.0f} | 2.0 |" in capsys.readouterr().out
