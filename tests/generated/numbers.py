"""T.Parallel loops from seeds, with what numpy makes of the same text.

Index by index, `a[i, j]` means the same to numpy when i and j are arrays of all indices, so the text
of an expression is its own reference. Values are small whole numbers: every result is exact.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np

ROWS, COLUMNS = 8, 32
HEAD = """\
import tilelang
import tilelang.language as T


@tilelang.jit(pass_configs={{"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True}})
def factory():
    @T.prim_func
    def kernel(
        {params},
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
"""
SHAPES = {
    "a": (ROWS, COLUMNS),
    "b": (ROWS, COLUMNS),
    "turned": (COLUMNS, ROWS),
    "wide": (ROWS, 2 * COLUMNS),
    "column": (ROWS,),
    "row": (COLUMNS,),
    "c": (ROWS, COLUMNS),
}
T = SimpleNamespace(if_then_else=np.where, max=np.maximum, min=np.minimum)


@dataclass
class Loop:
    """One kernel. `lines`: the body of its loop; `values`: what the tensors hold."""

    seed: int
    dtype: str
    values: dict[str, np.ndarray]
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The file."""
        tensors = {**{name.upper(): shape for name, shape in SHAPES.items()}, "OUT": SHAPES["c"]}
        params = ",\n        ".join(
            f'{name}: T.Tensor({shape}, "{self.dtype}")' for name, shape in tensors.items()
        )
        body = [f'{n} = T.alloc_ub({shape}, "{self.dtype}")' for n, shape in SHAPES.items()]
        body += [f"T.copy({name.upper()}, {name})" for name in SHAPES]
        body += [f"for i, j in T.Parallel({ROWS}, {COLUMNS}):"]
        body += ["    " + line for line in self.lines]
        body += ["T.copy(c, OUT)"]  # both vector cores do all: C itself must stay as it is
        inside = "\n".join(" " * 12 + line for line in body)
        return HEAD.format(params=params) + inside + "\n\n    return kernel\n\n\nfactory()\n"


def loop(seed: int) -> tuple[Loop, np.ndarray]:
    """The kernel of a seed, and what its last tensor must hold."""
    rng = random.Random(seed)
    dtype = rng.choice(("float32", "float32", "int32"))
    draw = np.random.default_rng(seed)
    values = {name: draw.integers(-4, 5, shape) for name, shape in SHAPES.items()}
    made = Loop(seed, dtype, {name: value.astype(dtype) for name, value in values.items()})
    for _ in range(rng.randint(1, 2)):
        _statement(rng, made, values)
    return made, values["c"].astype(dtype)


def _statement(rng: random.Random, made: Loop, values: dict[str, np.ndarray]) -> None:
    """A store, perhaps in a branch; `values` change as they will on the device."""
    first, condition = _value(rng, made.dtype), _condition(rng, made.dtype)
    shape = rng.choice(("plain", "plain", "if", "else"))
    if shape == "plain":
        made.lines.append(f"c[i, j] = {first}")
        values["c"] = np.broadcast_to(_of(first, values), (ROWS, COLUMNS)).copy()
        return
    made.lines += [f"if {condition}:", f"    c[i, j] = {first}"]
    second = "c[i, j]"
    if shape == "else":
        second = _value(rng, made.dtype)
        made.lines += ["else:", f"    c[i, j] = {second}"]
    chosen = np.where(_of(condition, values), _of(first, values), _of(second, values))
    values["c"] = np.broadcast_to(chosen, (ROWS, COLUMNS)).copy()


def _of(text: str, values: dict[str, np.ndarray]) -> Any:
    i, j = np.indices((ROWS, COLUMNS))
    return eval(text, {**values, "T": T, "i": i, "j": j})


def _condition(rng: random.Random, dtype: str) -> str:
    op = rng.choice(("<", "<=", ">", ">=", "==", "!="))
    if rng.random() < 0.3:
        return f"j + {rng.randint(0, 9)} {op} 3 * i"
    return f"{_value(rng, dtype, 1, tiles=True)} {op} {_value(rng, dtype, 1)}"


def _value(rng: random.Random, dtype: str, depth: int = 2, tiles: bool = False) -> str:
    if depth == 0 or rng.random() < 0.15:
        return _leaf(rng, dtype, tiles)
    shape = rng.random()
    left = _value(rng, dtype, depth - 1, tiles)
    right = _value(rng, dtype, depth - 1)
    if shape < 0.15:
        return f"T.if_then_else({_condition(rng, dtype)}, {left}, {right})"
    if shape < 0.3:
        return f"T.{rng.choice(('max', 'min'))}({left}, {right})"
    if shape < 0.4:
        return f"({_number(rng, dtype)} - {left})"
    return f"({left} {rng.choice('+-*')} {right})"


def _leaf(rng: random.Random, dtype: str, tiles: bool) -> str:
    reads = ["a[i, j]", "b[i, j]", "c[i, j]", "a[i, j]", "b[i, j]"]
    reads += ["turned[j, i]", "wide[i, 2 * j + 1]", "wide[i, j + 8]"]
    if not tiles:
        reads.append(_number(rng, dtype))
        if dtype == "float32":  # the hardware repeats no int32
            reads += ["column[i]", "row[j]"]
    return rng.choice(reads)


def _number(rng: random.Random, dtype: str) -> str:
    number = rng.randint(-3, 3)
    text = f"{number}.0" if dtype == "float32" else str(number)
    return f"({text})" if number < 0 else text
