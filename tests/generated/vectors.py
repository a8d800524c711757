"""Families of kernels that the vector cores run."""

from __future__ import annotations

from collections.abc import Sequence

from tests.generated.writer import (
    ALL,
    BYTES,
    FLOATS,
    INTS,
    Tile,
    Writer,
    chain,
    constant,
    element,
    extents,
)

LAUNCH = "with T.Kernel({}, is_npu=True) as (cid, vid):"


def _shape(w: Writer) -> tuple[int, int, str]:
    dtype = w.rng.choice((*FLOATS, *FLOATS, *INTS))
    rows, columns = extents(w.rng, dtype)
    return rows, columns, dtype


def _tiles(
    w: Writer, rows: int, columns: int, dtype: str, count: int, how: str = "ub"
) -> list[Tile]:
    return [w.tile(rows, columns, dtype, how) for _ in range(count)]


def _load(w: Writer, tensor: str, corner: str, tile: Tile) -> None:
    w.line(f"T.copy({tensor}[{corner}], {tile.name})")


def elementwise(w: Writer) -> None:
    """A chain of tile operations, by block and vector core."""
    w.pick_options()
    rows, columns, dtype = _shape(w)
    blocks = w.rng.randint(1, 6)
    source, target = (w.tensor((blocks * 2 * rows, columns), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(blocks)):
        tiles = _tiles(w, rows, columns, dtype, w.rng.randint(2, 4))
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"):
            _load(w, source, "top, 0", tiles[0])
            w.sync()
            last = chain(w, [tiles[0]], tiles, w.rng.randint(1, 6))
            w.line(f"T.copy({last.name}, {target}[top, 0])")


def parallel(w: Writer) -> None:
    """T.Parallel loops over one or two dimensions."""
    w.pick_options()
    rows, columns, dtype = _shape(w)
    source, target = (w.tensor((4 * rows, columns), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(2)):
        tiles = _tiles(w, rows, columns, dtype, 3)
        with w.scope("V"):
            w.line(f"top = (cid * 2 + vid) * {rows}")
            _load(w, source, "top, 0", tiles[0])
            w.sync()
            ready = [tiles[0]]
            for _ in range(w.rng.randint(1, 3)):
                out = w.rng.choice(tiles)
                with w.inside(f"for i, j in T.Parallel({rows}, {columns}):"):
                    w.line(f"{out.name}[i, j] = {element(w, ready, 'i, j')}")
                w.sync()
                ready += [out] if out not in ready else []
            w.line(f"T.copy({ready[-1].name}, {target}[top, 0])")


def reduction(w: Writer) -> None:
    """Rows to one number each, repeated over the row again."""
    w.pick_options()
    dtype = w.rng.choice(FLOATS)
    rows, columns = 8, 32 // BYTES[dtype] * w.rng.choice((2, 4, 8))
    rows = 16 if dtype == "float16" else rows  # a column of results is whole blocks, too
    steps = w.rng.randint(1, 4)
    source, target = (w.tensor((rows * 4, columns * steps), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(2)):
        x, wide = _tiles(w, rows, columns, dtype, 2)
        part, total = _tiles(w, rows, 1, dtype, 2)
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"):
            op, join, start = w.rng.choice(
                (("sum", "add", "0.0"), ("max", "max", "-1000.0"), ("min", "min", "1000.0"))
            )
            w.line(f"T.tile.fill({total.name}, {start})")
            w.sync()
            with w.inside(f"for t in T.serial({steps}):"):
                _load(w, source, f"top, t * {columns}", x)
                w.sync()
                w.line(f"T.reduce_{op}({x.name}, {part.name}, dim=-1)")
                w.sync()
                w.line(f"T.tile.{join}({total.name}, {total.name}, {part.name})")
                w.sync()
            w.line(f"T.tile.broadcast({wide.name}, {total.name})")
            w.sync()
            w.line(f"T.copy({wide.name}, {target}[top, 0])")


def tail(w: Writer) -> None:
    """Sizes that the tiles do not divide."""
    w.pick_options()
    rows, columns, dtype = _shape(w)
    height = rows * w.rng.randint(1, 4) + w.rng.randint(1, rows)
    width = columns * w.rng.randint(1, 3) + w.rng.randint(1, columns)
    source, target = (w.tensor((height, width), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(f"T.ceildiv({height}, {rows})")):
        tiles = _tiles(w, rows, columns, dtype, 2)
        with w.scope("V"), w.inside(f"for t in T.serial(T.ceildiv({width}, {columns})):"):
            place = f"cid * {rows}, t * {columns}"
            _load(w, source, place, tiles[0])
            w.sync()
            last = chain(w, [tiles[0]], tiles, w.rng.randint(1, 3))
            w.line(f"T.copy({last.name}, {target}[{place}])")
            w.sync()


def ping_pong(w: Writer) -> None:
    """Two slots of a tile, each guarded by flags of its own, as experts write it."""
    rows, columns, dtype = _shape(w)
    steps = 2 * w.rng.randint(1, 4)
    source, target = (w.tensor((steps * rows, columns), dtype) for _ in range(2))
    names = [w.name("s") for _ in range(2)]
    first = w.rng.choice((0, 2, 4))
    pairs = (("v", "mte2"), ("mte3", "v"))
    with w.inside(LAUNCH.format(1)):
        for name in names:
            w.line(f'{name} = T.alloc_ub((2, {rows}, {columns}), "{dtype}")')
        a, b = (f"{name}[slot, :, :]" for name in names)
        with w.inside('with T.Scope("V"):'), w.inside("if vid == 0:"):
            _both(w, "set", pairs, first)
            with w.inside(f"for i in T.serial({steps}):"):
                w.line("slot = i % 2")
                w.line(f'T.wait_flag("v", "mte2", {first} + slot)')
                w.line(f"T.copy({source}[i * {rows}, 0], {a})")
                w.line(f'T.set_flag("mte2", "v", {first} + slot)')
                w.line(f'T.wait_flag("mte2", "v", {first} + slot)')
                w.line(f'T.wait_flag("mte3", "v", {first} + slot)')
                w.line(
                    f"T.tile.{w.rng.choice(('add', 'mul', 'max'))}({b}, {a}, {constant(w.rng, dtype)})"
                )
                w.line(f'T.set_flag("v", "mte2", {first} + slot)')
                w.line(f'T.set_flag("v", "mte3", {first} + slot)')
                w.line(f'T.wait_flag("v", "mte3", {first} + slot)')
                w.line(f"T.copy({b}, {target}[i * {rows}, 0])")
                w.line(f'T.set_flag("mte3", "v", {first} + slot)')
            _both(w, "wait", pairs, first)


def _both(w: Writer, verb: str, pairs: Sequence[tuple[str, str]], first: int) -> None:
    for slot in range(2):
        for one, other in pairs:
            w.line(f'T.{verb}_flag("{one}", "{other}", {first + slot})')


def branches(w: Writer) -> None:
    """Branches on the block, the core, an iteration and a scalar."""
    w.pick_options()
    rows, columns, dtype = _shape(w)
    blocks, steps = w.rng.randint(2, 4), w.rng.randint(2, 5)
    source, target = (w.tensor((blocks * 2 * rows, columns * steps), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(blocks)):
        tiles = _tiles(w, rows, columns, dtype, 3)
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"), w.inside(f"for t in T.serial({steps}):"):
            _load(w, source, f"top, t * {columns}", tiles[0])
            w.sync()
            ready, last = [tiles[0]], tiles[0]
            for _ in range(w.rng.randint(1, 2)):
                conditions = (
                    "cid % 2 == 0",
                    "vid == 0",
                    "t == 0",
                    f"t < {steps - 1}",
                    "cid + t > 1",
                )
                with w.inside(f"if {w.rng.choice(conditions)}:"):
                    chain(w, list(ready), [last], w.rng.randint(1, 2))
                if w.rng.random() < 0.5:
                    with w.inside("else:"):
                        chain(w, list(ready), [last], 1)
            w.line(f"T.copy({last.name}, {target}[top, t * {columns}])")
            w.sync()


def nest(w: Writer) -> None:
    """Loops in loops, over parts of a wider tile."""
    w.pick_options()
    rows, columns, dtype = _shape(w)
    outer, inner = w.rng.randint(2, 3), w.rng.randint(2, 4)
    source, target = (w.tensor((rows * outer, columns * inner), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        wide = w.tile(rows, columns * inner, dtype)
        part = w.tile(rows, columns, dtype)
        with w.scope("V"), w.inside(f"for a in T.serial({outer}):"):
            _load(w, source, f"a * {rows}, 0", wide)
            w.sync()
            with w.inside(f"for b in {w.rng.choice(('T.serial', 'range'))}({inner}):"):
                w.line(f"T.copy({wide.name}[:, b * {columns}:(b + 1) * {columns}], {part.name})")
                w.sync()
                chain(w, [part], [part], w.rng.randint(1, 3))
                w.line(f"T.copy({part.name}, {target}[a * {rows}, b * {columns}])")
                w.sync()


def pipelined(w: Writer) -> None:
    """Loads of later iterations ahead of the work on this one."""
    w.pick_options(*ALL[:1])
    rows, columns, dtype = _shape(w)
    steps, stages = w.rng.randint(2, 6), w.rng.randint(1, 3)
    source, target = (w.tensor((rows * 4, columns * steps), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(2)):
        tiles = _tiles(w, rows, columns, dtype, w.rng.randint(2, 3))
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"), w.inside(f"for t in T.Pipelined({steps}, num_stages={stages}):"):
            for tile in tiles[:-1]:
                _load(w, source, f"top, t * {columns}", tile)
            last = tiles[-1]
            w.line(f"T.tile.add({last.name}, {tiles[0].name}, {tiles[-2].name})")
            w.line(f"T.copy({last.name}, {target}[top, t * {columns}])")


def threads(w: Writer) -> None:
    """The developer style: the vector cores are divided by the compiler."""
    w.options = w.rng.choice((ALL[:1], ALL[:2], ALL))
    rows, columns, dtype = _shape(w)
    count = w.rng.choice((1, 2))
    blocks = w.rng.randint(1, 4)
    source, target = (w.tensor((blocks * rows, columns), dtype) for _ in range(2))
    with w.inside(f"with T.Kernel({blocks}, threads={count}, is_npu=True) as cid:"):
        tiles = _tiles(w, rows, columns, dtype, 3, "shared")
        _load(w, source, f"cid * {rows}, 0", tiles[0])
        ready = [tiles[0]]
        with w.inside(f"for i, j in T.Parallel({rows}, {columns}):"):
            w.line(f"{tiles[1].name}[i, j] = {element(w, ready, 'i, j')}")
        ready.append(tiles[1])
        # What only T.Parallel touches is a tile in L1 to upstream's compiler.
        w.line(f"T.tile.add({tiles[2].name}, {tiles[0].name}, {tiles[1].name})")
        ready.append(tiles[2])
        last = chain(w, ready, tiles, w.rng.randint(1, 3))
        w.line(f"T.copy({last.name}, {target}[cid * {rows}, 0])")


FAMILIES = (
    elementwise,
    parallel,
    reduction,
    tail,
    ping_pong,
    branches,
    nest,
    pipelined,
    threads,
)
