"""From a checked kernel to a compiled program, with the compiler's messages at the kernel's lines."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.backends.manifest import Backend, Emitted
from tl_ascend.diagnostics.report import Finding
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.site import Site
from tl_ascend.ir.nodes import Kernel
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Platform
from tl_ascend.toolchain import bisheng, upstream
from tl_ascend.toolchain import build as toolchain
from tl_ascend.toolchain.bisheng import Job, Message
from tl_ascend.toolchain.build import Built, Order
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
    """Either findings that keep a kernel from being emitted, or how its build ended. `lowered`: what
    was emitted, which is lowered for the route."""

    emitted: Emitted | None
    blockers: tuple[Finding, ...] = ()
    built: Built | None = None
    placed: tuple[Placed, ...] = ()
    lowered: Kernel | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """`headers`: folders of upstream's headers, instead of ours; `simulator`: for CANN's, not a device;
    `debug`: programs that print; `upstream`: where upstream is installed, None where it is not."""

    headers: tuple[Path, ...] = ()
    simulator: bool = False
    debug: bool = False
    upstream: Path | None = None


UPSTREAM = "upstream"
_NEEDS_MORE = "pto"  # its headers build on those of PTO ISA, which CANN or upstream brings


def job_options(
    headers: Sequence[str], simulator: bool, site: Site, routes: Iterable[str]
) -> Options:
    """What the user says. `upstream` among the headers stands for those of the installed tilelang.

    The environment variables are upstream's own: TL_RUN_MODE=sim, TL_PTO_DEBUG=1.
    """
    environment = site.local
    wanted = UPSTREAM in headers or _NEEDS_MORE in routes
    return Options(
        tuple(Path(folder) for folder in headers),
        simulator or environment.get("TL_RUN_MODE") == "sim",
        environment.get("TL_PTO_DEBUG") == "1",
        upstream.find(environment, "" if site.name else site.python) if wanted else None,
    )


def job_for(
    backend: Backend, platform: Platform, cann: Cann, options: Options = Options()
) -> Job | str:
    """What to compile with; a sentence where something is not there."""
    if cann.root is None:
        return (
            f"CANN is not found: looked at {'; '.join(cann.looked)}. `tl-ascend doctor` says more."
        )
    if cann.bisheng is None:
        return f"no bisheng in {cann.root} or on the path. `tl-ascend doctor` says more."
    if backend.name not in bisheng.ROUTES:
        return f"how to compile programs of route {backend.name} is not known"
    folder = cann.simulator(platform.name) if options.simulator else None
    if options.simulator and folder is None:
        return f"no simulator library for {platform.name} in {cann.root / 'tools/simulator'}"
    includes = _includes(backend, options)
    if isinstance(includes, str):
        return includes
    return Job(
        backend.name,
        platform.npu_arch,
        cann.bisheng,
        cann.root,
        includes,
        folder,
        cann.version,
        options.debug,
    )


def _includes(backend: Backend, options: Options) -> tuple[Path, ...] | str:
    """Folders of headers: ours, with what of upstream's they build on where that is installed."""
    own = tuple(path for role, path in backend.include.items() if role == "device")
    theirs = upstream.folders(options.upstream, backend.name)
    found: list[Path] = []
    for folder in options.headers:
        if str(folder) == UPSTREAM and theirs is None:
            return "upstream's headers are not found: no tilelang in that Python, and TL_ROOT is not set"
        if str(folder) == UPSTREAM and theirs is not None:
            found += (*theirs.templates, *theirs.libraries)
        elif folder.is_dir():
            found.append(folder)
        else:
            return f"there is no folder {folder} for headers"
    more = theirs.libraries if theirs is not None and backend.name == _NEEDS_MORE else ()
    return tuple(found) or (*own, *more)


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a kernel is built: see `toolchain.build.Order`. `path`: of its file."""

    backend: Backend
    job: Job
    name: str
    path: str = ""
    keep: Path | None = None
    cancelled: Callable[[], bool] = lambda: False
    step: Callable[[str], None] = lambda _: None
    heard: Callable[[str], None] = lambda _: None


def build_kernel(kernel: KernelReport, wanted: Wanted, store: Store, place: Open) -> Result:
    """Emit a kernel and compile it."""
    outcome = emit_kernel(kernel, wanted.backend)
    if outcome.emitted is None:
        return Result(None, outcome.blockers)
    order = Order(
        wanted.job,
        outcome.emitted.text,
        wanted.name,
        f"{os.path.abspath(wanted.path)}\0{wanted.name}\0{wanted.backend.name}",
        wanted.keep,
        cancelled=wanted.cancelled,
        step=wanted.step,
        heard=wanted.heard,
    )
    built = toolchain.build(order, store, place)
    said = placed(built, outcome.emitted, wanted.name)
    return Result(outcome.emitted, (), built, said, outcome.lowered)


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
