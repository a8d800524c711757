"""That there is no program for a kernel is one thing, however many operations are to blame."""

import json

import pytest
from tests.cli.support import Tool, write

KERNEL = """import tilelang
import tilelang.language as T


@tilelang.jit(target="{target}")
def rows():
    @T.prim_func
    def main(A: T.Tensor((64, 256), "{dtype}"), B: T.Tensor((64, 256), "{dtype}")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 256), "{dtype}")
            with T.Scope("V"):
                {first}
                T.barrier_all()
                {second}
                T.barrier_all()
                T.copy(a, B[vid * 16, 0])

    return main


rows()
"""
COPY = "T.copy(A[vid * 16, 0], a)"
TOO_WIDE = "T.copy(A[vid * 16, 128:256], a[:, 128:192])"
ADD = "T.tile.add(a, a, a)"


def found(tool: Tool, **values: str) -> list[tuple[str, int, int, int]]:
    """Code, row, further places, and how many notes say that there is no program."""
    write("k.py", KERNEL.format_map(values))
    said = json.loads(tool("k.py", "--output-format", "json").out)
    return [
        (
            one["code"],
            one["row"],
            len(one["related"]),
            sum("No program" in note for note in one["notes"]),
        )
        for one in said["diagnostics"]
    ]


@pytest.mark.parametrize(("second", "more"), [(COPY, 0), (ADD, 1)])
def test_all_places_are_told_with_the_first(tool: Tool, second: str, more: int) -> None:
    told = found(tool, target="pto", dtype="int8", first=ADD, second=second)
    assert told == [("TL601", 12, more, 0)]


def test_a_warning_at_the_statement_says_it(tool: Tool) -> None:
    told = found(tool, target="ascendc", dtype="float16", first=TOO_WIDE, second=COPY)
    assert [(code, row, notes) for code, row, _, notes in told] == [("TL202", 12, 1)]


def test_what_is_to_blame_elsewhere_is_told_beside_a_warning(tool: Tool) -> None:
    told = found(tool, target="pto", dtype="int8", first=TOO_WIDE, second=ADD)
    assert [(code, row) for code, row, _, _ in told] == [("TL202", 12), ("TL601", 14)]


NEEDED = """import tilelang
import tilelang.language as T

CONFIGS = {
    "tl.ascend_auto_cv_combine": True,
    "tl.ascend_auto_sync": True,
    "tl.ascend_auto_cross_core_sync": True,
}


@tilelang.jit(out_idx=[-1], pass_configs=CONFIGS)
def decided():
    @T.prim_func
    def main(
        A: T.Tensor((32, 32), "float16"),
        B: T.Tensor((32, 32), "float32"),
        C: T.Tensor((32, 32), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_shared((32, 32), "float16")
            c = T.alloc_fragment((32, 32), "float32")
            e = T.alloc_shared((32, 32), "float32")
            T.copy(B, e)
            T.tile.exp(e, e)
            if e[0, 0] > 1.0:
                T.copy(A, a)
                T.gemm_v0(a, a, c, init=True)
                T.copy(c, C)

    return main


decided()
"""


def test_what_lowering_says_is_not_said_again_by_the_back_end(tool: Tool) -> None:
    write("k.py", NEEDED)
    said = json.loads(tool("k.py", "--output-format", "json").out)["diagnostics"]
    assert [(one["code"], one["row"]) for one in said] == [("TL601", 25)]
    assert "the cube core needs the value of e" in said[0]["message"]
