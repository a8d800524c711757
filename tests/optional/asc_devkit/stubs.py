"""Names that only Bisheng knows, learnt from what a host compiler misses in the vendor's headers.

Only errors at places inside of these headers teach anything, and functions of the API are written with a
capital letter, intrinsics with a small one. So nothing that a program or a template of ours misspells
is ever made up here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.optional.asc_devkit.messages import Message, lines

_UNDECLARED = re.compile(
    r"use of undeclared identifier '(\w+)'|no member named '(\w+)' in the global namespace"
)
_TYPE = re.compile(r"unknown type name '(\w+)'")
_ENUMERATOR = re.compile(r"no member named '(\w+)' in '(\w+)'")
_NOTHING = re.compile(r"void function .* should not return a value")
_INTRINSIC = re.compile(r"[a-z_]\w*")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]*|dec|inc")
_FIELD = re.compile(r"TILING_DATA_FIELD_DEF(_ARR)?\(([^)]*)\)")
_STRUCT = re.compile(r"BEGIN_TILING_DATA_DEF\((\w+)\)(.*?)END_TILING_DATA_DEF", re.DOTALL)


@dataclass
class Stubs:
    """Functions that take anything (with what they return), types, enumerators, constants."""

    functions: dict[str, str] = field(default_factory=dict)
    types: dict[str, set[str]] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)

    def learn(self, errors: Iterable[Message], root: Path) -> bool:
        """Whether the errors inside of a folder of headers taught anything new."""
        before = self.text()
        for error in errors:
            if error.path.startswith(f"{root}/"):
                self._learn(error)
        self.constants -= {name for members in self.types.values() for name in members}
        return self.text() != before

    def _learn(self, error: Message) -> None:
        if found := _UNDECLARED.match(error.text):
            self._name(error, found[1] or found[2])
        elif found := _TYPE.match(error.text):
            self.types.setdefault(found[1], set())
        elif (found := _ENUMERATOR.match(error.text)) and found[2] in self.types:
            self.types[found[2]].add(found[1])
        elif _NOTHING.match(error.text):
            called = re.search(r"return (\w+)\(", lines(error.path)[error.row - 1])
            if called and called[1] in self.functions:
                self.functions[called[1]] = "void"

    def _name(self, error: Message, name: str) -> None:
        rest = lines(error.path)[error.row - 1][error.column - 1 + len(name) :]
        if rest.startswith("::") or name.endswith("_t"):
            self.types.setdefault(name, set())
        elif re.match(r"\s*(\(|$)", rest) and _INTRINSIC.fullmatch(name):
            self.functions.setdefault(name, "int64_t")
        elif _CONSTANT.fullmatch(name):
            self.constants.add(name)

    def text(self) -> str:
        """A header that declares them."""
        parts = ["#pragma once"]
        for name, members in sorted(self.types.items()):
            inside = ", ".join(sorted(members))
            # The compiler's enumerations end in _t; its other types are registers.
            parts.append(
                f"enum {name} {{ {inside} }};" if name.endswith("_t") else f"struct {name} {{}};"
            )
        parts += [f"constexpr StubConstant {name}{{}};" for name in sorted(self.constants)]
        parts += [
            f"template <typename... A> {result} {name}(A...);"
            for name, result in sorted(self.functions.items())
        ]
        return "\n".join(parts) + "\n"

    def save(self, path: Path) -> None:
        """Keep them."""
        types = {name: sorted(members) for name, members in self.types.items()}
        kept = {"functions": self.functions, "types": types, "constants": sorted(self.constants)}
        path.write_text(json.dumps(kept, indent=1, sort_keys=True), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> Stubs:
        """What was kept; nothing where nothing was."""
        if not path.exists():
            return cls()
        kept = json.loads(path.read_text("utf-8"))
        types = {name: set(members) for name, members in kept["types"].items()}
        return cls(kept["functions"], types, set(kept["constants"]))


def tiling_header(checkout: Path) -> str:
    """The structures that CANN generates for the library's host side, of the same descriptions."""
    parts = ["#pragma once", "#include <cstdint>", "namespace AscendC {", "namespace tiling {"]
    for path in sorted((checkout / "include").rglob("*_tilingdata.h")):
        for name, body in _STRUCT.findall(path.read_text("utf-8", "replace")):
            fields = [_field(bool(array), words) for array, words in _FIELD.findall(body)]
            parts.append(f"struct {name} {{ {' '.join(fields)} }};")
    parts += ["} // namespace tiling", "using namespace tiling;", "} // namespace AscendC"]
    return "\n".join([*parts, "using namespace AscendC::tiling;", ""])


def _field(array: bool, words: str) -> str:
    parts = [word.strip() for word in words.split(",")]
    return f"{parts[0]} {parts[2]}[{parts[1]}];" if array else f"{parts[0]} {parts[1]};"
