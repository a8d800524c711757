"""Kernels whose emitted programs are run elsewhere: evaluated, they give the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.emit import support, test_examples
from tests.emit.test_numbers import RUNS, Run

import tl_ascend
from tl_ascend.ir.nodes import Kernel

EXAMPLES = {make.__name__: make for make in test_examples.MAKE}


def compare(kernel: Kernel, run: Run) -> None:
    arguments = [a.copy() if isinstance(a, np.ndarray) else a for a in run.arguments]
    # A launch passes the sizes of symbolic dimensions behind the parameters; here arrays say them.
    given = arguments[: len(kernel.params)]
    tl_ascend.evaluate(kernel, *given)
    last = [a for a in given if isinstance(a, np.ndarray)][-1]
    np.testing.assert_allclose(last, run.want, rtol=run.tolerance, atol=run.tolerance)


@pytest.mark.parametrize("name", RUNS)
def test_a_kernel_computes(name: str) -> None:
    compare(tl_ascend.load(str(support.HERE / "kernels" / f"{name}.py")), RUNS[name]())


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_computes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Kernel] = []

    def smaller(name: str, call: str, instead: str) -> Any:
        text = (test_examples.EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
        loaded.append(tl_ascend.load(f"{name}.py", text=text.replace(call, instead)))

    monkeypatch.setattr(test_examples, "program", smaller)
    _, run = EXAMPLES[name]()
    compare(loaded[0], run)
