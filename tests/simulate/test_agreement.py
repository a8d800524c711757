"""Generated kernels: evaluated, they give what their emitted programs and numpy give."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.generated.examine import FAMILIES, case
from tests.generated.numbers import SHAPES, loop
from tests.simulate import agree

import tl_ascend


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_one_kernel_of_each_family(tmp_path: Path) -> None:
    outcomes = dict(agree.of_seeds(tmp_path, range(len(FAMILIES))))
    assert {name: text for name, text in outcomes.items() if text.startswith("differs")} == {}
    assert sum(text == "agrees" for text in outcomes.values()) >= len(FAMILIES) - 2


# Kernels that only show texts of programs: they read what nothing wrote, need another device, or meet.
SHOWN = {"direct_calls", "experiments", "gathering", "remote", "vector_forms", "flags"}


# It doubles a sum until that is large, which negative ones never are; the machine has no DumpTensor.
LEFT_OUT = {"scalars", "looking_inside"}


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_the_kernels_of_emission(tmp_path: Path) -> None:
    """On other numbers than those of test_numbers, and those that have none there."""
    reports = {
        path.stem: report
        for path in support.KERNELS
        for report in support.report(str(path)).kernels
        if agree.fixed(report.kernel) and path.stem not in LEFT_OUT
    }
    outcomes = dict(agree.compared(tmp_path, reports))
    assert {name for name, text in outcomes.items() if text != "agrees"} == SHOWN


def test_a_difference_is_seen() -> None:
    want = np.array([1, 2, np.nan], np.float32)
    assert agree.difference(want, want) == ""
    assert "first at [1]" in agree.difference(np.array([1, 2.1, np.nan], np.float32), want)
    assert "first at [2]" in agree.difference(np.array([1, 2, 3], np.float32), want)


@pytest.mark.parametrize("seed", range(60))
def test_a_loop_of_elements(seed: int) -> None:
    made, want = loop(seed)
    out = np.zeros_like(want)
    kernel = tl_ascend.load("case.py", text=made.text)
    tl_ascend.evaluate(kernel, *(made.values[name] for name in SHAPES), out)
    np.testing.assert_array_equal(out, want, err_msg=made.text)


ATTENTION = [seed for seed in range(4 * len(FAMILIES)) if case(seed).family == "attention"]


@pytest.mark.parametrize("seed", ATTENTION)
def test_attention(seed: int) -> None:
    """Both halves feed each other, which programs cannot do on the machine: against numpy."""
    made = case(seed)
    kernel = tl_ascend.load("case.py", text=made.text)
    q, k, v = (array / 8 for array in agree.inputs(kernel, seed)[:3])
    function = np.exp if "T.tile.exp" in made.text else np.abs
    scores = function(q.astype(np.float32) @ k.astype(np.float32).T).astype(np.float16)
    want = scores.astype(np.float32) @ v.astype(np.float32)
    found = np.zeros_like(want)
    tl_ascend.evaluate(kernel, q, k, v, found)
    np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-3)
