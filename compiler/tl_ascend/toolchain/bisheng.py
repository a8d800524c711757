"""Command lines of Bisheng for both routes, and what it says.

Source: tile-ai/tilelang-ascend 95acbd7f, tilelang/jit/adapter/libgen.py: the same flags, so that a
program built here is the one that upstream builds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_QUIET = ("-Wno-macro-redefined", "-Wno-ignored-attributes")
_LIBRARIES = ("-lascendcl", "-lm", "-ltiling_api", "-lplatform", "-lc_sec", "-ldl")
_CANN_INCLUDES = (
    "include",
    "include/experiment/msprof",
    "include/experiment/runtime",
    "pkg_inc",
    "pkg_inc/runtime",
    "pkg_inc/profiling",
)
DRIVER_HEADERS = "/usr/local/Ascend/driver/kernel/inc"
_PRINTING = ("-D_DEBUG", "--cce-enable-print")
_CCE_OPTIONS = (
    "-cce-aicore-stack-size=0x8000",
    "-cce-aicore-function-stack-size=0x8000",
    "-cce-aicore-record-overflow=true",
    "-cce-aicore-addr-transform",
    "-cce-aicore-dcci-insert-for-scalar=false",
)


@dataclass(frozen=True, slots=True)
class Job:
    """One compilation. `architecture`: of the platform (2201, 3510). `includes`: folders of device
    headers, before those of CANN. `simulator`: the folder of its runtime, to run without a device;
    `debug`: programs that print (route pto)."""

    route: str
    architecture: str
    compiler: Path
    cann: Path
    includes: tuple[Path, ...]
    simulator: Path | None = None
    cann_version: str = ""
    debug: bool = False


def flags(job: Job) -> tuple[str, ...]:
    """Everything but the names of the files."""
    route = ROUTES[job.route](job)
    folders = (*job.includes, *(job.cann / part for part in _CANN_INCLUDES))
    runtime = "-lruntime" if job.simulator is None else "-lruntime_camodel"
    search: tuple[str, ...] = ()
    if job.simulator is not None:
        search = (f"-L{job.simulator}", f"-Wl,-rpath,{job.simulator}", "-Wl,--disable-new-dtags")
    pto = job.route == "pto"
    driver = (f"-I{DRIVER_HEADERS}",) if pto else ()
    printing = _PRINTING if pto and job.debug else ()
    return (
        *route,
        *(f"-I{folder}" for folder in folders),
        *driver,
        *search,
        f"-L{job.cann / 'lib64'}",
        runtime,
        *(("-lstdc++",) if pto else ()),
        *_LIBRARIES,
        *printing,
        "-fPIC",
        "--shared",
    )


def command(job: Job, source: Path, output: Path) -> tuple[str, ...]:
    """The whole command line."""
    return (str(job.compiler), *flags(job), str(source), "-o", str(output))


def _ascendc(job: Job) -> tuple[str, ...]:
    return (
        f"--npu-arch=dav-{job.architecture}",
        "-O2",
        "-std=c++17",
        "-xasc",
        "-DBACKEND_HYBM",
        *_QUIET,
        "-Wno-non-c-typedef-for-linkage",
    )


def _pto(job: Job) -> tuple[str, ...]:
    newer = job.architecture == "3510"
    options = (part for option in _CCE_OPTIONS for part in ("-mllvm", option))
    return (
        f"--cce-aicore-arch=dav-c{'310' if newer else '220'}",
        "-O2",
        "-std=gnu++17",
        "-xcce",
        "-DREGISTER_BASE" if newer else "-DMEMORY_BASE",
        "-DL2_CACHE_HINT",
        *options,
        *_QUIET,
    )


ROUTES: dict[str, Callable[[Job], tuple[str, ...]]] = {"ascendc": _ascendc, "pto": _pto}


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the compiler. `row` counts from 1 in the file that it names."""

    file: str
    row: int
    column: int
    level: str
    text: str


_MESSAGE = re.compile(
    r"^(?P<file>.+?):(?P<row>\d+):(?:(?P<column>\d+):)? "
    r"(?P<level>fatal error|error|warning|note): (?P<text>.*)$"
)


def messages(output: str) -> Iterator[Message]:
    """What is said about a place, in order; lines of code and carets are left out."""
    for line in output.splitlines():
        found = _MESSAGE.match(line)
        if found is not None:
            column = int(found["column"] or 1)
            yield Message(found["file"], int(found["row"]), column, found["level"], found["text"])


def shown(command_line: Sequence[str]) -> str:
    """The command line as a shell takes it."""
    import shlex

    return shlex.join(command_line)
