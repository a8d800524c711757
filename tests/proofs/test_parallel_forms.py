"""The forms that `T.Parallel` takes in real kernels: their programs give what the kernels give, also
where tiles for intermediate results do not fit."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import Twin, the_twin

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

SEEDS = 4
TOGETHER = 12  # forms in one kernel
SCARCE = 5000  # bytes: room for some rows

HEAD = """\
import tilelang.language as T

CONFIGS = {{"tl.ascend_auto_sync": True, "tl.ascend_auto_cv_combine": True}}


def make():
    import tilelang

    @T.prim_func
    def main(
        A: T.Tensor((32, 64), "float32"),
        B: T.Tensor((32, 64), "float32"),
        H: T.Tensor((32, 64), "float16"),
        I: T.Tensor((32, 64), "int32"),
        S: T.Tensor((32, 64), "int16"),
        R: T.Tensor((64,), "float32"),
        Q: T.Tensor((32,), "float32"),
        W: T.Tensor((32, 128), "float32"),
        O: T.Tensor(({count}, 32, 64), "{kind}"),
    ):
        with T.Kernel(1, threads={threads}, is_npu=True) as cid:
            a = T.alloc_shared((32, 64), "float32")
            b = T.alloc_shared((32, 64), "float32")
            c = T.alloc_shared((32, 64), "float32")
            h = T.alloc_shared((32, 64), "float16")
            k = T.alloc_shared((32, 64), "int32")
            s = T.alloc_shared((32, 64), "int16")
            r = T.alloc_shared((64,), "float32")
            q = T.alloc_shared((32,), "float32")
            w = T.alloc_shared((32, 128), "float32")
            T.copy(R, r)
            T.copy(Q, q)
            T.copy(W, w)
