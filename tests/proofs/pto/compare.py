"""One kernel: evaluated by us, and its emitted program run on the simulator."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tests.proofs.common import difference, inputs, shape_of
from tests.proofs.pto import build

from tl_ascend import simulate
from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import KernelReport, on_route
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.expr import Expr, Var
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, walk_stmts

MOST_BYTES, MOST_BLOCKS, TOGETHER = 3_000_000, 96, 4
AGREED, SKIPPED, DIFFERS = "agreed", "skipped", "differs"


@dataclass(frozen=True)
class Verdict:
    """What came of one kernel. `headers`: which template headers its program was built against."""

    name: str
    kind: str
    reason: str = ""
    headers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}{': ' + self.reason if self.reason else ''}"


@dataclass(frozen=True)
class Prepared:
    """A kernel with its program, and the tensors before and after."""

    kernel: Kernel
    program: Emitted
    before: list[np.ndarray]
    after: list[np.ndarray]
    together: int = field(default=TOGETHER)


def prove(
    tools: build.Tools,
    folder: Path,
    name: str,
    report: KernelReport,
    least: int = -2,
    only: str = "",
) -> Verdict:
    """Evaluate, build against both headers, run, compare. `least`: of integer inputs."""
    made = prepared(report, least)
    if isinstance(made, str):
        return Verdict(name, SKIPPED, made)
    both = {"upstream": tools.headers.templates, "ours": build.ours()}
    done: list[str] = []
    for header, place in both.items():
        if only and header != only:
            continue
        try:
            program = build.build(tools, folder / header, made.program, place)
            blocks = int(made.program.launch.blocks)
            found = build.run(program, blocks, min(blocks, made.together), made.before)
        except build.Failed as failed:
            return Verdict(name, DIFFERS, f"with the header of {header} it {failed}", tuple(done))
        if text := _difference(made, found):
            return Verdict(name, DIFFERS, f"{header}: {text}", tuple(done))
        done.append(header)
    return Verdict(name, AGREED, "", tuple(done))


def _difference(made: Prepared, found: list[np.ndarray]) -> str:
    """Where tensors differ. What a workspace holds afterwards is nobody's result."""
    spaces = {at % len(made.kernel.params) for at in made.kernel.options.workspace_idx}
    pairs = zip(made.after, made.kernel.params, found, strict=False)
    for at, (array, param, got) in enumerate(pairs):
        text = "" if at in spaces else difference(got, array)
        if text:
            return f"{param.name}, {text}"
    return ""


def prepared(report: KernelReport, least: int) -> Prepared | str:
    """What a comparison needs, or why there can be none."""
    kernel = report.kernel
    if report.status != "checked" or report.lowered is None:
        return f"not known whole, {report.reason}"
    if not fixed(kernel):
        return "takes scalars, has sizes without a value or types that numpy has not"
    if any("bfloat16" in buffer.dtype.name for buffer in _buffers(kernel)):
        return "bfloat16, which g++ 12 does not have: the simulator takes float16 for it"
    size = sum(int(np.prod([int(e) for e in t.shape])) * t.dtype.bytes for t in kernel.tensors)  # type: ignore[arg-type]
    if size > MOST_BYTES:
        return f"{size} bytes of tensors, more than {MOST_BYTES}"
    outcome = emit_kernel(report, registry.backend("pto"))
    if outcome.emitted is None:
        return f"not emitted, {outcome.blockers[0].message if outcome.blockers else 'no reason'}"
    blocks = outcome.emitted.launch.blocks
    if not isinstance(blocks, int) or blocks > MOST_BLOCKS:
        return f"{blocks} blocks, more than {MOST_BLOCKS}"
    return _evaluated(report, outcome.emitted, least)


def fixed(kernel: Kernel) -> bool:
    """True where the arrays are all that a launch passes, of types that numpy has."""
    if any(isinstance(param.value, Var) for param in kernel.params):
        return False
    extents = [extent for tensor in kernel.tensors for extent in tensor.shape]
    odd = [t for t in kernel.tensors if t.dtype.name.startswith(("bfloat", "float8", "int4"))]
    return not odd and not any(isinstance(extent, Expr) for extent in extents)


def _buffers(kernel: Kernel) -> list[Buffer]:
    inside = [s.buffer for s in walk_stmts(kernel.body) if isinstance(s, Alloc)]
    return [*kernel.tensors, *inside]


def _evaluated(report: KernelReport, program: Emitted, least: int) -> Prepared | str:
    kernel = report.kernel
    drawn = inputs(kernel, 1, least)
    if isinstance(drawn, str):
        return drawn
    before = [
        np.zeros(shape_of(tensor), tensor.dtype.name) if array is None else array
        for array, tensor in zip(drawn, kernel.tensors, strict=True)
    ]
    after = [array.copy() for array in before]
    try:
        simulate.run(kernel, *after)
    except simulate.EvaluationError as error:
        return f"cannot be evaluated, {type(error).__name__}: {error}"
    lowered = on_route(report, "pto").lowered
    assert lowered is not None
    extra = [p.value for p in lowered.params[len(kernel.params) :]]
    before += [
        np.zeros([int(e) for e in b.shape], b.dtype.name)  # type: ignore[arg-type]
        for b in extra
        if isinstance(b, Buffer)
    ]
    meet = (
        "sync_all" in program.text or ", 0);" in program.text and "set_cross_flag" in program.text
    )
    return Prepared(kernel, program, before, after, MOST_BLOCKS if meet else TOGETHER)
