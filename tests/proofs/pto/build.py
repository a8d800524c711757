"""Building and running emitted programs against the simulator.

The device part of a program is compiled as it is, once for the cube core and once for the vector cores,
each time with a few lines around it that call it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType

import numpy as np
from tests.proofs.pto.wheel import Headers

from tl_ascend.backends import pto
from tl_ascend.backends.manifest import Emitted

DATA = Path(__file__).parent / "data"
GXX = shutil.which("g++") or ""
# The headers check more than old compilers bear in templates that nobody uses; what they check at run
# time stays.
LOOSE = "-Dstatic_assert(...)=static_assert(true)"
FLAGS = ("-std=c++20", "-O1", "-w", "-pthread", "-D__CPU_SIM", LOOSE)
SIDES = {"cube": "CUBE", "vector": "VEC"}
SECONDS = 120
PRELUDE = ('#include "prelude.h"',)
INCLUDES = re.compile(r"^#include .*$", re.MULTILINE)


class Failed(Exception):
    """A program that cannot be built or does not end as it should; the reason is its text."""


@dataclass(frozen=True)
class Tools:
    """What every program shares: `folder` holds the precompiled prelude and the runner."""

    folder: Path
    headers: Headers

    def flags(self, templates: Path) -> list[str]:
        # What upstream's header lacks stands in headers of ours beside it.
        places = (self.folder, DATA, self.headers.simulator, templates, ours())
        return [*FLAGS, *(f"-I{place}" for place in places)]


def prepared(folder: Path, headers: Headers) -> Tools:
    """Compile the prelude and the runner, which takes some seconds. Errors: Failed."""
    tools = Tools(folder, headers)
    prelude, runner = (folder / name for name in ("prelude.h", "runner.cpp"))
    for copy in (prelude, runner):  # a precompiled header is found beside its text only
        shutil.copy(DATA / copy.name, copy)
    flags = tools.flags(headers.templates)
    _compile([*flags, "-x", "c++-header", str(prelude), "-o", f"{prelude}.gch"])
    _compile([*flags, "-c", str(runner), "-o", str(folder / "runner.o")])
    return tools


def ours() -> Path:
    """The folder of our own template header."""
    return pto.BACKEND.include["device"]


def device_part(program: Emitted) -> str:
    """All before the host function."""
    text, found, _ = program.text.partition('extern "C" void call(')
    assert found
    return text


def build(
    tools: Tools,
    folder: Path,
    program: Emitted,
    templates: Path,
    numbers: Mapping[int, str] = MappingProxyType({}),
) -> Path:
    """The executable of a program. `numbers`: its arguments that are none of the tensors, by place.
    Errors: Failed."""
    folder.mkdir(parents=True, exist_ok=True)
    part = device_part(program)
    (folder / "device.inc").write_text(part, encoding="utf-8")
    sources = {side: _around(program, part, side, macro, numbers) for side, macro in SIDES.items()}
    return _built(tools, folder, templates, sources)


def build_many(
    tools: Tools,
    folder: Path,
    programs: Sequence[tuple[Emitted, Mapping[int, str]]],
    templates: Path,
) -> Path:
    """One executable of several programs, which costs a fraction of theirs: what they include is
    included once. `run` says which one is meant. Errors: Failed."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [device_part(program) for program, _ in programs]
    for at, part in enumerate(parts):
        text = INCLUDES.sub("", part)
        (folder / f"device_{at}.inc").write_text(text, encoding="utf-8")
    heads = dict.fromkeys(line for part in parts for line in INCLUDES.findall(part))
    sources = {}
    for side, macro in SIDES.items():
        lines, cases = [*PRELUDE, *heads, f"#define __DAV_C220_{macro}__"], []
        for at, (program, numbers) in enumerate(programs):
            if _on_side(parts[at], macro):
                lines += _renamed(
                    program, f"{side}_{at}", f"namespace unit_{at} {{", f"device_{at}.inc", "}"
                )
                lines.append(
                    f"#define run_{at}(t) unit_{at}::{_call(program, f'{side}_{at}', numbers)}"
                )
                cases.append(f"case {at}: run_{at}(t); break;")
        lines.append(f'extern "C" void proof_{side}(char **t) {{ switch (proof::number()) {{')
        sources[side] = "\n".join([*lines, *cases, "default: break; } }"]) + "\n"
    return _built(tools, folder, templates, sources)


