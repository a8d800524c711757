"""The kernels of a file: those of its own calls, and of calls in files that import it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tl_ascend.driver.files import Files
from tl_ascend.frontend import reach
from tl_ascend.frontend.instances import label
from tl_ascend.frontend.modules import Program
from tl_ascend.frontend.values import KernelRecord
from tl_ascend.ir.hashed import frozen, kernel_content
from tl_ascend.ir.nodes import Options
from tl_ascend.source.units import FileUnits

# An evaluation that has not begun, of a file.
Begin = Callable[[str], Program]


def own(program: Program, path: str) -> list[KernelRecord]:
    """The kernels that stand in this file, each instance once; those of imported files are told
    there."""
    found: dict[Any, KernelRecord] = {}
    for record in program.ways.applied(program.records):
        if record.span.home.path == path and record.kernel is not None:
            options = options_key(record.options)
            if record.content is None:
                record.content = kernel_content(record.kernel)
            record.doubtful |= program.doubts(record)
            key = record.span, label(record.arguments), options, record.content
            known = found.setdefault(key, record)
            if (record.doubtful, record.of_import) < (known.doubtful, known.of_import):
                found[key] = record
    return list(found.values())


def elsewhere(program: Program, path: str) -> tuple[str, ...]:
    """The other files of which this one's calls make kernels."""
    made = (r for r in program.records if r.unknown is None and not r.of_import)
    homes = (record.span.home.path for record in made)
    return tuple(dict.fromkeys(home for home in homes if home != path))


def from_importers(program: Program, path: str, files: Files, begin: Begin) -> dict[str, FileUnits]:
    """Add what calls in files that import this one give: instances, and how these are compiled. The
    files that were read for it."""
    units = files.units(path).units
    if not (program.lacks_options() or any(reach.contains_kernel(unit.tree) for unit in units)):
        return {}
    return from_callers(program, path, files.importers(path), files, begin)


def from_callers(
    program: Program, path: str, callers: Iterable[str], files: Files, begin: Begin
) -> dict[str, FileUnits]:
    """The same of certain files."""
    read: dict[str, FileUnits] = {}
    for caller in callers:
        other = begin(caller)
        other.seen, other.cut = program.seen, program.cut
        other.run(files.units(caller))
        program.ways.update(other.ways)
        program.records += [r for r in own(other, path) if r.unknown is None]
        read |= {place: module.file for place, module in other.modules.items()}
    return read


def options_key(options: Options) -> Any:
    """Options by content."""
    maps = (dict(options.pass_configs), dict(options.spans))
    plain = (
        options.out_idx,
        options.workspace_idx,
        options.target,
        options.compiled,
        options.platform,
    )
    return *plain, *map(frozen, maps)
