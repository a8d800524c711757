"""Which core runs what, with automatic combination and with threads=2."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.passes.cores import code_of
from tests.passes.happens_before import races
from tests.passes.kernels import gemm, lowered, named, plus, silu, times

from tl_ascend.backends.ascendc.emit import emit
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import CoreScope, Kernel, Options, Store, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.target.hardware import DEFAULT_PLATFORM, Core


def sides(kernel: Kernel) -> dict[str, list[str]]:
    """The operations of each core scope."""
    return {
        scope.core.value: [
            s.form or s.op if isinstance(s, TileOp) else type(s).__name__
            for s in walk_stmts(scope.body)
        ]
        for scope in kernel.body
        if isinstance(scope, CoreScope)
    }


def test_a_kernel_of_one_core_gets_one_scope() -> None:
    assert list(sides(lowered(gemm(explicit=False, combine=True))[0])) == ["C"]
    assert list(sides(lowered(silu(combine=True))[0])) == ["V"]
    assert sides(lowered(silu())[0]) == {}


def fused() -> KernelBuilder:
    b = KernelBuilder()
    a, w = b.tensor("A", (64, 64), "float16"), b.tensor("W", (64, 64), "float32")
    b.launch(1)
    l1, l0 = b.alloc("l1", (64, 64), "float16", "L1"), b.alloc("l0", (64, 64), "float32", "L0C")
    ub = b.alloc("ub", (64, 64), "float32", "UB")
    b.op("copy", a, l1)
    b.op("gemm_v0", l1, l1, l0, init=True)
    b.op("copy", l0, w)
    b.op("set_cross_flag", "FIX", 3)
    b.op("wait_cross_flag", 3)
    b.op("barrier_all")
    b.op("copy", w, ub)
    b.op("tile.exp", ub, ub)
    return b


def test_statements_go_to_the_core_of_their_call() -> None:
    found = sides(lowered(fused().build(combine=True))[0])
    assert found["C"] == [
        "copy_gm_to_l1",
        "gemm_v0",
        "copy_l0c_to_gm",
        "set_cross_flag",
        "barrier_all",
    ]
    assert found["V"] == ["wait_cross_flag", "barrier_all", "copy_gm_to_ub", "Exp"]


def test_scalars_live_on_the_sides_that_read_them() -> None:
    b = fused()
    ub = b.blocks[0][2].buffer  # type: ignore[union-attr]
    count = b.alloc("count", (), "int32", "var")
    b.store(count, (), 1)
    with b.when(compare(">", load(count), 0)):
        b.op("tile.abs", ub, ub)
    kernel, findings = lowered(b.build(combine=True))
    vector = [s for s in kernel.body if isinstance(s, CoreScope)][1]
    assert any(isinstance(s, Store) for s in walk_stmts(vector.body))
    cube = [s for s in kernel.body if isinstance(s, CoreScope)][0]
    assert not any(isinstance(s, Store) for s in walk_stmts(cube.body))
    assert findings == []


def test_a_variable_that_both_sides_read_is_set_on_both() -> None:
    b = fused()
    l1, l0, ub = (b.blocks[0][n].buffer for n in (0, 1, 2))  # type: ignore[union-attr]
    count = b.alloc("count", (), "int32", "var")
    with b.loop("i", 4) as i:
        b.store(count, (), plus(load(count), i))
        with b.when(compare(">", load(count), 2)):
            b.op("gemm_v0", l1, l1, l0)
            b.op("tile.abs", ub, ub)
    kernel, findings = lowered(b.build(combine=True))
    assert findings == []
    for scope in kernel.body:
        if isinstance(scope, CoreScope):
            assert sum(isinstance(s, Store) for s in walk_stmts(scope.body)) == 1


def test_a_scalar_of_the_other_core_is_told() -> None:
    b = fused()
    l1, ub = (b.blocks[0][n].buffer for n in (0, 2))  # type: ignore[union-attr]
    w = b.params[0].value
    with b.when(compare(">", load(ub, 0, 0), 0)):
        b.op("copy", w, l1)
    _, findings = lowered(b.build(combine=True))
    assert [f.name for f in findings] == ["not-lowered"]
    assert "value of ub" in findings[0].message


def test_a_way_out_of_a_loop_stays() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (8, 64), "float32")
    b.launch(1)
    ub = b.alloc("ub", (64,), "float32", "UB")
    with b.loop("i", 8) as i:
        b.op("copy", b.part(a, i, (0, 64)), ub)
        with b.when(compare(">", i, 3)):
            b.leave()
    text = kernel_text(lowered(b.build(combine=True))[0])
    assert "if i > 3:\n        break" in text


def test_threads_2_halves_tiles_and_moves_each_core_to_its_half() -> None:
    b = KernelBuilder()
    a, c = b.tensor("A", (256, 64), "float32"), b.tensor("C", (256, 64), "float32")
    cid, vid = b.launch(4, threads=2)
    tile = b.alloc("tile", (64, 64), "float32", "shared")
    b.op("copy", b.at(a, times(cid, 64), 0), tile)
    with b.loop("i", 64, "parallel") as i, b.loop("j", 64, "parallel") as j:
        b.store(tile, (i, j), times(load(tile, i, j), 2.0))
    b.op("copy", tile, b.at(c, times(cid, 64), 0))
    kernel, findings = lowered(b.build())
    assert findings == []
    assert kernel.place(tile).shape == (32, 64) and named(kernel, "tile").shape == (32, 64)
    copy = next(s for s in walk_stmts(kernel.body) if isinstance(s, TileOp))
    source = copy.args[0]
    assert source.starts[0] is plus(times(cid, 64), times(vid, 32))  # type: ignore[union-attr]
    assert source.extents == (32, 64)  # type: ignore[union-attr]
    assert "Muls(tile, tile, 2.0)" in kernel_text(kernel)


def test_threads_2_moves_the_variable_of_a_row_loop_too() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (256, 64), "float32")
    cid, vid = b.launch(4, threads=2)
    tile = b.alloc("tile", (64, 64), "float32", "UB")
    with b.loop("i", 64) as i:
        b.op("copy", b.part(a, plus(times(cid, 64), i), (0, 64)), b.part(tile, i, (0, 64)))
    text = kernel_text(lowered(b.build())[0])
    assert "for i in serial(0, 32):" in text
    assert "A[cid * 64 + (i + vid * 32), :]" in text and "tile[i, :]" in text


def test_threads_2_leaves_a_tile_whole_of_which_a_part_is_taken() -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    b.launch(4, threads=2)
    tile = b.alloc("tile", (16, 64), "float32", "UB")
    b.op("copy", b.part(a, (0, 8), (0, 64)), b.part(tile, (8, 8), (0, 64)))
    kernel, findings = lowered(b.build())
    assert findings == [] and kernel.place(tile).shape == (16, 64)


def test_a_flag_goes_where_its_pipes_are() -> None:
    b = fused()
    ub = b.blocks[0][2].buffer  # type: ignore[union-attr]
    b.op("set_flag", "v", "mte3", 2)
    b.op("wait_flag", "v", "mte3", 2)
    b.op("copy", ub, b.params[1].value)
    found = sides(lowered(b.build(combine=True))[0])
    assert "set_flag" in found["V"] and "set_flag" not in found["C"]


def in_pieces(where: str) -> Kernel:
    """Code of the vector core in scopes of the author: in a loop, in a branch, or one behind the
    other. Tiles are used again by what comes next."""
    b = KernelBuilder()
    a, c = b.tensor("A", (64, 64), "float32"), b.tensor("C", (64, 64), "float32")
    cid, _ = b.launch(4)
    x, y = (b.alloc(name, (8, 64), "float32", "UB") for name in "xy")

    def piece(row: object) -> None:
        with b.scope("V"):
            b.op("copy", b.part(a, (row, 8), (0, 64)), x)
            b.op("tile.exp", y, x)
            b.op("copy", y, b.part(c, (row, 8), (0, 64)))

    if where == "loop":
        with b.loop("i", 8) as i:
            piece(times(i, 8))
    elif where == "branch":
        piece(0)
        with b.when(compare("<", cid, 2)):
            piece(8)
    else:
        piece(0)
        piece(8)
    return b.build(sync=True, planning=True)


@pytest.mark.parametrize("where", ["loop", "branch", "sequence"])
def test_flags_look_beyond_the_scopes_of_a_core(where: str) -> None:
    kernel = lowered(in_pieces(where))[0]
    assert list(sides(kernel)) == ["V"]
    assert races(replace(kernel, body=code_of(kernel.body, Core.VECTOR))) == []
    plain = lowered(replace(in_pieces(where), options=Options()))[0]
    assert races(replace(plain, body=code_of(plain.body, Core.VECTOR))) != []


# --- elements in GM ------------------------------------------------------------------------------


def _by_place(b: KernelBuilder, out: Any, ub: Any, vid: Any) -> None:
    b.store(out, (vid,), 1.0)


def _by_value(b: KernelBuilder, out: Any, ub: Any, vid: Any) -> None:
    b.store(out, (0,), b.let("x", times(vid, 2.0)))


def _by_branch(b: KernelBuilder, out: Any, ub: Any, vid: Any) -> None:
    with b.when(compare("==", vid, 1)):
        b.store(out, (0,), 1.0)


def _by_loop(b: KernelBuilder, out: Any, ub: Any, vid: Any) -> None:
    with b.loop("i", plus(vid, 1)) as i:
        b.store(out, (i,), 1.0)


def _by_variable(b: KernelBuilder, out: Any, ub: Any, vid: Any) -> None:
    var = b.alloc("var", (), "float32", "var")
    with b.loop("i", 2):
        b.store(out, (0,), load(var))
        b.store(var, (), load(ub, 3))


@pytest.mark.parametrize("store", [_by_place, _by_value, _by_branch, _by_loop, _by_variable])
def test_an_element_in_gm_that_depends_on_the_vector_core_is_written_there(store: Any) -> None:
    b = KernelBuilder()
    out, a = b.tensor("out", (64,), "float32"), b.tensor("A", (64,), "float32")
    _, vid = b.launch(1)
    ub = b.alloc("ub", (64,), "float32", "UB")
    b.op("copy", a, ub)
    store(b, out, ub, vid)
    assert "C" not in sides(lowered(b.build(combine=True))[0])


def test_an_element_in_gm_that_all_cores_know_is_written_once() -> None:
    b = KernelBuilder()
    out = b.tensor("out", (64,), "float32")
    cid, _ = b.launch(4)
    b.store(out, (cid,), times(cid, 2.0))
    assert list(sides(lowered(b.build(combine=True))[0])) == ["C"]


# --- elements of the other core's memory ---------------------------------------------------------


class Chosen:
    """The cube core takes what numbers in a tile of the vector cores choose."""

    def __init__(self) -> None:
        self.b = b = KernelBuilder()
        self.a = b.tensor("A", (8, 64, 64), "float16")
        self.numbers = b.tensor("numbers", (4, 8), "int32")
        b.launch(1)
        self.l1 = b.alloc("l1", (64, 64), "float16", "L1")
        self.l0 = b.alloc("l0", (64, 64), "float32", "L0C")
        self.tile = b.alloc("tile", (8,), "int32", "UB")

    def fetch(self, row: Any = 1) -> None:
        self.b.op("copy", self.b.part(self.numbers, row, (0, 8)), self.tile)

    def take(self, number: Any) -> None:
        self.b.op("copy", self.b.part(self.a, number, (0, 64), (0, 64)), self.l1)
        self.b.op("gemm_v0", self.l1, self.l1, self.l0, init=True)

    def done(self, **configs: bool) -> tuple[Kernel, list[Any]]:
        return lowered(self.b.build(combine=True, **configs))


def _chosen_index(c: Chosen) -> None:
    c.take(load(c.tile, 3))


def _chosen_variable(c: Chosen) -> None:
    var = c.b.alloc("var", (), "int32", "var")
    c.b.store(var, (), load(c.tile, 3))
    c.take(load(var))


def _chosen_name(c: Chosen) -> None:
    c.take(c.b.let("name", load(c.tile, 3)))


def _chosen_branch(c: Chosen) -> None:
    with c.b.when(compare(">", load(c.tile, 3), 0)):
        c.take(0)


def _chosen_count(c: Chosen) -> None:
    with c.b.loop("i", load(c.tile, 3)) as i:
        c.take(i)


def _chosen_while(c: Chosen) -> None:
    with c.b.repeat(compare(">", load(c.tile, 3), 0)):
        c.take(0)


FORMS = [
    _chosen_index,
    _chosen_variable,
    _chosen_name,
    _chosen_branch,
    _chosen_count,
    _chosen_while,
]


def of_cube(kernel: Kernel) -> set[str]:
    """What the scalar unit of the cube core reads."""
    code = [s for s in kernel.body if isinstance(s, CoreScope) and s.core is Core.CUBE]
    stmts = walk_stmts(tuple(code))
    return {region.buffer.name for stmt in stmts for region in effect_of(stmt).scalars} - {"var"}


@pytest.mark.parametrize("form", FORMS)
def test_the_cube_core_reads_an_element_where_the_tile_came_from(form: Any) -> None:
    c = Chosen()
    with c.b.loop("row", 4) as row:
        c.fetch(row)
        form(c)
    kernel, findings = c.done()
    assert findings == [] and of_cube(kernel) == {"numbers"}
    assert "numbers[row, 3]" in kernel_text(kernel)


def _computed(c: Chosen) -> None:
    c.fetch()
    c.b.op("tile.add", c.tile, c.tile, 1)


def _fetched_twice(c: Chosen) -> None:
    c.fetch(0)
    with c.b.loop("row", 4) as row:
        c.fetch(row)


def _in_a_branch(c: Chosen) -> None:
    with c.b.when(compare(">", load(c.numbers, 0, 0), 0)):
        c.fetch()


def _tensor_written(c: Chosen) -> None:
    c.fetch()
    c.b.op("copy", c.tile, c.b.part(c.numbers, 2, (0, 8)))


def _of_vector_core(c: Chosen) -> None:
    c.fetch(c.b.frame.subblock)  # type: ignore[union-attr]


def _cut_off(c: Chosen) -> None:
    c.b.op("copy", c.b.part(c.numbers, 1, (4, 8)), c.tile)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "fill",
    [_computed, _fetched_twice, _in_a_branch, _tensor_written, _of_vector_core, _cut_off],
)
def test_an_element_that_the_cube_core_cannot_read_is_told(form: Any, fill: Any) -> None:
    c = Chosen()
    fill(c)
    form(c)
    kernel, findings = c.done(planning=True)
    told = [f for f in findings if "the cube core needs the value of tile" in f.message]
    assert len(told) == 1 and "T.copy it" in told[0].message
    assert emit(kernel, DEFAULT_PLATFORM, Report()) is None
