"""Small kernels for tests of what operations mean."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

import tl_ascend
from tl_ascend.ir.nodes import Kernel

HEAD = "import tilelang\nimport tilelang.language as T\n\n"


def kernel(
    body: str, params: str, blocks: str = "1", launch: str = "is_npu=True", options: str = ""
) -> Kernel:
    """A kernel of these statements. `options`: arguments of tilelang.jit."""
    inside = textwrap.indent(textwrap.dedent(body).strip(), " " * 12)
    names = "cid" if "threads" in launch else "(cid, vid)"
    text = (
        f"{HEAD}@tilelang.jit({options})\ndef factory():\n    @T.prim_func\n"
        f"    def main({params}):\n        with T.Kernel({blocks}, {launch}) as {names}:\n"
        f"{inside}\n    return main\n\n\nfactory()\n"
    )
    return tl_ascend.load("case.py", text=text)


def tensor(name: str, array: np.ndarray, dtype: str = "") -> str:
    """A parameter for an array."""
    return f'{name}: T.Tensor({array.shape}, "{dtype or array.dtype.name}")'


def on_tiles(call: str, out: Any, *inputs: Any, dtypes: dict[str, str] | None = None) -> np.ndarray:
    """What one call makes of tiles in the UB: `x0`, `x1` and so on hold the inputs, `o` the output,
    which is what comes back. `dtypes`: element types by name of the tile, where numpy has none."""
    named = {f"x{at}": np.asarray(a) for at, a in enumerate(inputs)} | {"o": np.array(out)}
    kinds = {name: (dtypes or {}).get(name, array.dtype.name) for name, array in named.items()}
    params = ", ".join(tensor(n.upper(), a, kinds[n]) for n, a in named.items())
    lines = [f'{n} = T.alloc_ub({a.shape}, "{kinds[n]}")' for n, a in named.items()]
    lines += [f"T.copy({n.upper()}, {n})" for n in named]
    lines += [*textwrap.dedent(call).strip().splitlines(), "T.copy(o, O)"]
    tl_ascend.evaluate(kernel("\n".join(lines), params), *named.values())
    return named["o"]


def draw(*shape: int, seed: int = 1, dtype: Any = np.float32, low: int = -4, high: int = 5) -> Any:
    """Small whole numbers, which every type holds exactly."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)
