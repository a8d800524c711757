"""What AscendNPU IR makes of a kernel: its plan, and a run of its synchronisation."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from tests.optional.npu_ir.clocks import Clocks

PASSES = ("--hivm-plan-memory", "--hivm-inject-sync")
BYTES = {"f32": 4, "f16": 2, "i32": 4, "i16": 2, "i8": 1}
PIPE = {"load": "MTE2", "store": "MTE3"}
_CONSTANT = re.compile(r"(%\w+) = arith\.constant (-?\d+|true|false) : ")
_LOOP = re.compile(r"scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+) \{")
_MAP = re.compile(r"(#\w+) = affine_map<\((.*?)\)(?:\[(.*?)\])? -> \((.*)\)>")
_APPLY = re.compile(r"(%\w+) = affine\.apply (#\w+)\((.*?)\)(?:\[(.*?)\])?")
_ARITH = re.compile(
    r"(%\w+) = arith\.(\w+) (?:(eq|ne|slt|sgt|sge|sle), )?(%\w+)(?:, (%\w+))?(?:, (%\w+))?"
)
_CAST = re.compile(r"(%\w+) = hivm\.hir\.pointer_cast\((.*?)\) .*?: memref<([\dx]+)x(\w+)")
_FLAG = re.compile(
    r"hivm\.hir\.(set|wait)_flag\[<PIPE_(\w+)>, <PIPE_(\w+)>, (?:<EVENT_ID(\d+)>|(%\w+))\]"
)
_BARRIER = re.compile(r"hivm\.hir\.pipe_barrier\[<PIPE_(\w+)>\]")
_CALL = re.compile(r"hivm\.hir\.(\w+)\b.*? ?(?:ins\((.*?) : .*?\) )?outs\((%\w+) : ")
_SCRATCH = re.compile(r"temp_buffer\((%\w+) : ")
_SILENT = ("module", "func.func", "annotation.mark", "return", "#", "}")

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "remsi": lambda a, b: a % b,
    "remui": lambda a, b: a % b,
    "floordivsi": lambda a, b: a // b,
    "divsi": lambda a, b: a // b,
}
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "sle": lambda a, b: a <= b,
}


def planned(tool: Path, text: str) -> str:
    """The text with addresses and synchronisation."""
    ran = subprocess.run(
        [tool, "-", *PASSES], input=text, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"bishengir-opt: {ran.stderr[:2000]}\n{text}")
    return ran.stdout


@dataclass
class Theirs:
    """A run of planned text. Statements are the numbers of the operations in it."""

    text: str
    clocks: Clocks = field(default_factory=Clocks)
    values: dict[str, int] = field(default_factory=dict)
    places: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    maps: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    peak: int = 0

    def __post_init__(self) -> None:
        self.lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        for found in filter(None, map(_MAP.match, self.lines)):
            names = [*found[2].split(", "), *(found[3] or "").split(", ")]
            inside = found[4].replace("mod", "%").replace("floordiv", "//")
            self.maps[found[1]] = [name for name in names if name], inside
        calls = [at for at, line in enumerate(self.lines) if self._call(line)]
        self.number = {at: number for number, at in enumerate(calls)}
        self._run(0, len(self.lines), 0)
        assert not self.clocks.flags, "flags are left set"

    @staticmethod
    def _call(line: str) -> re.Match[str] | None:
        return None if "_flag[" in line else _CALL.match(line)

    def _run(self, first: int, last: int, turn: int) -> None:
        at = first
        while at < last:
            found = _LOOP.match(self.lines[at])
            if found is None:
                self._line(at, turn)
                at += 1
                continue
            end = self._end(at)
            start, stop, step = (self.values[name] for name in found.groups()[1:])
            for count, value in enumerate(range(start, stop, step)):
                self.values[found[1]] = value
                self._run(at + 1, end, count)
            at = end + 1

    def _end(self, at: int) -> int:
        depth = 0
        for place in range(at, len(self.lines)):
            depth += self.lines[place].endswith("{") - self.lines[place].startswith("}")
            if depth == 0:
                return place
        raise AssertionError("a loop has no end")

    def _line(self, at: int, turn: int) -> None:
        line = self.lines[at]
        if found := _FLAG.match(line):
            event = int(found[4]) if found[4] else self.values[found[5]]
            act = self.clocks.set if found[1] == "set" else self.clocks.wait
            act(found[2], found[3], event)
        elif found := _BARRIER.match(line):
            self.clocks.barrier(found[1])
        elif found := _CAST.match(line):
            self._place(found, turn)
        elif found := self._call(line):
            self._work(at, found)
        elif (
            not self._number(line) and not line.startswith(_SILENT) and "memref.subview" not in line
        ):
            assert " : f" in line, f"what is this: {line}"

    def _place(self, found: re.Match[str], turn: int) -> None:
        size = prod(map(int, found[3].split("x"))) * BYTES[found[4]]
        starts = [self.values[name] for name in found[2].split(", ")]
        self.peak = max(self.peak, *(start + size for start in starts))
        start = starts[turn % len(starts)]
        self.places[found[1]] = ((start, start + size),)

    def _work(self, at: int, found: re.Match[str]) -> None:
        read = [name for name in re.findall(r"%\w+", found[2] or "")]
        reads = tuple(place for name in read for place in self.places.get(name, ()))
        scratch = _SCRATCH.search(self.lines[at])
        extra = self.places[scratch[1]] if scratch else ()
        writes = (*self.places.get(found[3], ()), *extra)
        self.clocks.issue(self.number[at], PIPE.get(found[1], "V"), reads, writes)

    def _number(self, line: str) -> bool:
        if found := _CONSTANT.match(line):
            words = {"true": 1, "false": 0}
            self.values[found[1]] = words[found[2]] if found[2] in words else int(found[2])
        elif found := _APPLY.match(line):
            names, inside = self.maps[found[2]]
            given = [*(found[3] or "").split(", "), *(found[4] or "").split(", ")]
            numbers = [self.values[name] for name in given if name]
            self.values[found[1]] = eval(inside, {}, dict(zip(names, numbers, strict=True)))
        elif found := _ARITH.match(line):
            self.values[found[1]] = self._arithmetic(found)
        else:
            return False
        return True

    def _arithmetic(self, found: re.Match[str]) -> int:
        operands = [self.values[name] for name in found.groups()[3:] if name]
        if found[2] == "cmpi":
            return int(COMPARED[found[3]](*operands))
        if found[2] == "select":
            return operands[1] if operands[0] else operands[2]
        if found[2] in OPERATIONS:
            return OPERATIONS[found[2]](*operands)
        assert found[2] in ("index_cast", "extsi", "extui", "trunci"), found[0]
        return operands[0]