def _around(program: Emitted, part: str, side: str, macro: str, numbers: Mapping[int, str]) -> str:
    lines = [*PRELUDE]
    call = ""
    if _on_side(part, macro):
        lines.append(f"#define __DAV_C220_{macro}__")
        lines += _renamed(program, side, "", "device.inc", "")
        call = f"{_call(program, side, numbers)};"
    return "\n".join([*lines, f'extern "C" void proof_{side}(char **t) {{ {call} }}']) + "\n"


def _on_side(part: str, macro: str) -> bool:
    """True where a program has code for a half of the core. What is divided at all is of both."""
    return f"__DAV_C220_{macro}__" in part or "__DAV_C220_" not in part


def _renamed(program: Emitted, ending: str, before: str, file: str, after: str) -> list[str]:
    """The device part under a name of its own."""
    name = program.launch.kernel
    lines = (
        f"#define {name} {name}_{ending}",
        before,
        f'#include "{file}"',
        after,
        f"#undef {name}",
    )
    return [line for line in lines if line]


def _call(program: Emitted, ending: str, numbers: Mapping[int, str]) -> str:
    tensors = count()
    passed = [
        numbers.get(at) or f"reinterpret_cast<uint8_t *>(t[{next(tensors)}])"
        for at in range(len(program.launch.arguments))
    ]
    return f"{program.launch.kernel}_{ending}({', '.join([*passed, '0'])})"


def _built(tools: Tools, folder: Path, templates: Path, sources: Mapping[str, str]) -> Path:
    commands, objects = [], [str(tools.folder / "runner.o")]
    for side, text in sources.items():
        source = folder / f"{side}.cpp"
        source.write_text(text, encoding="utf-8")
        objects.append(str(source.with_suffix(".o")))
        flags = [*tools.flags(templates), f"-I{folder}"]
        commands.append([*flags, "-c", str(source), "-o", objects[-1]])
    _compile_all(commands)
    result = folder / "program"
    _compile(["-pthread", *objects, "-ldl", "-o", str(result)])
    return result


def _compile(arguments: list[str]) -> None:
    _compile_all([arguments])


def _compile_all(commands: list[list[str]]) -> None:
    environment = {**os.environ, "LC_ALL": "C"}
    running = [
        subprocess.Popen(
            [GXX, *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for command in commands
    ]
    problems = [process.communicate()[1] for process in running]
    for process, problem in zip(running, problems, strict=True):
        if process.returncode:
            lines = [line for line in problem.splitlines() if " error: " in line]
            raise Failed(f"does not compile, {lines[0] if lines else problem[-300:]}")


def run(
    program: Path, blocks: int, together: int, tensors: list[np.ndarray], number: int = 0
) -> list[np.ndarray]:
    """The tensors after all blocks have run. `number`: which one of several programs. Errors: Failed."""
    source, target = program.with_name("tensors.in"), program.with_name("tensors.out")
    source.write_bytes(b"".join(tensor.tobytes() for tensor in tensors))
    target.unlink(missing_ok=True)
    sizes = [str(tensor.nbytes) for tensor in tensors]
    command = [str(program), str(blocks), str(together), str(source), str(target), *sizes]
    try:
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env={**os.environ, "PROOF_NUMBER": str(number)},
        )
    except subprocess.TimeoutExpired:
        raise Failed(f"runs longer than {SECONDS} s") from None
    if ran.returncode:
        said = (ran.stdout + ran.stderr).strip().splitlines()
        raise Failed(f"stops with {ran.returncode}, {said[-1] if said else 'no output'}")
    data, found = target.read_bytes(), []
    for tensor in tensors:
        found.append(np.frombuffer(data[: tensor.nbytes], tensor.dtype).reshape(tensor.shape))
        data = data[tensor.nbytes :]
    return found
