"""The vendor's headers, made readable for a host compiler, and programs judged against them."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.optional.asc_devkit.messages import CONDITION, Message, always_runs, lines, messages
from tests.optional.asc_devkit.stubs import Stubs, tiling_header

DATA = Path(__file__).parent / "data"
FOLDERS = (
    *("include", "include/basic_api", "include/utils", "include/adv_api"),
    *(".", "impl", "impl/basic_api", "impl/adv_api"),
)
FLAGS = (
    *("-std=c++17", "-w", "-Wno-invalid-constexpr", "-ferror-limit=0", "-fno-spell-checking"),
    *("-fno-caret-diagnostics", "-ftemplate-backtrace-limit=0"),
    *("-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220"),
    # What is wrong inside of the headers, in code that nobody here calls, is known and left out.
    *("-Xclang", "-fallow-pch-with-compiler-errors"),
)
OURS = ("compiler.h", "conditions.h", "shmem.h")
PARTS = ("compiler.h", "stubs.h", "conditions.h", "kernel_operator.h")
EMPTY = ("acl/acl.h", "runtime/rt_ffts.h")  # for the host function, which is not looked at
# Of bfloat16_t, which is a class here: no class can be assigned in another address space.
ASSIGNED = "no viable overloaded '='"
CORES = ("VEC", "CUBE")
ROUNDS = 12
OLDEST = 18  # of clang


@cache
def compiler() -> str:
    """A clang++ that is young enough; empty where there is none."""
    names = (*(f"clang++-{n}" for n in range(22, OLDEST - 1, -1)), "clang++")
    return next((found for name in names if (found := shutil.which(name)) and _young(found)), "")


def _young(found: str) -> bool:
    ran = subprocess.run([found, "-dumpversion"], capture_output=True, text=True, check=False)
    number = ran.stdout.partition(".")[0]
    return number.isdecimal() and int(number) >= OLDEST


def kept(checkout: Path) -> Path:
    """The folder for what was learnt of a checkout: of these headers, by this code."""
    digest = hashlib.sha256()
    for path in [*sorted(Path(__file__).parent.rglob("*.[hp]*")), *sorted(checkout.rglob("*.h"))]:
        state = path.stat()
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    folder = Path(tempfile.gettempdir()) / f"tl-ascend-asc-devkit-{digest.hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    return folder


@dataclass
class Headers:
    """The headers of a checkout as one kind of core sees them. `folder` keeps what was learnt;
    `include`: more folders for programs. `remaining`: what is wrong inside of the headers alone."""

    checkout: Path
    core: str
    folder: Path
    include: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        self.known = self.folder / f"{self.core}.json"
        self.stubs = Stubs.load(self.known)
        self.place = self.folder / self.core
        made = {name: (DATA / name).read_text("utf-8") for name in OURS}
        made |= dict.fromkeys(EMPTY, "")
        made["kernel_tiling/kernel_tiling.h"] = tiling_header(self.checkout)
        made["headers.h"] = "".join(f'#include "{part}"\n' for part in PARTS)
        for name, text in made.items():
            path = self.place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.remaining = self._parsed()

    def check(self, program: Path) -> list[Message]:
        """What the headers have against a program. They may need to learn more names for it."""
        for _ in range(ROUNDS):
            errors = self._run("-include-pch", self.place / "headers.pch", "-fsyntax-only", program)
            if not self.stubs.learn(errors, self.checkout):
                break
            self.remaining = self._parsed()
        known = {error.key for error in self.remaining}
        return [e for e in errors if e.key not in known and self._counts(e)]

    def _counts(self, error: Message) -> bool:
        inside = error.path.startswith(f"{self.checkout}/")
        if inside and error.text == ASSIGNED:
            return False
        if error.text != CONDITION or not inside:
            return True
        told = " ".join(lines(error.path)[error.row - 1 : error.row + 3])
        # Some conditions are those of the vendor's CPU mode, which nobody asks for here.
        return "cpu mode" not in told and always_runs(error.path, error.row)

    def _parsed(self) -> list[Message]:
        """Parse the headers alone until nothing more can be learnt. What is still wrong with them."""
        source, target = self.place / "headers.h", self.place / "headers.pch"
        for _ in range(ROUNDS):
            (self.place / "stubs.h").write_text(self.stubs.text(), encoding="utf-8")
            errors = self._run("-x", "c++-header", source, "-o", target)
            if not self.stubs.learn(errors, self.checkout):
                break
        self.stubs.save(self.known)
        return errors

    def _run(self, *arguments: str | Path) -> list[Message]:
        defines = (f"-D__DAV_C220_{self.core}__", f"-D__DAV_{self.core}__")
        folders = (self.place, *(self.checkout / name for name in FOLDERS), *self.include)
        includes = [f"-I{folder}" for folder in folders]
        command = [compiler(), *FLAGS, *defines, *includes, *map(str, arguments)]
        environment = {**os.environ, "LC_ALL": "C"}
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        return messages(ran.stderr)
