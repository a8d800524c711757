"""From a checked kernel to a compiled program, with the compiler's messages at the kernel's lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.backends.manifest import Backend, Emitted
from tl_ascend.diagnostics.report import Finding
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Platform
from tl_ascend.toolchain import build as toolchain
from tl_ascend.toolchain.bisheng import Job, Message
from tl_ascend.toolchain.build import Built
from tl_ascend.toolchain.cann import Cann
from tl_ascend.toolchain.place import Open
from tl_ascend.toolchain.store import Store


@dataclass(frozen=True, slots=True)
class Placed:
    """A message of the compiler. `span`: the statement behind it; None where the line is not one of
    the kernel's."""

    message: Message
    span: Span | None


@dataclass(frozen=True, slots=True)
class Result:
    """Either findings that keep a kernel from being emitted, or how its build ended."""

    emitted: Emitted | None
    blockers: tuple[Finding, ...] = ()
    built: Built | None = None
    placed: tuple[Placed, ...] = ()


def job_for(
    backend: Backend,
    platform: Platform,
    cann: Cann,
    headers: tuple[Path, ...] = (),
    simulator: bool = False,
) -> Job | str:
    """What to compile with; a sentence where something is not there. `headers`: folders of upstream's
    headers, instead of ours."""
    if cann.root is None:
        return (
            f"CANN is not found: looked at {'; '.join(cann.looked)}. `tl-ascend doctor` says more."
        )
    if cann.bisheng is None:
        return f"no bisheng in {cann.root} or on the path. `tl-ascend doctor` says more."
    folder = cann.simulator(platform.name) if simulator else None
    if simulator and folder is None:
        return f"no simulator library for {platform.name} in {cann.root / 'tools/simulator'}"
    own = tuple(path for role, path in backend.include.items() if role == "device")
    return Job(backend.name, platform.npu_arch, cann.bisheng, cann.root, headers or own, folder)


def build_kernel(
    kernel: KernelReport,
    backend: Backend,
    job: Job,
    name: str,
    store: Store,
    place: Open,
    keep: Path | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Result:
    """Emit a kernel and compile it."""
    outcome = emit_kernel(kernel, backend)
    if outcome.emitted is None:
        return Result(None, outcome.blockers)
    built = toolchain.build(
        job, outcome.emitted.text, name, store, place, keep, cancelled=cancelled
    )
    return Result(outcome.emitted, (), built, placed(built, outcome.emitted, name))


def placed(built: Built, emitted: Emitted, name: str) -> tuple[Placed, ...]:
    """The messages with the statements behind their lines. A note belongs to what it explains: it
    keeps the place of the message before where its own is in a header."""
    found: list[Placed] = []
    for message in built.messages:
        own = Path(message.file).name == f"{name}.cpp"
        span = emitted.source_map.span(message.row) if own else None
        if span is None and message.level == "note" and found:
            span = found[-1].span
        found.append(Placed(message, span))
    return tuple(found)
