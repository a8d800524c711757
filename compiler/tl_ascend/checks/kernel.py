"""Rules of the kernel as a whole: what out_idx promises, and a target that there is."""

from __future__ import annotations

from difflib import get_close_matches

from tl_ascend.checks.context import CheckContext, shape_text
from tl_ascend.diagnostics.report import Applicability, Edit, Fix, Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Buffer, Kernel, walk_stmts
from tl_ascend.ir.storage import root

TARGETS = ("auto", "ascendc", "pto")


def known_target(context: CheckContext) -> None:
    """Upstream has two code generators, by name; another back end may have names of its own."""
    options = context.before.options
    span = options.spans.get("target")
    if span is None or options.target in TARGETS or context.upstream == "none":
        return
    near = get_close_matches(options.target.lower(), TARGETS, 1, 0.7)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    context.report.add(
        "unknown-api",
        span,
        f"there is no target {options.target!r}: upstream's compiler knows ascendc and pto, and auto, "
        f"which is ascendc{hint}",
        notes=("Python raises ValueError where the kernel is compiled.",),
    )


def out_idx(context: CheckContext) -> None:
    """The parameters that out_idx selects are written by the kernel."""
    kernel = context.before
    span = kernel.options.spans.get("out_idx")
    written = _written(kernel)
    if span is None or not written:
        return
    params = kernel.params
    for index in kernel.options.out_idx:
        at = index + len(params) if index < 0 else index
        if not 0 <= at < len(params):
            context.report.add(
                "out-idx", span, f"out_idx {index}: the kernel has {len(params)} parameters"
            )
            continue
        value = params[at].value
        if isinstance(value, Buffer) and value.uid not in written:
            _never_written(context, index, value, written)


def _written(kernel: Kernel) -> set[int]:
    """The tensors in GM that a statement writes."""
    return {
        root(region.buffer).uid
        for stmt in walk_stmts(kernel.body)
        for region in effect_of(stmt).writes
    } & {tensor.uid for tensor in kernel.tensors}


def _read(kernel: Kernel) -> set[int]:
    """The buffers that a statement takes anything from."""
    effects = map(effect_of, walk_stmts(kernel.body))
    return {root(region.buffer).uid for e in effects for region in (*e.reads, *e.scalars)}


def _never_written(context: CheckContext, index: int, chosen: Buffer, written: set[int]) -> None:
    kernel = context.before
    span = kernel.options.spans["out_idx"]
    outputs = [(at, p) for at, p in enumerate(kernel.params) if p.value.uid in written]
    names = ", ".join(p.name for _, p in outputs)
    verb = "is" if len(outputs) == 1 else "are"
    fixes: tuple[Fix, ...] = ()
    if len(outputs) == 1 and len(kernel.options.out_idx) == 1:
        at = outputs[0][0]
        new = f"[{-1 if at == len(kernel.params) - 1 else at}]"
        # A call that writes an input by mistake leaves the output unused.
        read = _read(kernel)
        certain = chosen.uid in read and outputs[0][1].value.uid not in read
        kind = Applicability.SAFE if certain else Applicability.UNSAFE
        fixes = (Fix(f"Write out_idx={new}", (Edit(span, new),), kind),)
    use = "only read" if chosen.uid in _read(kernel) else "not used"
    context.report.add(
        "out-idx",
        span,
        f"out_idx {index} selects {chosen.name} {shape_text(chosen.shape)}, which is never "
        f"written; {names} {verb}",
        related=(
            Related(chosen.span, f"{chosen.name} is {use}"),
            *(Related(p.span, f"{p.name} is written") for _, p in outputs),
        ),
        fixes=fixes,
    )
