"""What the families of kernels share: text with indentation, tiles, expressions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

FLOATS, INTS = ("float32", "float16"), ("int32", "int16")
BYTES = {"float32": 4, "int32": 4, "float16": 2, "int16": 2}
BINARY = {
    "float": ("add", "sub", "mul", "div", "max", "min"),
    "int": ("add", "sub", "mul", "max", "min"),
}
UNARY = ("exp", "abs", "sqrt", "relu", "ln", "reciprocal", "rsqrt")
EXACT = ("add", "sub", "mul", "max", "min", "abs", "relu")  # the same bits wherever it is computed
ALL = (
    "TL_ASCEND_AUTO_SYNC",
    "TL_ASCEND_MEMORY_PLANNING",
    "TL_ASCEND_AUTO_CV_COMBINE",
    "TL_ASCEND_AUTO_CV_SYNC",
)


@dataclass(frozen=True)
class Tile:
    """A tile on chip."""

    name: str
    rows: int
    columns: int
    dtype: str


@dataclass
class Writer:
    """The text of one kernel. `options`: pass configs that are on."""

    rng: random.Random
    options: tuple[str, ...] = ()
    params: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    depth: int = 0
    count: int = 0

    @property
    def auto(self) -> bool:
        """True where the compiler inserts the synchronisation within a core."""
        return "TL_ASCEND_AUTO_SYNC" in self.options

    def line(self, text: str) -> None:
        self.body.append("    " * self.depth + text)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """A nested block."""
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    @contextmanager
    def scope(self, core: str) -> Iterator[None]:
        """`T.Scope`, which kernels of the developer style leave out."""
        if "TL_ASCEND_AUTO_CV_COMBINE" in self.options:
            yield
        else:
            with self.inside(f'with T.Scope("{core}"):'):
                yield

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def tensor(self, shape: Sequence[int], dtype: str) -> str:
        """A parameter."""
        name = self.name("G")
        self.params.append(f'{name}: T.Tensor({tuple(shape)}, "{dtype}")')
        return name

    def tile(self, rows: int, columns: int, dtype: str, how: str = "ub") -> Tile:
        """A tile; `how` as in `T.alloc_<how>`."""
        name = self.name("t")
        self.line(f'{name} = T.alloc_{how}(({rows}, {columns}), "{dtype}")')
        return Tile(name, rows, columns, dtype)

    def sync(self) -> None:
        """Where the author synchronises, everything before comes before everything after."""
        if not self.auto:
            self.line("T.barrier_all()")

    def pick_options(self, *always: str) -> None:
        """The styles: all by hand, synchronisation by the compiler, or with planning as well."""
        some = self.rng.choice(((), ALL[:1], ALL[:2]))
        self.options = (*always, *(o for o in some if o not in always))

    def text(self, family: str, seed: int) -> str:
        """The file."""
        keys = "".join(f"tilelang.PassConfigKey.{key}: True, " for key in self.options)
        inside = "\n".join("        " + line for line in self.body)
        params = ",\n        ".join(self.params)
        return f"""\
# family {family}, seed {seed}
import tilelang
import tilelang.language as T


@tilelang.jit(pass_configs={{{keys}}})
def factory():
    @T.prim_func
    def kernel(
        {params},
    ):
{inside}

    return kernel


factory()
"""


def kind(dtype: str) -> str:
    return "float" if dtype.startswith("float") else "int"


def constant(rng: random.Random, dtype: str) -> str:
    """A scalar that no rule minds."""
    number = rng.randint(1, 7)
    return f"{number}.5" if kind(dtype) == "float" else str(number)


def chain(
    w: Writer, ready: list[Tile], tiles: Sequence[Tile], steps: int, exact: bool = False
) -> Tile:
    """Tile operations, each on tiles that hold something; the tile of the last one. `exact`: only such
    whose result may be cut to a whole number, where a last digit that differs would be a whole one."""
    last = ready[-1]
    for _ in range(steps):
        target, source = w.rng.choice(tiles), w.rng.choice(ready)
        if kind(target.dtype) == "float" and w.rng.random() < 0.4:
            names = [name for name in UNARY if not exact or name in EXACT]
            w.line(f"T.tile.{w.rng.choice(names)}({target.name}, {source.name})")
        else:
            names = BINARY[kind(target.dtype)]
            op = w.rng.choice([name for name in names if not exact or name in EXACT])
            other = w.rng.choice((w.rng.choice(ready).name, constant(w.rng, target.dtype)))
            w.line(f"T.tile.{op}({target.name}, {source.name}, {other})")
        w.sync()
        if target not in ready:
            ready.append(target)
        last = target
    return last


def element(w: Writer, ready: Sequence[Tile], index: str, depth: int = 2) -> str:
    """An expression over one element of each tile."""
    if depth == 0 or w.rng.random() < 0.2:
        return f"{w.rng.choice(ready).name}[{index}]"
    inner = element(w, ready, index, depth - 1)
    dtype = ready[0].dtype
    if kind(dtype) == "float" and w.rng.random() < 0.3:
        return f"T.{w.rng.choice(('exp', 'abs', 'sqrt'))}({inner})"
    if w.rng.random() < 0.5:
        other = constant(w.rng, dtype)
    else:
        other = element(w, ready, index, depth - 1)
    if other == inner:  # what folds to a constant is another matter
        other = constant(w.rng, dtype)
    if w.rng.random() < 0.3:
        return f"T.{w.rng.choice(('max', 'min'))}({inner}, {other})"
    return f"({inner} {w.rng.choice('+-*')} {other})"


def extents(rng: random.Random, dtype: str) -> tuple[int, int]:
    """Rows and columns of a tile: whole blocks of 32 bytes a row, at most 8 KiB of float32."""
    width = 32 // BYTES[dtype]
    return rng.choice((2, 4, 8, 16)), width * rng.choice((1, 2, 4, 8))
