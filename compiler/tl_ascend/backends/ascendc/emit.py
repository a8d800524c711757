"""A lowered kernel as an Ascend C program.

The program calls the templates of `tl_templates/ascend` and the Ascend C API, nothing else
(`include/tl_templates/ascend/INTERFACE.md`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tl_ascend.backends.ascendc import host, templates
from tl_ascend.backends.ascendc.prologue import declare
from tl_ascend.backends.ascendc.rules import RULES
from tl_ascend.backends.common import ordered
from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.finish import program
from tl_ascend.backends.common.helpers import helper_text
from tl_ascend.backends.common.names import Names
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.manifest import Emitted
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.addresses import offset
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Buffer, CoreScope, Kernel, Region
from tl_ascend.ir.storage import root
from tl_ascend.ops.row import Template
from tl_ascend.target.hardware import Core, Memory, Platform

# Bisheng's back end for dav-2201 casts constants, but no bfloat16_t that is computed.
_CONVERSIONS = {
    ("bfloat16", "float32"): "AscendC::ToFloat",
    ("float32", "bfloat16"): "AscendC::ToBfloat16",
}


class AscendC(Emission):
    """The Ascend C program of one kernel while it is written."""

    def __init__(self, kernel: Kernel, platform: Platform, report: Report) -> None:
        super().__init__(kernel, platform, report, RULES, Names(host.TAKEN))
        self.values.conversions = _CONVERSIONS

    def tensor(self, buffer: Buffer) -> str:
        """The tensor of a buffer; a view of another type is cast where it is used."""
        base = root(buffer)
        text = self.buffers[base.uid]
        if buffer.dtype == base.dtype:
            return text
        if self.kernel.memory(base) is Memory.GM:
            assert self.values.at is not None
            what = f"{buffer.name} views a tensor in GM as {buffer.dtype}"
            raise Refusal("not-lowered", self.values.at, what)
        return f"{text}.ReinterpretCast<{self.type(buffer)}>()"

    def pointer(self, region: Region, extra: Scalar = 0) -> str:
        """`name[offset]`: where a region starts, and `extra` elements further."""
        return self.element(region.buffer, region.starts, extra)

    def element(self, buffer: Buffer, starts: tuple[Scalar, ...], extra: Scalar = 0) -> str:
        at = binary("+", offset(self.kernel, buffer, starts), extra)
        return f"{self.tensor(buffer)}[{self.values.index(at)}]"

    def element_text(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> str:
        at = self.values.index(offset(self.kernel, buffer, indices))
        return f"{self.tensor(buffer)}.GetValue({at})"

    def store_text(self, buffer: Buffer, indices: tuple[Scalar, ...], value: str) -> str:
        at = self.values.index(offset(self.kernel, buffer, indices))
        return f"{self.tensor(buffer)}.SetValue({at}, {value});"

    def barrier_text(self, pipe: str) -> str:
        return f"AscendC::PipeBarrier<PIPE_{pipe}>();"

    def half(self, scope: CoreScope) -> None:
        side = "AIC" if scope.core is Core.CUBE else "AIV"
        with self.block(f"if ASCEND_IS_{side}"):
            self.statements(scope.body)

    def template(self, call: Call, entry: Template) -> None:
        templates.write(self, call, entry)


def emit(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    """The program of a lowered kernel; None where something in it was reported."""
    emission = AscendC(kernel, platform, report)
    return program(
        emission,
        host.head,
        partial(declare, emission),
        partial(_preamble, emission),
        host.tail,
    )


def _preamble(emission: Emission) -> Iterator[str]:
    yield '#include "tl_templates/ascend/common.h"'
    yield from (f'#include "{name}"' for name in sorted(emission.includes))
    yield from _HEAD
    yield from ordered.preamble(emission.out.lines)
    for name in sorted(emission.values.helpers):
        yield from helper_text(name, "__aicore__ inline")
        yield ""


_HEAD = (
    '#include "acl/acl.h"',
    "#include <runtime/rt_ffts.h>",
    "using namespace Catlass;",
    "using uint = unsigned int;",
    "using uchar = unsigned char;",
    "using ushort = unsigned short;",
    "",
)
