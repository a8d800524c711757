"""Tiles and a parallel nest over them, for the tests of its vector code."""

from __future__ import annotations

import re
from typing import Any

from tests.passes.kernels import lowered

from tl_ascend.diagnostics.report import Finding
from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Buffer
from tl_ascend.ir.text import kernel_text

SYNC = re.compile(r"\b(pipe_barrier|barrier_all|set_flag|wait_flag)\(")


class Loop:
    """Tiles a, b, c [32, 64], row [64], column [32] in the UB and a tensor C, before a loop."""

    def __init__(self, kind: str = "float32") -> None:
        self.b = KernelBuilder()
        self.gm = self.b.tensor("C", (256, 256), kind)
        self.cid, self.vid = self.b.launch(16)
        self.a, self.x, self.c = (self.tile(n, (32, 64), kind) for n in ("a", "b", "c"))
        self.row, self.column = self.tile("row", (64,), kind), self.tile("column", (32,), kind)

    def tile(self, name: str, shape: tuple[int, ...], kind: str = "float32") -> Buffer:
        return self.b.alloc(name, shape, kind, "UB")

    def over(
        self,
        body: Any,
        extents: tuple[Any, ...] = (32, 64),
        planning: bool = False,
        **options: Any,
    ) -> tuple[str, list[Finding]]:
        """Lower `body(i, j)` in a parallel nest; the statements as text, without their scratch and
        synchronisation."""
        self._nest(body, extents, ())
        kernel, findings = lowered(self.b.build(planning=planning), **options)
        lines = [line for line in kernel_text(kernel).splitlines() if not SYNC.search(line)]
        start = next(n for n, line in enumerate(lines) if "alloc column" in line) + 1
        return "\n".join(line[2:] for line in lines[start:]), findings

    def _nest(self, body: Any, extents: tuple[Any, ...], names: tuple[Any, ...]) -> None:
        if not extents:
            body(*names)
            return
        with self.b.loop("ijk"[len(names)], extents[0], "parallel") as var:
            self._nest(body, extents[1:], (*names, var))

    def set(self, target: Buffer, *index: Any) -> Any:
        return lambda value: self.b.store(target, index, value)


def plain(text: str) -> str:
    """Without the names and quotes of words."""
    return re.sub(r'(?:\w+=)?"(\w+)"', r"\1", text)