"""
BEFORE = "T.copy(A, a)\nT.copy(B, b)\nT.copy(B, c)\nT.copy(H, h)\nT.copy(I, k)\nT.copy(S, s)\n"
TAIL = "\n    return tilelang.compile(main, out_idx=[8], pass_configs=CONFIGS)\n\n\nmake()\n"
TILES = 3 * 8192 + 4096 + 8192 + 4096 + 256 + 128 + 16384  # bytes of those above
ROOM = 192 * 1024 - 256

EACH = "for i, j in T.Parallel(32, 64):\n    "
SOME = "for i, j in T.Parallel(32, 32):\n    "
FLOATS = {
    "ifs in ifs": f"{EACH}if a[i, j] > 0.0:\n        if b[i, j] > 1.0:\n"
    "            c[i, j] = a[i, j] * 2.0\n"
    "        else:\n            c[i, j] = b[i, j]\n    else:\n        c[i, j] = -a[i, j]",
    "largest of two types": f"{EACH}c[i, j] = T.max(a[i, j], T.cast(k[i, j], 'float32'))",
    "three types": f"{EACH}c[i, j] = a[i, j] * k[i, j] + s[i, j] + h[i, j] * 2",
    "sigmoid": f"{EACH}c[i, j] = T.exp(-T.abs(a[i, j])) / (1.0 + T.exp(-T.abs(a[i, j])))",
    "softplus": f"{EACH}c[i, j] = T.log(1.0 + T.exp(T.min(a[i, j], 3.0)))",
    "norm": f"{EACH}c[i, j] = a[i, j] * T.rsqrt(a[i, j] * a[i, j] + 1e-5)",
    "root": f"{EACH}c[i, j] = a[i, j] / (T.sqrt(T.abs(b[i, j])) + 1.0)",
    "gelu": f"{EACH}c[i, j] = 0.5 * a[i, j] * (1.0 + T.tanh(0.8 * (a[i, j] + 0.04 * a[i, j] ** 3)))",
    "rows and columns": f"{EACH}c[i, j] = (a[i, j] - q[i]) * r[j] + q[i]",
    "a column on the left": f"{EACH}c[i, j] = q[i] - a[i, j] / (q[i] + 10.0)",
    "columns backwards": f"{EACH}c[i, j] = a[i, 63 - j] + b[i, j]",
    "rows backwards": f"{EACH}c[i, j] = a[31 - i, j] + b[i, j]",
    "every second": f"{EACH}c[i, j] = w[i, 2 * j + 1] - w[i, 2 * j]",
    "into every second": f"{SOME}c[i, 2 * j] = a[i, j]\n    c[i, 2 * j + 1] = -a[i, j + 32]",
    "halves turned": f"{SOME}c[i, j] = a[i, j] * r[j] - a[i, j + 32] * r[j + 32]\n"
    "    c[i, j + 32] = a[i, j] * r[j + 32] + a[i, j + 32] * r[j]",
    "neighbours turned": f"{SOME}c[i, 2 * j] = a[i, 2 * j] * r[j] - a[i, 2 * j + 1] * r[j + 32]\n"
    "    c[i, 2 * j + 1] = a[i, 2 * j] * r[j + 32] + a[i, 2 * j + 1] * r[j]",
    "three loops": "for x, i, j in T.Parallel(4, 8, 64):\n"
    "    c[x * 8 + i, j] = a[x * 8 + i, j] * 2.0 + b[x * 8 + i, j]",
    "a part": "for i, j in T.Parallel(29, 61):\n    c[i, j] = a[i, j] + b[i, j]",
    "a part of a choice": "for i, j in T.Parallel(31, 37):\n"
    "    c[i, j] = T.if_then_else(a[i, j] > b[i, j], a[i, j], 0.0)",
    "from row 16": "for i, j in T.Parallel(16, 64):\n    c[i + 16, j] = a[i, j] + 2.0 / b[i + 16, j]",
    "causal": f"{EACH}c[i, j] = T.if_then_else(j <= i + 3, a[i, j], -1e30)",
    "causal branch": f"{EACH}if j > i:\n        c[i, j] = -1e30\n"
    "    else:\n        c[i, j] = a[i, j] * 0.125",
    "columns that are there": f"{EACH}c[i, j] = T.if_then_else(j < 50, a[i, j], 0.0)",
    "by remainder": f"{EACH}c[i, j] = T.if_then_else(j % 2 == 0, a[i, j], -a[i, j])",
    "names": f"{EACH}d = a[i, j] - q[i]\n    e = d * d\n    c[i, j] = e + d * r[j]",
    "exchanged": f"{EACH}t = a[i, j]\n    a[i, j] = b[i, j]\n    b[i, j] = t\n"
    "    c[i, j] = a[i, j] - b[i, j]",
    "transposed": f"{SOME}c[i, j] = a[j, i] + 1.0",
    "both conditions": f"{EACH}c[i, j] = T.if_then_else("
    "T.And(a[i, j] > 0.0, T.Or(b[i, j] < 0.0, a[i, j] > 1.0)), 1.0, 0.0)",
    "choice in a choice": f"{EACH}c[i, j] = T.if_then_else(a[i, j] > 1.0, 1.0, "
    "T.if_then_else(a[i, j] < -1.0, -1.0, a[i, j]))",
    "a comparison as a number": f"{EACH}c[i, j] = T.cast(a[i, j] > 0.0, 'float32') * b[i, j]",
    "twice each": f"{EACH}c[i, j] = a[i, j // 2] + r[j // 4]",
    "one further": "for i, j in T.Parallel(32, 60):\n    c[i, j] = a[i, j + 1] - b[i, j + 3]",
    "one element for all": f"{EACH}c[i, j] = a[i, j] * b[0, 0] + r[3]",
    "numbers": f"{EACH}c[i, j] = T.cast(i * 64 + j, 'float32')",
    "a branch by rows": f"{EACH}if q[i] > 0.0:\n        c[i, j] = a[i, j]\n"
    "    else:\n        c[i, j] = b[i, j] * q[i]",
    "floor and ceil": f"{EACH}c[i, j] = T.floor(a[i, j]) + T.ceil(b[i, j])",
    "in turns": "for x in T.serial(4):\n    for i, j in T.Parallel(32, 64):\n"
    "        c[i, j] += T.cast(h[i, j], 'float32') * (x + 1)",
    "a loop inside": "for i in T.Parallel(32):\n    for j in T.serial(64):\n"
    "        c[i, j] = a[i, j] + 1.0",
    "from a tensor": f"{EACH}c[i, j] = 2.0 - A[i, j]",
}
HALVES = {
    "a choice of halves": f"{EACH}h[i, j] = T.if_then_else(a[i, j] > b[i, j], "
    "T.cast(a[i, j], 'float16'), h[i, j])",
    "rounded": f"{EACH}h[i, j] = T.cast("
    "T.min(T.max(T.round(a[i, j] * 16.0), -128.0), 127.0), 'float16')",
    "swish": f"{EACH}h[i, j] = T.cast(T.cast(h[i, j], 'float32') / (1.0 + T.exp("
    "-T.cast(h[i, j], 'float32'))) * a[i, j], 'float16')",
}
WORDS = {
    "clamped": f"{EACH}k[i, j] = T.max(T.min(k[i, j], 100), -7)",
    "without sign": f"{EACH}k[i, j] = T.abs(k[i, j] - 3)",
    "shifted": f"{EACH}k[i, j] = ((k[i, j] << 2) >> 1) // 4",
    "without fraction": f"{EACH}k[i, j] = T.cast(a[i, j], 'int32') + i * 3 + j",
    "chosen words": f"{EACH}k[i, j] = T.if_then_else(k[i, j] > 0, k[i, j], -k[i, j])",
}
SHORTS = {
    "some bits": f"{EACH}s[i, j] = (s[i, j] & 255) | (s[i, j] << 8)",
    "bits of a number": f"{EACH}s[i, j] = 15 & (T.abs(s[i, j]) + 1)",
}
KINDS = {
    "c": ("float32", FLOATS),
    "h": ("float16", HALVES),
    "k": ("int32", WORDS),
    "s": ("int16", SHORTS),
}


def kernels(threads: int, left: int | None) -> dict[str, str]:
    """All forms, some in a kernel. `left`: bytes of the UB that other tiles leave."""
    made = {}
    crowd = ""
    if left is not None:
        size = (ROOM - TILES - left) // 32 * 8
        crowd = f"big = T.alloc_shared(({size},), 'float32')\nT.tile.fill(big, 0.0)\n"
    for tile, (kind, forms) in KINDS.items():
        names = list(forms)
        for first in range(0, len(names), TOGETHER):
            chosen = names[first : first + TOGETHER]
            parts = [
                f"{BEFORE}{forms[name]}\nT.copy({tile}, O[{at}, 0:32, 0:64])\n"
                for at, name in enumerate(chosen)
            ]
            head = HEAD.format(count=len(chosen), kind=kind, threads=threads)
            made[", ".join(chosen)] = head + indent(crowd + "".join(parts), " " * 12) + TAIL
    return made


def outcomes(made: dict[str, str], folder: Path, twin: Twin) -> dict[str, str]:
    proofs = []
    for number, (name, text) in enumerate(made.items()):
        path = folder / f"case{number}.py"
        path.write_text(text, encoding="utf-8")
        ((_, report),) = ascendc.of_files([str(path)])
        proofs.append((name, report))
    return {name: o.text for name, _, o in ascendc.proved_all(twin, proofs, SEEDS)}


@pytest.mark.parametrize(("threads", "left"), [(1, None), (2, None), (1, SCARCE)])
def test_programs_of_parallel_loops_agree(threads: int, left: int | None, tmp_path: Path) -> None:
    found = outcomes(kernels(threads, left), tmp_path, the_twin())
    assert set(found.values()) == {"agrees"}, found
