"""What upstream's compiler made of kernels of its own, and which kernels of ours are the same."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.driver.settings import ProjectSettings
from tl_ascend.ir.nodes import AUTO_SYNC, MEMORY_PLANNING

# Names that upstream's compiler gives to buffers which it adds.
_ADDED = re.compile(r"tmp_ub\w*|\w+_\d+_data")
_PARTS = ("examples", "testing", "benchmark")


@dataclass(frozen=True)
class Place:
    """A buffer as upstream places it. Unit of `address`: bytes."""

    name: str
    memory: str
    elements: int
    address: int

    @property
    def added(self) -> bool:
        return _ADDED.fullmatch(self.name) is not None


@dataclass(frozen=True)
class Fact:
    """One kernel. `sync`: calls by name; `barriers`: by pipe."""

    example: str
    kernel: str
    arguments: str
    options: dict[str, Any]
    buffers: tuple[Place, ...]
    operations: list[str]
    sync: dict[str, int]
    barriers: dict[str, int]

    @property
    def key(self) -> tuple[str, str]:
        return self.example, self.kernel

    @property
    def automatic(self) -> bool:
        """True where the compiler inserts synchronisation."""
        return bool(self.options.get(AUTO_SYNC))

    @property
    def planned(self) -> bool:
        """True where buffers may share memory."""
        return bool(self.options.get(MEMORY_PLANNING))


def read_facts(path: Path) -> list[Fact]:
    """All kernels that have an Ascend C program."""
    rows = json.loads(path.read_text("utf-8"))
    return [_fact(row) for row in rows if row.get("ascendc")]


def _fact(row: dict[str, Any]) -> Fact:
    params, program = row["params"], row["ascendc"]
    places = tuple(
        Place(b["name"], b["memory"], b["elements"], b["address"]) for b in program["buffers"]
    )
    return Fact(
        row["example"],
        row["kernel"],
        params["args"],
        params.get("pass_configs") or {},
        places,
        program["operations"],
        program["sync"],
        program["barriers"],
    )


class Ours:
    """Our kernels for the facts of a checkout."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout.resolve()
        self._checker = Checker(Files())
        self._kernels = lru_cache(maxsize=4)(self._check)

    def kernels(self, fact: Fact) -> list[KernelReport]:
        """The kernels that a fact may speak of: those of its factory, with its arguments where any
        have them. Where the file takes the factory from another one, those of the other file."""
        name = fact.kernel.partition("__")[0]
        path = self._file(fact.example)
        known = [k for k in self._kernels(path) if k.lowered is not None] if path else []
        found = [k for k in known if k.factory == name] or [k for k in known if k.name == name]
        if not found and path is not None and not known:
            found = [k for p in self._defining(path, name) for k in self._of(p, name, fact)]
        found = found or known
        return [k for k in found if _same_arguments(fact.arguments, k.instance)] or found

    def _of(self, path: Path, name: str, fact: Fact) -> Iterator[KernelReport]:
        """The kernels of a factory in another file, with the arguments of the fact too."""
        given = _given(fact.arguments)
        text = "" if given is None else ", ".join(map(repr, given[0]))
        for kernel in self._kernels(path, f"{name}({text})"):
            if kernel.factory == name and kernel.lowered is not None:
                yield kernel

    def _check(self, path: Path, called: str = "") -> tuple[KernelReport, ...]:
        name, _, text = called.rstrip(")").partition("(")
        place = f"{path.resolve().relative_to(self._checkout).as_posix()}:{name}"
        stated = {place: (text,)} if text else {}
        options = CheckOptions(project=ProjectSettings(self._checkout, stated=stated))
        return self._checker.check(str(path), options).kernels

    def _file(self, example: str) -> Path | None:
        inner = example.replace(".", "/") + ".py"
        places = [self._checkout / "examples" / inner, self._checkout / inner]
        return next((place for place in places if place.exists()), None)

    def _defining(self, path: Path, name: str) -> Iterator[Path]:
        """Files of the checkout that define a function, those of the same folder first."""
        every = [p for part in _PARTS for p in sorted((self._checkout / part).rglob("*.py"))]
        for other in sorted(every, key=lambda p: path.parent not in p.parents):
            if re.search(rf"^def {name}\(", other.read_text("utf-8"), re.MULTILINE):
                yield other


def _same_arguments(called: str, instance: str) -> bool:
    """True where a call `(1024, 512) {'dtype': 'float'}` gave the instance `M=1024, ...`."""
    given, values = _given(called), _values(instance)
    if given is None or not any(given):
        return False
    first = list(values.values())[: len(given[0])]
    named = all(name in values and values[name] == value for name, value in given[1].items())
    return first == given[0] and named


def _given(called: str) -> tuple[list[Any], dict[str, Any]] | None:
    """Positional and named arguments; None where one is no literal."""
    split = called.find(") {")
    try:
        return list(ast.literal_eval(called[: split + 1])), ast.literal_eval(called[split + 2 :])
    except (ValueError, SyntaxError):
        return None


def _values(instance: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({instance})", mode="eval").body
    except SyntaxError:
        return {}
    assert isinstance(call, ast.Call)
    return {k.arg: _literal(k.value) for k in call.keywords if k.arg is not None}


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
