"""Emitting kernels in tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import Checker, CheckOptions, FileReport
from tl_ascend.driver.emit import Outcome, emit_kernel
from tl_ascend.driver.files import Files
from tl_ascend.ir.nodes import Kernel

HERE = Path(__file__).parent
KERNELS = sorted((HERE / "kernels").glob("*.py"))
PTO_KERNELS = sorted((HERE / "pto").glob("*.py"))
INCLUDE = Path(registry.__file__).parent / "ascendc" / "include"
GXX = shutil.which("g++") or ""
FLAGS = ("-std=c++17", "-Wall", "-Werror", "-Wno-unused-variable", "-Wno-unknown-pragmas")
FOLDERS = (f"-I{INCLUDE / 'cpu_twin'}", f"-isystem{INCLUDE}")


def report(path: str, text: str | None = None) -> FileReport:
    """A file, checked as `emit` does it."""
    files = Files()
    files.set_text(path, text)
    found = Checker(files).check(path, CheckOptions(upstream="none"))
    assert not found.file.problems, found.file.problems
    return found


def lowered(path: Path) -> list[Kernel]:
    """The lowered kernels of a file."""
    return [k.lowered for k in report(str(path)).kernels if k.lowered is not None]


def outcomes(path: str, text: str | None = None) -> list[Outcome]:
    """Every kernel of a file, emitted on the route that it chose."""
    kernels = report(path, text).kernels
    return [emit_kernel(k, registry.backend(k.kernel.options.route)) for k in kernels]


def emitted(outcome: Outcome) -> Emitted:
    """The program, which must exist."""
    why = [(f.name, f.message) for f in outcome.blockers]
    assert outcome.emitted is not None, why
    return outcome.emitted


def first(path: Path) -> Emitted:
    """The program of the first kernel of a file."""
    return emitted(outcomes(str(path))[0])


HEAD = "import tilelang\nimport tilelang.language as T\n\n"


def kernel(body: str, params: str = 'x: T.Tensor((64, 64), "float")', blocks: str = "4") -> str:
    """A file with one kernel of these statements."""
    inside = textwrap.indent(textwrap.dedent(body).strip(), " " * 8)
    head = f"@T.prim_func\ndef main({params}):\n    with T.Kernel({blocks}, is_npu=True) as (cid, vid):"
    return f"{HEAD}\n{head}\n{inside}\n"


def of_text(text: str) -> Outcome:
    """The outcome of the only kernel of a text."""
    (outcome,) = outcomes("case.py", text)
    return outcome


_INCLUDES = re.compile(r"^#include .*$", re.MULTILINE)


def together(programs: dict[str, Emitted]) -> str:
    """Several programs as one translation unit: each in a namespace, its C symbols renamed."""
    parts = ['#include "tl_templates/ascend/common.h"', '#include "tl_templates/ascend/printf.h"']
    parts += ['#include "acl/acl.h"', "#include <runtime/rt_ffts.h>"]
    for at, (name, program) in enumerate(programs.items()):
        renamed = ("call", program.launch.kernel)
        parts.append(f"// {name}")
        parts += [f"#define {symbol} {symbol}_{at}" for symbol in renamed]
        parts.append(f"namespace unit_{at} {{")
        parts.append(_INCLUDES.sub("", program.text))
        parts.append("}")
        parts += [f"#undef {symbol}" for symbol in renamed]
    return "\n".join(parts) + "\n"


def compile_cpp(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the host compiler on programs in the emitter's form."""
    command = [GXX, *FLAGS, *FOLDERS, *map(str, arguments)]
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
