"""threads=2: the programs of the two vector cores together give what the kernel gives."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import Twin, the_twin

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

HEAD = """\
import tilelang.language as T

CONFIGS = {
    "tl.ascend_auto_sync": True,
    "tl.ascend_memory_planning": True,
    "tl.ascend_auto_cv_combine": True,
}


def make():
    import tilelang

    @T.prim_func
    def main(
        A: T.Tensor((16, 16), "float32"),
        C: T.Tensor((16,), "float32"),
        O: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            a = T.alloc_shared((16, 16), "float32")
            b = T.alloc_shared((16, 16), "float32")
            c = T.alloc_shared((16,), "float32")
            d = T.alloc_shared((64,), "float32")
            one = T.alloc_shared((1, 16), "float32")
            odd = T.alloc_shared((15, 16), "float32")
            T.copy(A, a)
            T.copy(C, c)
"""
TAIL = "\n    return tilelang.compile(main, out_idx=[2], pass_configs=CONFIGS)\n\n\nmake()\n"
PARALLEL = "for i, j in T.Parallel(16, 16):\n    "
ROWS = "for i in T.serial(16):\n    "
STORE = "\nT.copy(a, O)"

BODIES = {
    "values of a row": f"{PARALLEL}a[i, j] = a[i, j] * c[i]{STORE}",
    "values of a column": f"{PARALLEL}a[i, j] = a[i, j] + c[j]{STORE}",
    "values of both": f"{PARALLEL}a[i, j] = a[i, j] * c[j] + c[i]{STORE}",
    "columns outside": f"for j, i in T.Parallel(16, 16):\n    a[i, j] = a[i, j] + c[j]{STORE}",
    "a row of columns": f"{ROWS}T.tile.mul(a[i, :], a[i, :], c){STORE}",
    "down the columns": "T.reduce_sum(a, c, dim=0)\nT.copy(c, O[0, 0:16])",
    "columns and back": f"T.reduce_max(a, one, dim=0)\nT.tile.broadcast(b, one)\n"
    f"T.tile.sub(a, a, b){STORE}",
    "rows into one": f"{ROWS}T.tile.add(c, c, a[i, :])\nT.copy(c, O[0, 0:16])",
    "other rows": f"{PARALLEL}b[i, j] = a[j, i] + 1.0\nT.copy(b, O)",
    "into a whole tile": f"{PARALLEL}b[i, j] = a[15 - i, j]\n"
    f"{PARALLEL}a[i, j] = b[i, j] * 2.0{STORE}",
    "calls on rows of a whole tile": f"{PARALLEL}b[i, j] = a[15 - i, j]\n"
    f"{ROWS}T.tile.exp(a[i, :], b[i, :])\nT.copy(a, O[0:16, 0:16])",
    "transposed": "T.tile.transpose(b, a)\nT.copy(b, O)",
    "a sequence": "T.tile.createvecindex(c, 0)\nT.copy(c, O[0, 0:16])",
    "a part of the rows": f"for i in T.serial(8):\n    T.tile.add(a[i, :], a[i, :], 1.0){STORE}",
    "counted rows": f'{ROWS}T.tile.cast(b[i, :], a[i, :], "CAST_RINT", 16)\nT.copy(b, O)',
    "whole in a loop over rows": f"{ROWS}T.tile.add(c, c, 1.0)\n"
    f"    T.tile.add(a[i, :], a[i, :], 1.0)\n{PARALLEL}a[i, j] = a[i, j] + c[j]{STORE}",
    "a row at a time": f"{ROWS}T.copy(a[i, :], c)\n    T.tile.mul(c, c, 3.0)\n"
    "    T.copy(c, O[15 - i, :])",
    "rows in one place": f"{ROWS}T.copy(a[i, :], O[i % 4, :])",
    "added at once": "T.tile.atomic_add(O, a)",
    "added row by row": f"{ROWS}T.tile.atomic_add(O[0, 0:16], a[i, :])",
    "odd rows": "T.copy(A[0:15, 0:16], odd)\nT.tile.add(odd, odd, 1.0)\nT.copy(odd, O[0:15, 0:16])",
    "sorted": "T.tile.sort(d, c, 16)\nT.copy(d[0:16], O[0, 0:16])",
}

REFUSED = {
    "added twice": "T.tile.atomic_add(O[0:1, 0:16], one)",
    "read by the other core": f"{ROWS}T.copy(a[15 - i, :], O[i, :])\nT.copy(O, a){STORE}",
}


@pytest.fixture(scope="module")
def twin() -> Twin:
    return the_twin()


def written(folder: Path, name: str, body: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(HEAD + indent(body, " " * 12) + "\n" + TAIL)
    return str(path)


def test_both_cores_give_what_the_kernel_gives(tmp_path: Path, twin: Twin) -> None:
    """All bodies at once: most of what a program costs is what it shares with others."""
    paths = [written(tmp_path, name, body) for name, body in BODIES.items()]
    kernels = list(ascendc.of_files(paths))
    outcomes = [outcome.text for _, _, outcome in ascendc.proved_all(twin, kernels, 2)]
    assert dict(zip(BODIES, outcomes, strict=True)) == dict.fromkeys(BODIES, "agrees")


@pytest.mark.parametrize("name", REFUSED)
def test_cores_that_meet_in_a_tensor_are_refused_there(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "k", REFUSED[name])
    ((_, report),) = ascendc.of_files([path])
    (finding,) = [f for f in report.findings if f.name == "not-lowered"]
    assert report.kernel is not None and report.kernel.launch is not None
    assert finding.span != report.kernel.launch.span
