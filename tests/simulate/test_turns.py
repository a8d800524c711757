"""Halves that take turns, in many blocks one after the other."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest
from tests.emit import support

import tl_ascend
from tl_ascend.simulate.machine import Machine

BLOCKS, TURNS = 24, 3


def test_no_core_takes_the_turns_of_one_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """New cores may lie where those of a block before lay."""
    text = (support.HERE / "kernels" / "tiles_from_below.py").read_text("utf-8")
    for one, other in (
        ("T.Kernel(1,", f"T.Kernel({BLOCKS},"),
        ("(96, 32)", f"({BLOCKS * 96}, 32)"),
        ("y: T.Tensor((32, 32)", f"y: T.Tensor(({BLOCKS * 32}, 32)"),
        ("x[i * 32", "x[cid * 96 + i * 32"),
        ("T.copy(total, y)", "T.copy(total, y[cid * 32, 0])"),
    ):
        assert one in text
        text = text.replace(one, other)
    run = sys.modules["tl_ascend.simulate.run"]  # which a function of that name hides
    block, led, found = Machine.block, run._through_gm, list[Any]()

    def after_collection(machine: Machine, number: int) -> Any:
        gc.collect()
        return block(machine, number)

    def captured(*arguments: Any) -> Any:
        found.append(led(*arguments))
        return found[0]

    monkeypatch.setattr(Machine, "block", after_collection)
    monkeypatch.setattr(run, "_through_gm", captured)
    x = np.random.default_rng(1).integers(-2, 3, (BLOCKS * 96, 32)).astype(np.float16)
    y = tl_ascend.evaluate(tl_ascend.load("kernel.py", text=text), x)
    tiles = x.reshape(BLOCKS, TURNS, 32, 32).astype(np.float32)
    np.testing.assert_array_equal(y, (tiles @ tiles).sum(axis=1).reshape(-1, 32))
    ((_, turns),) = found
    assert {place[0] for _, place in turns.done} == set(range(BLOCKS))
    assert set(turns.done.values()) == {TURNS}
