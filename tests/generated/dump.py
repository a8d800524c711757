"""Print all texts that come of the kernels of a folder, as JSON (for `test_determinism`).

    python -m tests.generated.dump [--warm] FOLDER

--warm: other kernels first, and those of the folder once before, backwards and still alive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tests.generated.examine import case, checked

from tl_ascend.backends import registry
from tl_ascend.driver.check import Checker, FileReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files
from tl_ascend.ide.model import Diagnostic
from tl_ascend.ide.result import file_result
from tl_ascend.ir.text import kernel_text


def unplaced(found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Fingerprints hold the path in a project, and a folder without one has none."""
    return [replace(one, fingerprint="") for one in found]


def texts(name: str, report: FileReport) -> Iterator[tuple[str, str]]:
    """Every text of one file by file, number of the kernel and kind."""

    def place(span: object) -> str:
        found = report.range_of(span)  # type: ignore[arg-type]
        return "?" if found is None else f"{found.start.row}:{found.start.column}"

    for number, kernel in enumerate(report.kernels):
        key = f"{name} {number}"
        if kernel.lowered is None:
            continue
        yield f"{key} ir", kernel_text(kernel.lowered, place)
        program = emit_kernel(kernel, registry.backend("ascendc")).emitted
        if program is None:
            continue
        lines = [(row, place(span)) for row, span in program.source_map.lines]
        yield f"{key} program", program.text
        yield f"{key} map", json.dumps(lines)
        yield f"{key} report", json.dumps(program.report)
    yield f"{name} all findings", repr(unplaced(file_result(name, report).diagnostics))


def _check(path: Path) -> FileReport:
    return Checker(Files()).check(path.name)


def main(arguments: list[str]) -> int:
    """Check all files of the folder, each on its own, and print."""
    paths = sorted(Path(arguments[-1]).glob("*.py"))
    kept: list[FileReport] = []
    if "--warm" in arguments:
        kept += [checked(case(seed)) for seed in range(100, 120)]
        kept += [_check(path) for path in reversed(paths)]
    found = {key: text for path in paths for key, text in texts(path.name, _check(path))}
    json.dump(found, sys.stdout)
    return 0 if found else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
