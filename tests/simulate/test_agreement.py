"""Generated kernels: evaluated, they give what numpy gives."""

from __future__ import annotations

import numpy as np
import pytest
from tests.generated.examine import FAMILIES, case
from tests.generated.numbers import SHAPES, loop
from tests.proofs.common import inputs
from tests.proofs.sizes import equal_sizes

import tl_ascend


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
    """Both halves feed each other."""
    made = case(seed)
    kernel = tl_ascend.load("case.py", text=made.text)
    q, k, v = (array / 8 for array in inputs(kernel, seed, range(4), equal_sizes(kernel))[:3])
    function = np.exp if "T.tile.exp" in made.text else np.abs
    scores = function(q.astype(np.float32) @ k.astype(np.float32).T).astype(np.float16)
    want = scores.astype(np.float32) @ v.astype(np.float32)
    found = np.zeros_like(want)
    tl_ascend.evaluate(kernel, q, k, v, found)
    np.testing.assert_allclose(found, want, rtol=1e-3, atol=1e-3)
