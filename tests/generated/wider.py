"""Families that reach further: conversions, masks, scalars, views, macros, planning, both cores."""

from __future__ import annotations

from tests.generated.vectors import LAUNCH
from tests.generated.writer import ALL, BYTES, FLOATS, Writer, chain, constant, extents


def conversions(w: Writer) -> None:
    """There and back between element types."""
    w.pick_options()
    columns = 16 * w.rng.choice((1, 2, 4))
    rows = w.rng.choice((2, 8, 16))
    source = w.tensor((rows * 4, columns), "float16")
    target = w.tensor((rows * 4, columns), w.rng.choice(FLOATS))
    with w.inside(LAUNCH.format(2)):
        half, wide = w.tile(rows, columns, "float16"), w.tile(rows, columns, "float32")
        whole = w.tile(rows, columns, "int32")
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"):
            w.line(f"T.copy({source}[top, 0], {half.name})")
            w.sync()
            count = rows * columns
            w.line(f'T.tile.cast({wide.name}, {half.name}, "CAST_NONE", {count})')
            w.sync()
            chain(w, [wide], [wide], w.rng.randint(1, 3), exact=True)
            mode = w.rng.choice(("CAST_RINT", "CAST_FLOOR", "CAST_TRUNC"))
            w.line(f'T.tile.cast({whole.name}, {wide.name}, "{mode}", {count})')
            w.sync()
            chain(w, [whole], [whole], 1)
            w.line(f'T.tile.cast({wide.name}, {whole.name}, "CAST_RINT", {count})')
            w.sync()
            w.line(f"T.copy({wide.name}, {half.name})")
            w.sync()
            out = wide if '"float32"' in w.params[1] else half
            w.line(f"T.copy({out.name}, {target}[top, 0])")


def repeats(w: Writer) -> None:
    """T.Parallel with an operand that is the same for a row, or for a column."""
    w.pick_options()
    rows, columns = w.rng.choice((8, 16)), 8 * w.rng.choice((2, 8))
    source, target = (w.tensor((rows * 4, columns), "float32") for _ in range(2))
    with w.inside(LAUNCH.format(2)):
        x, y = (w.tile(rows, columns, "float32") for _ in range(2))
        line = w.name("v")
        by_row = w.rng.random() < 0.5
        w.line(f'{line} = T.alloc_ub(({rows if by_row else columns},), "float32")')
        w.line(f"top = (cid * 2 + vid) * {rows}")
        with w.scope("V"):
            w.line(f"T.copy({source}[top, 0], {x.name})")
            w.line(f"T.tile.fill({line}, {constant(w.rng, 'float32')})")
            w.sync()
            if by_row:
                w.line(f"T.reduce_sum({x.name}, {line}, dim=-1)")
                w.sync()
            with w.inside(f"for i, j in T.Parallel({rows}, {columns}):"):
                op = w.rng.choice("+-*/")
                w.line(f"{y.name}[i, j] = {x.name}[i, j] {op} {line}[{'i' if by_row else 'j'}]")
            w.sync()
            w.line(f"T.copy({y.name}, {target}[top, 0])")


