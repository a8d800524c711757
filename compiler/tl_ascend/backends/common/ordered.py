"""Products whose operands the program orders itself.

Upstream's templates of `gemm_v0` wait for all copies before them and hold up all behind them, also
those of other operands. Where the compiler sets the flags of a kernel it orders what a product touches,
and ours leave that out: they define the word below as one more template argument. In a program that is
compiled against upstream's it is nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tl_ascend.ir.nodes import AUTO_SYNC, Kernel

WORD = "TL_ORDERED"


def argument(kernel: Kernel) -> str:
    """What stands behind the template arguments of a product."""
    return f" {WORD}" if kernel.options.on(AUTO_SYNC) else ""


def preamble(lines: Iterable[str]) -> Iterator[str]:
    """What a program with such products needs before it."""
    if any(f" {WORD}>" in line for line in lines):
        yield from (f"#ifndef {WORD}", f"#define {WORD}", "#endif", "")
