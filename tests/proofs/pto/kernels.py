"""The kernels that are proved: our examples at small sizes, those of tests/emit, generated ones, and
upstream's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.emit import support
from tests.generated.examine import case, checked
from tests.proofs import common, shrink

from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
# The simulator takes its time: a multiplication is some ten nanoseconds there.
SMALL = {
    "vector_add": "rows=64, columns=128, tile_rows=8",
    "gemm": "M=64, N=128, K=128, block_M=32, block_N=64, block_K=32",
    "gemm_pingpong": "M=64, N=128, K=128, block_M=32, block_N=64, block_K=32",
    "online_softmax": "rows=32, columns=256, tile_rows=8, tile_columns=64",
    "swish": "rows=32, columns=128, tile_rows=8",
    "flash_attention": "heads=2, length=128, width=64, block_Q=64, block_K=64",
}
# Both vector cores write the same part of a tensor.
RACES = {"swizzled"}


def stated(text: str, factory: str, arguments: str) -> str:
    """The text of a file with a stated instance above a factory."""
    start = text.rindex("\n@", 0, text.index(f"\ndef {factory}(")) + 1
    return f"{text[:start]}# tl: instance {arguments}\n{text[start:]}"


def reports(path: str, text: str | None = None) -> list[KernelReport]:
    """The kernels of a file that could be checked."""
    files = Files()
    files.set_text(path, text)
    found = Checker(files).check(path, CheckOptions(upstream="none")).kernels
    return [kernel for kernel in found if kernel.status == "checked"]


def examples() -> Iterator[tuple[str, KernelReport]]:
    """Each factory of `examples/` at the size above."""
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for factory, arguments in SMALL.items():
            if f"def {factory}(" not in text:
                continue
            found = reports(str(path), stated(text, factory, arguments))
            mine = [k for k in found if k.factory == factory and k.origin == "stated"]
            assert mine, f"{path.name}: no instance of {factory}"
            yield f"examples/{path.name}", mine[0]


def emitted() -> Iterator[tuple[str, KernelReport]]:
    """Those of tests/emit: together they hold every operation."""
    for path in (*support.PTO_KERNELS, *support.KERNELS):
        if path.stem in RACES:
            continue
        for kernel in reports(str(path))[:1]:
            yield f"tests/emit/{path.parent.name}/{path.name}", kernel


def generated(count: int, seed: int = 0) -> Iterator[tuple[str, KernelReport]]:
    """Kernels from seeds."""
    for number in range(seed, seed + count):
        made = case(number)
        for kernel in checked(made).kernels[:1]:
            yield f"seed {number} ({made.family})", kernel


def upstream(checkout: Path, match: str = "") -> Iterator[tuple[str, KernelReport]]:
    """A small instance of each kernel of a checkout."""
    os.chdir(checkout)
    yield from of_files(common.corpus_paths(match.partition(" ")[0]))


def of_files(paths: Iterable[str]) -> Iterator[tuple[str, KernelReport]]:
    """A small instance of each kernel of some files."""
    for path in paths:
        for kernel in shrink.instances(path):
            yield f"{path} {kernel.factory or kernel.name}", kernel
