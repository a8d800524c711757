"""A lowered kernel as a program of PTO tile instructions.

The program calls the templates of `tl_templates/pto/common.h` and instructions of namespace pto, so
that it compiles against upstream's header as well as against ours. What that lacks stands in headers
of its own beside it, which are included where they are used. The compiler translates it twice:
`__DAV_C220_CUBE__` or `__DAV_C220_VEC__` says for which half of the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tl_ascend.backends.common import ordered
from tl_ascend.backends.common.abi import Abi
from tl_ascend.backends.common.declare import declare_variables, placed_tiles, scalar_views
from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.finish import program
from tl_ascend.backends.common.helpers import helper_text
from tl_ascend.backends.common.names import Names
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import element_type
from tl_ascend.backends.manifest import Emitted
from tl_ascend.backends.pto import host, templates
from tl_ascend.backends.pto.rules import RULES
from tl_ascend.backends.pto.tiles import Tiles, whole
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.addresses import offset
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import Buffer, CoreScope, Kernel, Region, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.row import Template
from tl_ascend.target.dtypes import INT64, DType
from tl_ascend.target.hardware import Core, Memory, Platform

# Bisheng's back end for dav-2201 casts constants, but no bfloat16_t that is computed.
_CONVERSIONS = {
    ("bfloat16", "float32"): "tl_to_float",
    ("float32", "bfloat16"): "tl_to_bfloat16",
}


class Pto(Emission):
    """The PTO program of one kernel while it is written."""

    def __init__(self, kernel: Kernel, platform: Platform, report: Report) -> None:
        super().__init__(kernel, platform, report, RULES, Names(host.TAKEN))
        self.values.conversions = _CONVERSIONS
        self.tiles = Tiles(self)
        self.handles: dict[int, str] = {}

    def type(self, buffer: Buffer) -> str:
        return self._spelled(buffer.dtype, buffer)

    def spelled(self, type: DType, region: Region) -> str:
        """The C++ name of an element type. Errors: Refusal."""
        return self._spelled(type, region.buffer)

    def _spelled(self, type: DType, buffer: Buffer) -> str:
        if type.bits < 8:
            what = f"{buffer.name} holds {type}, which tiles of route pto cannot"
            raise Refusal("dtype-unsupported", buffer.span, what)
        return element_type(type, buffer.span, buffer.name)

    def pointer(self, region: Region, extra: Scalar = 0) -> str:
        """Where a part of a tensor in GM begins."""
        at = binary("+", offset(self.kernel, region.buffer, region.starts), extra)
        name = self.handle(region.buffer)
        return name if at == 0 and isinstance(at, int) else f"{name} + {self.values.index(at)}"

    def handle(self, buffer: Buffer) -> str:
        """The typed pointer of a tensor in GM. Errors: Refusal."""
        if buffer.dtype != root(buffer).dtype:
            assert self.values.at is not None
            what = f"{buffer.name} views a tensor in GM as {buffer.dtype}"
            raise Refusal("not-lowered", self.values.at, what)
        return self.handles[root(buffer).uid]

    def element_text(self, buffer: Buffer, indices: tuple[Scalar, ...]) -> str:
        at = self.values.index(offset(self.kernel, buffer, indices))
        if self.kernel.memory(buffer) is Memory.GM:
            return f"{self.handle(buffer)}[{at}]"
        return f"{self._scalar(buffer)}.GetValue({at})"

    def store_text(self, buffer: Buffer, indices: tuple[Scalar, ...], value: str) -> str:
        at = self.values.index(offset(self.kernel, buffer, indices))
        if self.kernel.memory(buffer) is Memory.GM:
            return f"{self.handle(buffer)}[{at}] = {value};"
        return f"{self._scalar(buffer)}.SetValue({at}, {value});"

    def _scalar(self, buffer: Buffer) -> str:
        """The tile through which the scalar unit reaches single elements."""
        if buffer.dtype == root(buffer).dtype:
            return self.buffers[root(buffer).uid]
        if buffer.uid in self.buffers:
            return self.buffers[buffer.uid]
        assert self.values.at is not None
        what = f"a single element of {buffer.name}, a view of another type"
        raise Refusal("not-lowered", self.values.at, what)

    def barrier_text(self, pipe: str) -> str:
        return f"pipe_barrier(PIPE_{pipe});"

    def half(self, scope: CoreScope) -> None:
        cube = scope.core is Core.CUBE
        self.out.directive(f"#if defined(__DAV_C220_{'CUBE' if cube else 'VEC'}__)")
        with self.names.block():
            if not cube:
                self.out.line("set_mask_norm();", scope.span)
                self.out.line("set_vector_mask(-1, -1);", scope.span)
            self.statements(scope.body)
        self.out.directive("#endif")

    def template(self, call: Call, entry: Template) -> None:
        templates.write(self, call, entry)


def emit(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    """The program of a lowered kernel; None where something in it was reported."""
    emission = Pto(in_halves(kernel), platform, report)
    return program(
        emission,
        host.head,
        partial(_declare, emission),
        partial(_preamble, emission),
        host.tail,
    )


def in_halves(kernel: Kernel) -> Kernel:
    """A kernel that nothing divides as code of the half that its calls belong to: the compiler for the
    other one does not know them. With calls of both it stays as it is."""
    if any(isinstance(stmt, CoreScope) for stmt in walk_stmts(kernel.body)):
        return kernel
    calls = (stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp))
    forms = (form_of(call) for call in calls)
    cores = {form.core for form in forms if form is not None and form.core is not Core.ANY}
    if len(cores) > 1:
        return kernel
    core = next(iter(cores), Core.VECTOR)
    return replace(kernel, body=(CoreScope(core, kernel.body, kernel.span, inferred=True),))


def _declare(emission: Pto, abi: Abi) -> None:
    """What stands before the first statement: tensors in GM, the indices of the core, tiles."""
    out, frame = emission.out, emission.kernel.launch
    assert frame is not None
    for tensor, handle in abi.tensors:
        emission.handles[tensor.uid] = handle
        pointer = f"__gm__ {emission.type(tensor)} *"
        out.line(f"{pointer}{handle} = reinterpret_cast<{pointer}>({handle}_raw);", tensor.span)
    block = emission.names.bind(frame.block, INT64)
    # Signed: what is left of a tensor is computed with them.
    out.line(f"int64_t {block} = get_block_idx();", frame.span)
    out.line("set_ffts_base_addr(ffts_Addr);", frame.span)
    sub = emission.names.bind(frame.subblock, INT64)
    out.line(f"int64_t {sub} = get_subblockid();", frame.span)
    for buffer, _, address in placed_tiles(emission.kernel):
        place = emission.kernel.placements[buffer.uid]
        shape = whole(place.shape, buffer.dtype, place.memory)
        assert shape is not None
        emission.tiles.declare(buffer, shape, address)
    for view in scalar_views(emission.kernel):
        _declare_view(emission, view)
    declare_variables(emission)


def _declare_view(emission: Pto, view: Buffer) -> None:
    """A tile over the bytes of another, for single elements. What lies elsewhere is told at its use."""
    place = emission.kernel.place(view)
    shape = whole(view.shape, view.dtype, place.memory)
    if place.memory is Memory.UB and shape is not None and place.address is not None:
        emission.tiles.declare(view, shape, place.address)


def _preamble(emission: Pto) -> Iterator[str]:
    yield '#include "tl_templates/pto/common.h"'
    yield "#include <pto/pto-inst.hpp>"
    yield '#include "acl/acl.h"'
    yield "#include <runtime/rt_ffts.h>"
    yield from (f'#include "{name}"' for name in sorted(emission.includes))
    yield "using namespace pto;"
    yield ""
    if any("CUDART_NAN_F" in line for line in emission.out.lines):
        yield "#ifndef CUDART_NAN_F"
        yield '#define CUDART_NAN_F (__builtin_nanf(""))'
        yield "#endif"
        yield ""
    yield from ordered.preamble(emission.out.lines)
    for name in sorted(emission.values.helpers):
        yield from helper_text(name, "AICORE PTO_INLINE")
        yield ""
