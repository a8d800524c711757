"""Proofs see what a program makes of scalar parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit import support
from tests.proofs import ascendc, common, scalars
from tests.proofs.twin import Twin
from tests.proofs.twin import the_twin as shared

KERNEL = """
import tilelang.language as T

rows = T.symbolic("rows")


@T.prim_func
def main(
    x: T.Tensor((rows, 64), "float32"),
    s: T.float32,
    t: T.float32,
    n: T.int32,
    m: T.int32,
    count: T.int32,
    u: T.uint32,
    y: T.Tensor((rows, 64), "float32"),
    z: T.Tensor((16,), "int32"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        b = T.alloc_ub((16,), "int32")
        with T.Scope("V"):
            if vid == 0:
                for at in T.serial(T.min(count, rows)):
                    T.copy(x[at, 0], a)
                    T.barrier_all()
                    T.tile.mul(a, a, s)
                    T.barrier_all()
                    T.tile.add(a, a, t)
                    T.barrier_all()
                    a[0, 3] = a[0, 4] * s + t
                    T.barrier_all()
                    T.copy(a, y[at, 0])
                    T.barrier_all()
                for i in T.serial(16):
                    b[i] = n * i - m
                b[2] = T.cast(u >> T.uint32(1), "int32")
                T.barrier_all()
                T.copy(b, z)
"""


def trial(folder: Path) -> common.Trial:
    path = folder / "k.py"
    path.write_text(KERNEL)
    ((name, report),) = ascendc.of_files([str(path)])
    found = common.evaluated(name, report)
    assert isinstance(found, common.Trial), found
    return found


def test_each_scalar_has_a_number_that_matters(tmp_path: Path) -> None:
    found = trial(tmp_path)
    numbers = scalars.numbers(found.kernel, found.sizes)
    named = {var.name: number for var, number in numbers.items()}
    assert named.pop("count") == max(found.sizes.values())
    assert len(set(named.values())) == len(named) == 5
    assert not {0, 1, -1} & set(named.values())
    passed = [n for n in found.before if isinstance(n, (int, float))]
    assert passed[: len(numbers)] == list(numbers.values())


@pytest.fixture(scope="module")
def twin() -> Twin:
    return shared()


WRONG = (
    ("AscendC::Muls(a[0], a[0], s, 64);", ""),
    ("AscendC::Adds(a[0], a[0], t, 64);", ""),
    ("AscendC::Adds(a[0], a[0], t, 64);", "AscendC::Adds(a[0], a[0], s, 64);"),
    (" * s + t", " + t"),
    (" * s + t", " * t + s"),
    (" * s + t", " * s - t"),
    ("- m", "- n"),
    ("- m", "+ m"),
    ("u >> ", "u << "),
)


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_a_program_that_drops_or_swaps_scalars_is_found_out(twin: Twin, tmp_path: Path) -> None:
    given = trial(tmp_path)
    whole = ascendc._trial(given.name, given.report, 0)
    assert not isinstance(whole, str)
    given, program = whole
    texts = [program.text]
    for right, wrong in WRONG:
        assert program.text.count(right) == 1, (right, program.text)
        texts.append(program.text.replace(right, wrong))
    outcomes = twin.prove_all([(given, replace(program, text=text)) for text in texts], 1)
    kinds = [outcome.kind for outcome in outcomes]
    assert kinds == ["agrees"] + ["differs"] * len(WRONG), outcomes