def masks(w: Writer) -> None:
    """Comparisons and choices."""
    w.pick_options()
    dtype = w.rng.choice(FLOATS)
    rows, columns = 8, 256 // BYTES[dtype] * w.rng.choice((1, 2))
    source, target = (w.tensor((rows * 2, columns), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        a, b = (w.tile(rows, columns, dtype) for _ in range(2))
        bits = w.name("m")
        w.line(f'{bits} = T.alloc_ub(({rows * columns // 8},), "uint8")')
        w.line(f"top = vid * {rows}")
        with w.scope("V"):
            w.line(f"T.copy({source}[top, 0], {a.name})")
            w.sync()
            w.line(f"T.tile.mul({b.name}, {a.name}, {constant(w.rng, dtype)})")
            w.sync()
            mode = w.rng.choice(("GT", "LE", "LT", "GE"))
            other = w.rng.choice((b.name, constant(w.rng, dtype)))
            w.line(f'T.tile.compare({bits}, {a.name}, {other}, "{mode}")')
            w.sync()
            if w.rng.random() < 0.5:
                last = f'{b.name}, "VSEL_TENSOR_TENSOR_MODE"'
            else:
                last = f'{constant(w.rng, dtype)}, "VSEL_TENSOR_SCALAR_MODE"'
            w.line(f"T.tile.select({a.name}, {bits}, {a.name}, {last})")
            w.sync()
            w.line(f"T.copy({a.name}, {target}[top, 0])")


def scalars(w: Writer) -> None:
    """Variables, loops with a condition, single elements that are read and written."""
    w.pick_options(*ALL[:1])
    rows, columns = extents(w.rng, "int32")
    source, target = (w.tensor((rows * 2, columns), "int32") for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        a, b = (w.tile(rows, columns, "int32") for _ in range(2))
        left, found = w.name("n"), w.name("n")
        w.line(f'{left} = T.alloc_var("int32", init={w.rng.randint(2, 5)})')
        w.line(f'{found} = T.alloc_var("int32", init=0)')
        w.line(f"top = vid * {rows}")
        with w.scope("V"):
            w.line(f"T.copy({source}[top, 0], {a.name})")
            w.line(f"T.tile.fill({b.name}, 0)")
            with w.inside(f"while {left} > 0:"):
                w.line(f"{left} = {left} - 1")
                w.line(f"T.tile.add({b.name}, {b.name}, {a.name})")
                with w.inside(f"if {b.name}[0, {w.rng.randrange(columns)}] > 9:"):
                    w.line(f"{found} = {left}")
                    w.line("T.loop_break()")
            w.line(f"T.tile.add({b.name}, {b.name}, {a.name}[0, 1])")
            w.line(f"{b.name}[{rows - 1}, 0] = {found} + {a.name}[0, 0]")
            w.line(f"T.copy({b.name}, {target}[top, 0])")


def settling(w: Writer) -> None:
    """Tile by tile: repeat until an element is small; parts of the tile may come and go meanwhile."""
    w.pick_options(*ALL[:1])
    rows, columns = extents(w.rng, "float32")
    steps = w.rng.randint(1, 4)
    source, target = (w.tensor((rows * 2, columns * steps), "float32") for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        tile, other = (w.tile(rows, columns, "float32") for _ in range(2))
        w.line(f"top = vid * {rows}")
        with w.scope("V"):
            w.line(f"T.tile.fill({other.name}, 0)")
            with w.inside(f"for t in T.serial({steps}):"):
                place, one = f"top, t * {columns}", w.rng.randrange(columns)
                w.line(f"T.copy({source}[{place}], {tile.name})")
                if w.rng.random() < 0.4:
                    with w.inside(f"if {tile.name}[0, {one}] > {w.rng.randint(2, 9)}:"):
                        w.line("T.loop_break()")
                with w.inside(f"while {tile.name}[{rows - 1}, {one}] > 1:"):
                    w.line(f"T.tile.mul({tile.name}, {tile.name}, 0.5)")
                    if w.rng.random() < 0.4:
                        w.line(f"T.copy({source}[{place}], {other.name})")
                    if w.rng.random() < 0.4:
                        w.line(f"T.tile.add({other.name}, {other.name}, {tile.name})")
                w.line(f"T.copy({w.rng.choice((tile, other)).name}, {target}[{place}])")


def persistent(w: Writer) -> None:
    """A fixed number of blocks shares out the tiles."""
    w.pick_options()
    rows, columns = extents(w.rng, "float32")
    down, across = w.rng.randint(2, 5), w.rng.randint(2, 5)
    blocks = w.rng.randint(2, 4)  # never more than there are tiles
    source, target = (w.tensor((rows * down, columns * across), "float32") for _ in range(2))
    with w.inside(LAUNCH.format(blocks)):
        tiles = [w.tile(rows, columns, "float32") for _ in range(2)]
        with w.scope("V"), w.inside("if vid == 0:"):
            with w.inside(f"for i, j in T.Persistent([{down}, {across}], {blocks}, cid):"):
                place = f"i * {rows}, j * {columns}"
                w.line(f"T.copy({source}[{place}], {tiles[0].name})")
                w.sync()
                last = chain(w, [tiles[0]], tiles, w.rng.randint(1, 3))
                w.line(f"T.copy({last.name}, {target}[{place}])")
                w.sync()


def views(w: Writer) -> None:
    """Other shapes and element types for the same bytes."""
    w.pick_options()
    rows, columns = w.rng.choice((4, 8)), 8 * w.rng.choice((2, 4))
    source, target = (w.tensor((rows * 2, columns), "float32") for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        a = w.tile(rows, columns, "float32")
        flat, words = w.name("f"), w.name("f")
        w.line(f"{flat} = T.reshape({a.name}, [{rows * columns}])")
        w.line(f'{words} = T.view({a.name}, dtype="int32")')
        with w.scope("V"):
            w.line(f"T.copy({source}[vid * {rows}, 0], {a.name})")
            w.sync()
            for _ in range(w.rng.randint(1, 3)):
                op = w.rng.choice(
                    (
                        f"T.tile.bitwise_lshift({words}, {words}, 1)",
                        f"T.tile.mul({flat}, {flat}, 0.5)",
                        f"T.tile.abs({a.name}, {a.name})",
                    )
                )
                w.line(op)
                w.sync()
            w.line(f"T.copy({a.name}, {target}[vid * {rows}, 0])")


def planned(w: Writer) -> None:
    """More tiles than fit, but not at one time."""
    w.options = ALL[:2]
    rows, columns = w.rng.choice((32, 64)), w.rng.choice((128, 192))
    count = 196_352 // (rows * columns * 4) + w.rng.randint(1, 4)
    source, target = (w.tensor((rows * count * 2, columns), "float32") for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        tiles = [w.tile(rows, columns, "float32") for _ in range(count)]
        with w.scope("V"):
            w.line(f"top = vid * {rows * count}")
            w.line(f"T.copy({source}[top, 0], {tiles[0].name})")
            for at, tile in enumerate(tiles[1:], start=1):
                if w.rng.random() < 0.3:
                    w.line(f"T.copy({source}[top + {at * rows}, 0], {tile.name})")
                    w.line(f"T.tile.add({tile.name}, {tile.name}, {tiles[at - 1].name})")
                else:
                    w.line(f"T.tile.exp({tile.name}, {tiles[at - 1].name})")
            w.line(f"T.copy({tiles[-1].name}, {target}[top, 0])")


def attention(w: Writer) -> None:
    """Two products with vector work between them, all led and ordered by the compiler."""
    w.options = ALL
    side, length = w.rng.choice((32, 64)), w.rng.choice((32, 64))
    steps, half = w.rng.randint(2, 4), side // 2
    q = w.tensor((side * 2, 64), "float16")
    k, v = (w.tensor((length * steps, 64), "float16") for _ in range(2))
    out = w.tensor((side * 2, 64), "float32")
    loop = w.rng.choice((f"T.serial({steps})", f"T.Pipelined({steps}, num_stages=2)"))
    with w.inside(LAUNCH.format(2)):
        q1 = w.tile(side, 64, "float16", "L1").name
        k1, v1 = (w.tile(length, 64, "float16", "L1").name for _ in range(2))
        p1 = w.tile(side, length, "float16", "L1").name
        s0, o0 = (
            w.tile(side, length, "float32", "L0C").name,
            w.tile(side, 64, "float32", "L0C").name,
        )
        s, p = w.tile(half, length, "float32").name, w.tile(half, length, "float16").name
        o, total = (w.tile(half, 64, "float32").name for _ in range(2))
        w.line(f"T.copy({q}[cid * {side}, 0], {q1})")
        w.line(f"T.tile.fill({total}, 0.0)")
        with w.inside(f"for t in {loop}:"):
            w.line(f"T.copy({k}[t * {length}, 0], {k1})")
            w.line(f"T.gemm_v0({q1}, {k1}, {s0}, transpose_B=True, init=True)")
            w.line(f"T.copy({s0}[vid * {half}:vid * {half} + {half}, :], {s})")
            w.line(f"T.tile.{w.rng.choice(('exp', 'abs'))}({s}, {s})")
            w.line(f"T.copy({s}, {p})")
            w.line(f"T.copy({p}, {p1}[vid * {half}:vid * {half} + {half}, :])")
            w.line(f"T.copy({v}[t * {length}, 0], {v1})")
            w.line(f"T.gemm_v0({p1}, {v1}, {o0}, init=True)")
            w.line(f"T.copy({o0}[vid * {half}:vid * {half} + {half}, :], {o})")
            w.line(f"T.tile.add({total}, {total}, {o})")
        w.line(f"T.copy({total}, {out}[cid * {side} + vid * {half}, 0])")


def flat(w: Writer) -> None:
    """One dimension, parts of a tile, loops that Python or the compiler unrolls."""
    w.pick_options()
    dtype = w.rng.choice(("float32", "int32", "float16"))
    width = 32 // BYTES[dtype] * w.rng.choice((4, 8))
    parts = w.rng.randint(2, 4)
    source, target = (w.tensor((width * parts * 2,), dtype) for _ in range(2))
    with w.inside(LAUNCH.format(1)):
        a, b = w.name("t"), w.name("t")
        for name in (a, b):
            w.line(f'{name} = T.alloc_ub(({width * parts},), "{dtype}")')
        w.line(f"first = vid * {width * parts}")
        with w.scope("V"):
            w.line(f"T.copy({source}[first], {a})")
            w.sync()
            loop = w.rng.choice(("T.unroll", "T.serial", "range"))
            with w.inside(f"for part in {loop}({parts}):"):
                cut = f"part * {width}:(part + 1) * {width}"
                w.line(f"T.tile.add({b}[{cut}], {a}[{cut}], {constant(w.rng, dtype)})")
            w.sync()
            with w.inside(f"for i in T.Parallel({width * parts}):"):
                w.line(f"{b}[i] = {a}[i] {w.rng.choice('+-*')} {b}[i]")
            w.sync()
            w.line(f"T.copy({b}, {target}[first])")


FAMILIES = (
    conversions,
    repeats,
    masks,
    scalars,
    settling,
    persistent,
    views,
    planned,
    attention,
    flat,
)
