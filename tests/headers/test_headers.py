"""The device headers against a host compiler: what must compile, must not, and must compute.

Every case is compiled against the CPU twin. ``data/accept`` holds programs in the
emitter's form, ``data/reject`` programs whose marked lines (and no others) must fail, and
``data/run`` programs that execute the templates on the CPU twin, outside of a launch, and
compare the results with plain loops.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest
from tests.emit.machine import machine_object

from tl_ascend.target.conversions import ROUNDINGS, modes
from tl_ascend.target.dtypes import BY_NAME

DATA = Path(__file__).parent / "data"
COMPILER = Path(__file__).parents[2] / "compiler" / "tl_ascend"
INCLUDE = COMPILER / "backends" / "ascendc" / "include"
TEMPLATES = INCLUDE / "tl_templates" / "ascend"
GXX = shutil.which("g++") or ""
FLAGS = ["-std=c++17", "-Wall", "-Werror", f"-I{INCLUDE / 'cpu_twin'}", f"-I{INCLUDE}"]
MARK = "// ~ error"
UNKNOWN = ("bool", "float64", "float8_e4m3", "float8_e5m2")  # bool is uint8_t there
# An error in a template's body names the caller in a note that follows the body's own place.
PLACE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+:\s+(?:error:|required from here)", re.MULTILINE
)
DETAIL = re.compile(r"namespace detail \{.*?\} // namespace detail", re.DOTALL)
TEMPLATE_NAME = re.compile(r"TL_DEVICE\s+[\w:<> ]+?\s(\w+)\(")

needs_gxx = pytest.mark.skipif(not GXX, reason="needs g++")


def _compile(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [GXX, *FLAGS, *map(str, arguments)]
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def _cases(kind: str) -> list[Path]:
    return sorted((DATA / kind).glob("*.cpp"))


def _public_templates() -> set[str]:
    """Names that the headers offer outside their detail namespaces."""
    names: set[str] = set()
    for header in TEMPLATES.glob("*.h"):
        names.update(TEMPLATE_NAME.findall(DETAIL.sub("", header.read_text())))
    return names


@needs_gxx
def test_programs_compile() -> None:
    result = _compile("-fsyntax-only", *_cases("accept"))
    assert result.returncode == 0, result.stderr


@needs_gxx
@pytest.mark.parametrize("case", _cases("reject"), ids=lambda path: path.stem)
def test_marked_lines_fail(case: Path) -> None:
    result = _compile("-fsyntax-only", "-fmax-errors=0", case)
    lines = case.read_text().splitlines()
    expected = {number for number, line in enumerate(lines, 1) if line.endswith(MARK)}
    places = [place for place in PLACE.finditer(result.stderr) if place["file"] == str(case)]
    assert {int(place["line"]) for place in places} == expected, result.stderr


@needs_gxx
@pytest.mark.parametrize("case", _cases("run"), ids=lambda path: path.stem)
def test_templates_compute(case: Path, tmp_path: Path) -> None:
    program = tmp_path / case.stem
    built = _compile(case, machine_object(), "-o", program)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout


CAST_CHECK = (
    "static_assert(kCasts<{to}, {of}> == {exists});\n"
    "static_assert(!{exists} || takes<{to}, {of}>(AscendC::RoundMode::{mode}) == {taken});"
)


@needs_gxx
def test_conversions_are_those_of_the_table(tmp_path: Path) -> None:
    kinds = [kind for kind in BY_NAME.values() if kind.bits <= 64 and kind.name not in UNKNOWN]
    lines = [
        '#include "kernel_operator.h"',
        "using namespace AscendC::twin;",
        "using AscendC::int4b_t;",
    ]
    for of, to in product(kinds, kinds):
        taken = modes(of, to)
        for mode in ROUNDINGS:
            known = [str(fact).lower() for fact in (bool(taken), mode in taken)]
            words = {"of": of.c_name, "to": to.c_name, "mode": mode}
            lines.append(CAST_CHECK.format(**words, exists=known[0], taken=known[1]))
    path = tmp_path / "table.cpp"
    path.write_text("\n".join(lines))
    result = _compile("-fsyntax-only", path)
    assert result.returncode == 0, result.stderr[:3000]


def test_every_template_is_compiled_and_documented() -> None:
    names = _public_templates()
    programs = "\n".join(path.read_text() for path in _cases("accept"))
    interface = (TEMPLATES / "INTERFACE.md").read_text()
    assert {"gemm_v0", "copy_gm_to_ub", "Sort", "reduce_max", "shmem_put_nbi"} <= names
    assert not {name for name in names if not re.search(rf"tl::ascend::{name}\b", programs)}
    assert not {name for name in names if not re.search(rf"\b{name}\b", interface)}


def test_headers_stay_small() -> None:
    long = {path.name for path in INCLUDE.rglob("*.h") if len(path.read_text().splitlines()) >= 400}
    assert not long
