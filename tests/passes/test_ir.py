"""Text, effects, lives and the checker of the IR; the list of stages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from tests.passes.kernels import gemm, lowered, silu

import tl_ascend.passes
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load, type_of
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Call, Cast, Const
from tl_ascend.ir.fold import binary, compare, logic, select
from tl_ascend.ir.liveness import lives
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text, show, show_region
from tl_ascend.ir.verify import verify
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import STAGES, lower
from tl_ascend.passes.summary import memory_use, operations, sync_counts
from tl_ascend.target.hardware import Memory, Pipe

B = KernelBuilder()
X, Y, Z = (B.var(name, "loop", None) for name in "xyz")
TILE = B.alloc("t", (8, 64), "float32", "UB")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (binary("*", binary("+", X, Y), 2), "(x + y) * 2"),
        (binary("-", X, binary("-", Y, Z)), "x - (y - z)"),
        (binary("-", binary("-", X, Y), Z), "x - y - z"),
        (binary("//", binary("*", X, Y), Z), "x * y // z"),
        (binary("%", X, binary("%", Y, Z)), "x % (y % z)"),
        (binary("*", X, -1), "-x"),
        (binary("min", X, 3), "min(x, 3)"),
        (compare("<", binary("+", X, 1), Y), "x + 1 < y"),
        (logic("and", (compare("<", X, Y), compare("==", Z, 0))), "x < y and z == 0"),
        (logic("not", (compare("<", X, Y),)), "not x < y"),
        (select(compare("<", X, Y), X, Y), "T.if_then_else(x < y, x, y)"),
        (Cast(type_of("float16"), X), 'T.cast(x, "float16")'),
        (Const(1, type_of("float16")), "T.float16(1)"),
        (load(TILE, X, 3), "t[x, 3]"),
        (Call("exp", (X,), type_of("float32")), "T.exp(x)"),
        (Call("infinity", (), type_of("float32")), 'T.infinity("float32")'),
        ((3, X), "(3, x)"),
        (-2, "-2"),
    ],
)
def test_expressions_read_like_python(value: object, text: str) -> None:
    assert show(value) == text


def test_shared_and_deep_expressions_stay_short() -> None:
    value = X
    for _ in range(40):
        value = binary("+", value, value)
    assert len(show(value)) < 4000


def test_regions() -> None:
    assert show_region(B.whole(TILE)) == "t"
    assert show_region(B.at(TILE, X, 0)) == "t[x, 0]"
    assert show_region(B.part(TILE, (binary("*", X, 2), 2), (0, 64))) == "t[x * 2:x * 2 + 2, :]"
    assert show_region(B.part(TILE, 3, (8, 16))) == "t[3, 8:24]"


def test_a_lowered_kernel_as_text() -> None:
    kernel, _ = lowered(gemm(explicit=False, combine=True))
    text = kernel_text(kernel, lambda span: f"line {span.node}")
    assert "alloc A_L1: float16[128, 64] L1 zN 16384 B @0  # line" in text
    assert "copy_gm_to_l1(A[bx * 128:bx * 128 + 128, k * 64:k * 64 + 64], A_L1)" in text
    assert "gemm_v0(A_L1, B_L1, C_L0, init=k == 0)" in text


def test_init_decides_whether_the_accumulator_is_read() -> None:
    b = KernelBuilder()
    x, y = (b.alloc(n, (64, 64), "float16", "L1") for n in "xy")
    z = b.alloc("z", (64, 64), "float32", "L0C")
    fresh = effect_of(replace(b.op("gemm_v0", x, y, z, init=True), form="gemm_v0"))
    added = effect_of(replace(b.op("gemm_v0", x, y, z), form="gemm_v0"))
    assert [s.pipe for s in added.steps] == [Pipe.MTE1, Pipe.M]
    assert [r.buffer.name for r in added.reads] == ["x", "y", "z"]
    assert [r.buffer.name for r in fresh.reads] == ["x", "y"]
    assert [r.buffer.name for r in fresh.writes] == ["z"]


def test_a_copy_that_may_be_cut_off_fills_its_target_first() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (100, 64), "float32")
    cid, _ = b.launch(7)
    tile = b.alloc("t", (16, 64), "float32", "UB")
    b.op("copy", b.at(a, binary("*", cid, 16), 0), tile)
    b.op("copy", b.at(a, 16, 0), tile)
    kernel, _ = lowered(b.build())
    cut, whole = (effect_of(s) for s in walk_stmts(kernel.body) if isinstance(s, TileOp))
    assert [s.pipe for s in cut.steps] == [Pipe.V, Pipe.MTE2]
    assert cut.steps[0].behind == (Pipe.MTE2, Pipe.MTE3)
    assert [s.pipe for s in whole.steps] == [Pipe.MTE2]


def test_scalars_are_read_by_the_scalar_unit() -> None:
    b = KernelBuilder()
    x = b.alloc("x", (64,), "float32", "UB")
    op = b.op("tile.mul", x, x, load(x, 3))
    assert [r.starts for r in effect_of(op).scalars] == [(3,)]


def test_lives_stretch_over_loops_that_carry_a_value() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    x, y = (b.alloc(n, (64,), "float32", "UB") for n in "xy")
    with b.loop("i", 8) as i:
        b.op("copy", b.part(a, i, (0, 64)), x)
        b.op("tile.add", y, y, x)
    found = lives(b.build())
    assert found[x.uid].sound == found[x.uid].minimal == (3, 4)
    assert (found[y.uid].minimal, found[y.uid].sound) == ((4, 4), (2, 4))


def test_the_checker_finds_what_is_broken() -> None:
    kernel, _ = lowered(silu(combine=True))
    assert verify(kernel, scoped=True, lowered=True, planned=True) == []
    gone = replace(kernel, body=kernel.body[1:])
    assert any("before it is allocated" in p for p in verify(gone))
    bare = replace(kernel, placements=MappingProxyType({}))
    assert any("no placement" in p for p in verify(bare, scoped=True))
    squeezed = kernel.with_placements(
        {uid: replace(p, address=0) for uid, p in kernel.placements.items() if p.address}
    )
    assert any("share bytes" in p for p in verify(squeezed, planned=True))
    b = KernelBuilder()
    x = b.alloc("x", (64,), "float32", "UB")
    loose = b.var("i", "loop")
    b.op("tile.exp", b.part(x, (loose, 1)), x)
    assert any("before it is bound" in p for p in verify(b.build()))


def test_the_checker_finds_uses_and_places_of_another_rank() -> None:
    kernel, _ = lowered(silu(combine=True))
    wide = {p.value.uid: replace(p.value, shape=(2, *p.value.shape)) for p in kernel.params}
    params = tuple(replace(p, value=wide[p.value.uid]) for p in kernel.params)
    found = verify(replace(kernel, params=params))  # of no stage: true from the beginning
    assert [p for p in found if p.startswith("A of rank 3")]
    assert [p for p in found if p.startswith("B of rank 3")]
    places = {u: replace(p, shape=(2, *p.shape)) for u, p in kernel.placements.items()}
    assert all(
        "but its place has 3" in p for p in verify(kernel.with_placements(places), scoped=True)
    )
    b = KernelBuilder()
    x, y = (b.alloc(name, (8, 64), "float32", "UB") for name in "xy")
    b.op("tile.exp", b.at(x, 3), b.whole(y))
    b.store(x, (0, 0), load(y, 3))
    b.store(x, (0,), 1.0)
    assert verify(b.build()) == []
    found = verify(b.build(), lowered=True)
    assert [p.split()[0] for p in found if "1 indices" in p] == ["x", "y"]


def _with(kernel: Kernel, *added: tuple[str, tuple[str | int, ...], str]) -> Kernel:
    span = kernel.body[0].span
    calls = (TileOp(op, args, span, (span,) * len(args), op, reason=why) for op, args, why in added)
    return replace(kernel, body=(*kernel.body, *calls))


def test_the_checker_finds_flags_without_an_id_and_idle_barriers_among_what_was_added() -> None:
    kernel, _ = lowered(silu(combine=True))
    pair, why = ("MTE2", "V"), "V reads a"
    for event in (-1, 8):
        (problem,) = verify(_with(kernel, ("set_flag", (*pair, event), why)))
        assert f"id {event}" in problem
    every, vector = ("barrier_all", (), why), ("pipe_barrier", ("V",), why)
    for one, other in ((every, every), (vector, vector), (every, vector)):
        (problem,) = verify(_with(kernel, one, other))
        assert f"{other[0]} was added right behind {one[0]}" in problem
    for one, other in (
        (vector, ("pipe_barrier", ("MTE2",), why)),
        (vector, every),
        (every, ("barrier_all", (), "")),
        (("wait_flag", (*pair, 7), why), ("set_flag", (*pair, 9), "")),
    ):
        assert verify(_with(kernel, one, other)) == []


def test_stages_can_be_stopped_at_and_watched() -> None:
    seen: list[str] = []
    kernel = lower(
        silu(),
        LowerOptions(),
        Report(),
        until="infer-scopes",
        observe=lambda stage, _: seen.append(stage.name),
    )
    assert seen[-1] == "infer-scopes"
    assert all(p.address is None for p in kernel.placements.values())


def test_every_stage_has_a_name_a_reason_and_a_file() -> None:
    assert len({stage.name for stage in STAGES}) == len(STAGES)
    assert all(stage.reason.endswith(".") for stage in STAGES)
    files = {p.stem for p in Path(tl_ascend.passes.__path__[0]).glob("*.py")}
    assert {stage.run.__module__.rsplit(".", 1)[-1] for stage in STAGES} <= files


def test_the_summary_counts_calls_bytes_and_synchronisation() -> None:
    kernel, _ = lowered(gemm(explicit=False, combine=True, sync=True))
    assert operations(kernel) == ["copy_gm_to_l1", "copy_gm_to_l1", "gemm_v0", "copy_l0c_to_gm"]
    assert memory_use(kernel) == {Memory.L1: 49152, Memory.L0C: 131072}
    assert sync_counts(kernel)["set_flag"] == sync_counts(kernel)["wait_flag"] == 3


def test_dead_code_is_dropped() -> None:
    b = KernelBuilder()
    x = b.alloc("x", (64,), "float32", "UB")
    with b.loop("i", 0):
        b.op("tile.exp", x, x)
    with b.when(True):
        b.op("tile.abs", x, x)
    with b.otherwise():
        b.op("tile.ln", x, x)
    kernel, _ = lowered(b.build())
    assert operations(kernel) == ["Abs"]
