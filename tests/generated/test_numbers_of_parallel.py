"""Generated T.Parallel loops: the emitted programs, run, against numpy on the same text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.emit.test_numbers import Run, executed
from tests.generated.numbers import SHAPES, loop

COUNT = 40
pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, np.ndarray]]:
    """All programs, built and run once."""
    return run(tmp_path_factory.mktemp("loops"), range(COUNT))


def run(folder: Path, seeds: range) -> dict[str, tuple[Run, np.ndarray]]:
    """The programs of some seeds."""
    programs, runs = {}, {}
    for seed in seeds:
        made, want = loop(seed)
        name = f"loop_{seed}"
        programs[name] = support.emitted(support.of_text(made.text))
        runs[name] = Run([*(made.values[t] for t in SHAPES), np.zeros_like(want)], want)
    return executed(folder, programs, runs)


@pytest.mark.parametrize("seed", range(COUNT))
def test_loop_computes(seed: int, results: dict[str, tuple[Run, np.ndarray]]) -> None:
    expected, found = results[f"loop_{seed}"]
    np.testing.assert_array_equal(found, expected.want, err_msg=loop(seed)[0].text)
