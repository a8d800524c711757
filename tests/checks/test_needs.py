"""Operands that hold as many elements as a call touches: told where the evaluator leaves them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

import tl_ascend
from tl_ascend import simulate
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.batch import Batch, check_files

Shape: TypeAlias = "int | tuple[int, int]"


@dataclass(frozen=True)
class Case:
    """A call, its tiles with their least sizes, and those of which one element less is too few."""

    call: str
    tiles: dict[str, tuple[str, Shape]]
    exact: str

    def text(self, less: str = "") -> str:
        lines = [
            "import tilelang.language as T",
            "",
            "@T.prim_func",
            "def f(A: T.Tensor((8,), 'int32')):",
        ]
        lines.append("    with T.Kernel(1, is_npu=True) as (cid, vid):")
        for name, (kind, shape) in self.tiles.items():
            size = shape if isinstance(shape, tuple) else (shape - (name == less),)
            lines.append(f"        {name} = T.alloc_ub({size}, '{kind}')")
        lines.append("        with T.Scope('V'):")
        read = [name for name in self.tiles if name not in "dD"]
        lines += [f"            T.tile.fill({name}, 0)" for name in read]
        lines += ["            T.barrier_all()", f"            T.tile.{self.call}"]
        return "\n".join(lines) + "\n"


def case(call: str, exact: str, **tiles: tuple[str, Shape]) -> Case:
    return Case(call, tiles, exact)


F, H, U = "float32", "float16", "uint32"
CASES = [
    case("gatherb(d, s, o, 2, 1, 8)", "do", d=(F, 128), s=(F, 64), o=(U, 16)),
    case("gather_mask(d, s, 'P0101')", "d", d=(F, 64), s=(F, 128)),
    case("gather_mask(d, s, 'P0010')", "d", d=(F, 32), s=(F, 128)),
    case("gather_mask(d, s, p)", "d", d=(F, 64), s=(F, 128), p=(U, 64)),
    case("sort(d, s, 64)", "ds", d=(F, 128), s=(F, 64)),
    case("topk(d, s, 8, 64)", "ds", d=(F, 16), s=(F, 64)),
    case("sort32(d, s, i)", "di", d=(F, 128), s=(F, 64), i=(U, 64)),
    case("sort32(d, s, i)", "di", d=(H, 256), s=(H, 64), i=(U, 64)),
    case("init_sort_buf(d, 64, 0)", "d", d=(F, 64)),
    case("reduce_sum_experiment(d, s, 64)", "s", d=(F, 8), s=(F, 64)),
    case("reduce_sum_mask_experiment(d, s, 32, 2, 8)", "s", d=(F, 8), s=(F, 96)),
    case("sum_experiment(d, s, [8, 16, 10])", "ds", d=(F, 8), s=(F, 122)),
    case("fill_experiment(d, 1.0, [255], 2, 1, 8)", "d", d=(F, 72)),
    case("fill_experiment(d, 1.0, [-1], 2, 1, 8)", "d", d=(F, 128)),
    case("brcb_experiment(d, s, 2, 1, 8)", "ds", d=(F, 128), s=(F, 16)),
    case("wholereducesum(d, s, 64, 4, 1, 1, 8)", "ds", d=(F, 4), s=(F, 256)),
    case("wholereducemax(d, s, 32, 4, 1, 1, 4, 'ORDER_VALUE_INDEX')", "ds", d=(F, 8), s=(F, 128)),
    case("wholereducemin(d, s, 64, 4, 1, 1, 4, 'ORDER_ONLY_INDEX')", "ds", d=(H, 8), s=(H, 256)),
    case("block_reduce_max(d, s, 2, 64, 1, 1, 8)", "ds", d=(F, 16), s=(F, 128)),
    case(
        "bilinear_interpolation(d, s, o, w, 128, 2, False, 1, 128, 2)",
        "dow",
        d=(H, 256),
        s=(H, 512),
        o=(U, 32),
        w=(H, 4),
    ),
    case(
        "select(d, m, s, t, 'VSEL_TENSOR_TENSOR_MODE')",
        "mst",
        d=(F, 128),
        m=("uint8", 16),
        s=(F, 128),
        t=(F, 128),
    ),
    case("row_expand_mul(D, S, c)", "c", D=(F, (8, 64)), S=(F, (8, 64)), c=(F, 8)),
    case(
        "row_expand_mul_experiment(D, S, c, t)",
        "ct",
        D=(F, (8, 64)),
        S=(F, (8, 64)),
        c=(F, 8),
        t=(F, 64),
    ),
    case("row_expand_sub_experiment(D, S, c)", "c", D=(F, (8, 64)), S=(F, (8, 64)), c=(F, 64)),
    case("row_expand_div_experiment(D, S, c)", "c", D=(H, (8, 128)), S=(H, (8, 128)), c=(H, 128)),
]


def told(path: Path) -> list[str]:
    """What is told of the sizes of operands."""
    (result,) = check_files([str(path)], Batch(jobs=1, cache=False))
    found = [d for d in result.diagnostics if d.name == "operand-size"]
    assert all(d.severity is Severity.ERROR for d in found)
    return [d.message for d in found]


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.call)
def test_as_many_as_the_call_touches(one: Case, tmp_path: Path) -> None:
    path = tmp_path / "exact.py"
    path.write_text(one.text(), encoding="utf-8")
    assert told(path) == []
    tl_ascend.evaluate(tl_ascend.load(path), np.zeros(8, np.int32))
    for name in one.exact:
        path = tmp_path / f"{name}.py"
        path.write_text(one.text(name), encoding="utf-8")
        (message,) = told(path)
        assert name in message
        with pytest.raises(simulate.OutOfBounds):
            tl_ascend.evaluate(tl_ascend.load(path), np.zeros(8, np.int32))
