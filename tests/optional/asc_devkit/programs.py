"""What is judged: device parts of emitted programs, several to a translation unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.corpus.values import size_of
from tests.emit import support

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files
from tl_ascend.source.span import Span

ROOT = Path(__file__).parents[3]
MARK = "kernel:"  # a program's lines are told apart from a header's by the name of their file
_INCLUDES = re.compile(r"^#include .*$", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """The device part of a program, under a name."""

    name: str
    text: str
    symbol: str


def of_paths(paths: Iterable[str], everything: bool = False) -> Iterator[Program]:
    """The programs of files: of every instance of a kernel, or of one with small tensors."""
    for path in paths:
        kernels = _instances(path)
        kernels = kernels if everything else _one_each(kernels)
        for at, kernel in enumerate(kernels):
            emitted = emit_kernel(kernel, registry.backend("ascendc")).emitted
            if emitted is not None:
                name = f"{path} {kernel.factory or kernel.name}"
                yield Program(
                    f"{name} ({at})" if at else name, device_part(emitted), emitted.launch.kernel
                )


def _instances(path: str) -> list[KernelReport]:
    found = Checker(Files()).check(path, CheckOptions(upstream="none")).kernels
    return [kernel for kernel in found if kernel.status == "checked"]


def _one_each(kernels: list[KernelReport]) -> list[KernelReport]:
    found: dict[Span, KernelReport] = {}
    for kernel in sorted(kernels, key=lambda one: size_of(one.kernel)):
        found.setdefault(kernel.span, kernel)
    return list(found.values())


def device_part(emitted: Emitted) -> str:
    """A program up to its host function, whose launch no host compiler can read."""
    text, found, _ = emitted.text.partition(f'extern "C" void {emitted.launch.function}(')
    assert found
    return _INCLUDES.sub("", text)


def ours() -> list[str]:
    """Our examples, and the kernels of the tests."""
    examples = sorted((ROOT / "examples").glob("*.py"))
    return [str(path.relative_to(ROOT)) for path in (*examples, *support.KERNELS)]


def unit(programs: Iterable[Program]) -> str:
    """Several programs as one text; each keeps its own numbers of lines."""
    parts = ['#include "tl_templates/ascend/common.h"', '#include "tl_templates/ascend/printf.h"']
    for at, program in enumerate(programs):
        parts.append(f"#define {program.symbol} {program.symbol}_{at}")
        parts.append(f"namespace unit_{at} {{")
        parts.append(f'#line 1 "{MARK}{program.name}"')
        parts.append(program.text)
        parts.append("}")
        parts.append(f"#undef {program.symbol}")
    return "\n".join(parts) + "\n"
