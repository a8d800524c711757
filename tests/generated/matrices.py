"""Families of kernels with matrix products, alone and together with the vector cores."""

from __future__ import annotations

from dataclasses import dataclass

from tests.generated.writer import ALL, Writer

SIDES = (16, 32, 64)


@dataclass(frozen=True)
class Product:
    """Sizes and tiles of C = A @ B. `whole`: the tiles divide the sizes."""

    m: int
    n: int
    k: int
    tile_m: int
    tile_n: int
    tile_k: int
    turned: bool

    @property
    def across(self) -> int:
        return -(-self.n // self.tile_n)

    @property
    def blocks(self) -> int:
        return -(-self.m // self.tile_m) * self.across

    @property
    def steps(self) -> int:
        return -(-self.k // self.tile_k)


def _product(w: Writer, whole: bool) -> Product:
    tiles = [w.rng.choice(SIDES) for _ in range(3)]
    sizes = [tile * w.rng.randint(1, 3) for tile in tiles]
    if not whole:
        sizes = [size + w.rng.randint(1, tile) for size, tile in zip(sizes, tiles, strict=True)]
    return Product(*sizes, *tiles, turned=w.rng.random() < 0.3)  # type: ignore[misc]


def _operands(w: Writer, p: Product, out: str) -> tuple[str, str, str]:
    a = w.tensor((p.m, p.k), "float16")
    b = w.tensor((p.n, p.k) if p.turned else (p.k, p.n), "float16")
    return a, b, w.tensor((p.m, p.n), out)


def _loads(w: Writer, p: Product, tensors: tuple[str, str], tiles: tuple[str, str]) -> None:
    (a, b), (left, right) = tensors, tiles
    corner = f"column, k * {p.tile_k}" if p.turned else f"k * {p.tile_k}, column"
    w.line(f"T.copy({a}[row, k * {p.tile_k}], {left})")
    w.line(f"T.copy({b}[{corner}], {right})")


def _place(w: Writer, p: Product) -> None:
    w.line(f"row = cid // {p.across} * {p.tile_m}")
    w.line(f"column = cid % {p.across} * {p.tile_n}")


def _turn(p: Product) -> str:
    return ", transpose_B=True" if p.turned else ""


def gemm(w: Writer) -> None:
    """A product in tiles, in whole ones or with rests."""
    w.pick_options()
    p = _product(w, whole=w.rng.random() < 0.5)
    out = w.rng.choice(("float32", "float16"))
    a, b, c = _operands(w, p, out)
    names = (
        ("shared", "shared", "fragment") if w.auto and w.rng.random() < 0.5 else ("L1", "L1", "L0C")
    )
    loop = f"T.serial({p.steps})"
    if w.auto and w.rng.random() < 0.4:
        loop = f"T.Pipelined({p.steps}, num_stages={w.rng.randint(1, 2)})"
    with w.inside(f"with T.Kernel({p.blocks}, is_npu=True) as (cid, vid):"):
        left = w.tile(p.tile_m, p.tile_k, "float16", names[0]).name
        shape = (p.tile_n, p.tile_k) if p.turned else (p.tile_k, p.tile_n)
        right = w.tile(*shape, "float16", names[1]).name
        total = w.tile(p.tile_m, p.tile_n, "float32", names[2]).name
        _place(w, p)
        with w.scope("C"):
            with w.inside(f"for k in {loop}:"):
                _loads(w, p, (a, b), (left, right))
                w.sync()
                w.line(f"T.gemm_v0({left}, {right}, {total}{_turn(p)}, init=(k == 0))")
                w.sync()
            w.line(f"T.copy({total}, {c}[row, column])")


def ping_pong_gemm(w: Writer) -> None:
    """Two slots in L1 with flags of their own."""
    p = _product(w, whole=True)
    a, b, c = _operands(w, p, "float16")
    with w.inside(f"with T.Kernel({p.blocks}, is_npu=True) as (cid, vid):"):
        left, right = w.name("s"), w.name("s")
        shape = (p.tile_n, p.tile_k) if p.turned else (p.tile_k, p.tile_n)
        w.line(f'{left} = T.alloc_L1((2, {p.tile_m}, {p.tile_k}), "float16")')
        w.line(f'{right} = T.alloc_L1((2, {shape[0]}, {shape[1]}), "float16")')
        total = w.tile(p.tile_m, p.tile_n, "float32", "L0C").name
        _place(w, p)
        with w.inside('with T.Scope("C"):'):
            w.line('T.set_flag("mte1", "mte2", 2)')
            w.line('T.set_flag("mte1", "mte2", 3)')
            tiles = (f"{left}[k % 2, :, :]", f"{right}[k % 2, :, :]")
            with w.inside(f"for k in T.serial({p.steps}):"):
                w.line('T.wait_flag("mte1", "mte2", 2 + k % 2)')
                _loads(w, p, (a, b), tiles)
                w.line('T.set_flag("mte2", "mte1", 2 + k % 2)')
                w.line('T.wait_flag("mte2", "mte1", 2 + k % 2)')
                w.line('T.pipe_barrier("m")')
                w.line(f"T.gemm_v0({tiles[0]}, {tiles[1]}, {total}{_turn(p)}, init=(k == 0))")
                w.line('T.set_flag("mte1", "mte2", 2 + k % 2)')
            w.line('T.wait_flag("mte1", "mte2", 2)')
            w.line('T.wait_flag("mte1", "mte2", 3)')
            w.line('T.set_flag("m", "fix", 2)')
            w.line('T.wait_flag("m", "fix", 2)')
            w.line(f"T.copy({total}, {c}[row, column])")


def through_workspace(w: Writer) -> None:
    """The vector cores work on what the cube core made; the compiler leads it through GM."""
    w.options = ALL
    p = _product(w, whole=True)
    a, b, c = _operands(w, p, "float32")
    half = p.tile_m // 2
    with w.inside(f"with T.Kernel({p.blocks}, is_npu=True) as (cid, vid):"):
        left = w.tile(p.tile_m, p.tile_k, "float16", "L1").name
        shape = (p.tile_n, p.tile_k) if p.turned else (p.tile_k, p.tile_n)
        right = w.tile(*shape, "float16", "L1").name
        total = w.tile(p.tile_m, p.tile_n, "float32", "L0C").name
        x = w.tile(half, p.tile_n, "float32").name
        _place(w, p)
        with w.inside(f"for k in T.serial({p.steps}):"):
            _loads(w, p, (a, b), (left, right))
            w.line(f"T.gemm_v0({left}, {right}, {total}{_turn(p)}, init=(k == 0))")
        w.line(f"T.copy({total}[vid * {half}:vid * {half} + {half}, :], {x})")
        for _ in range(w.rng.randint(1, 3)):
            w.line(f"T.tile.{w.rng.choice(('exp', 'abs', 'relu'))}({x}, {x})")
        w.line(f"T.copy({x}, {c}[row + vid * {half}, column])")


def by_hand(w: Writer) -> None:
    """The same with a workspace and flags between the cores that the author writes."""
    p = _product(w, whole=True)
    a, b, c = _operands(w, p, "float32")
    space = w.tensor((p.blocks, p.tile_m, p.tile_n), "float32")
    half, flag = p.tile_m // 2, w.rng.randint(0, 7)
    with w.inside(f"with T.Kernel({p.blocks}, is_npu=True) as (cid, vid):"):
        left = w.tile(p.tile_m, p.tile_k, "float16", "L1").name
        shape = (p.tile_n, p.tile_k) if p.turned else (p.tile_k, p.tile_n)
        right = w.tile(*shape, "float16", "L1").name
        total = w.tile(p.tile_m, p.tile_n, "float32", "L0C").name
        x = w.tile(half, p.tile_n, "float32").name
        _place(w, p)
        with w.inside('with T.Scope("C"):'):
            with w.inside(f"for k in T.serial({p.steps}):"):
                _loads(w, p, (a, b), (left, right))
                w.sync()
                w.line(f"T.gemm_v0({left}, {right}, {total}{_turn(p)}, init=(k == 0))")
                w.sync()
            w.line(f"T.copy({total}, {space}[cid, 0, 0])")
            w.line(f'T.set_cross_flag("FIX", {flag})')
        with w.inside('with T.Scope("V"):'):
            w.line(f"T.wait_cross_flag({flag})")
            w.line(f"T.copy({space}[cid, vid * {half}, 0], {x})")
            w.sync()
            w.line(f"T.tile.{w.rng.choice(('exp', 'abs', 'relu'))}({x}, {x})")
            w.sync()
            w.line(f"T.copy({x}, {c}[row + vid * {half}, column])")


FAMILIES = (gemm, ping_pong_gemm, through_workspace, by_hand)
