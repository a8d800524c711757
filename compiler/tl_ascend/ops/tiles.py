"""What rows of vector operations are made of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tl_ascend.ops.row import (
    ANY_TYPE,
    REQUIRED,
    Dtypes,
    Emit,
    Form,
    Op,
    Param,
    Role,
    Template,
)
from tl_ascend.target.hardware import Core, Memory, Pipe

UB = (Memory.UB,)
UPSTREAM = "tile-ai/tilelang-ascend 95acbd7f, tilelang/language"
TILE = f"{UPSTREAM}/ascend_tile.py; CANN "


def emits(entry: Emit) -> Mapping[str, Emit]:
    """The same entry for every route that we have."""
    return MappingProxyType({"ascendc": entry})


def form(
    name: str, entry: Emit | str, dtypes: Dtypes = ANY_TYPE, calls: tuple[str, ...] = ()
) -> Form:
    """A call of the vector unit; text is a template."""
    emit = emits(Template(entry) if isinstance(entry, str) else entry)
    return Form(name, Pipe.V, Core.VECTOR, emit, dtypes=dtypes, calls=calls)


def reads(name: str, dtypes: Dtypes = ANY_TYPE, whole: bool = False) -> Param:
    return Param(name, "region", Role.READ, memories=UB, dtypes=dtypes, whole=whole)


def writes(name: str, dtypes: Dtypes = ANY_TYPE, whole: bool = False) -> Param:
    return Param(name, "region", Role.WRITE, memories=UB, dtypes=dtypes, whole=whole)


def updates(name: str, dtypes: Dtypes = ANY_TYPE, whole: bool = False) -> Param:
    return Param(name, "region", Role.READ_WRITE, memories=UB, dtypes=dtypes, whole=whole)


def operand(name: str) -> Param:
    """A tile or a scalar."""
    return Param(name, "operand", Role.READ, memories=UB)


def scalar(name: str, default: Any = REQUIRED) -> Param:
    return Param(name, "scalar", default=default)


def number(name: str, default: Any = REQUIRED) -> Param:
    """A count, an index or a stride."""
    return Param(name, "int", default=default)


def word(name: str, *choices: str, default: Any = REQUIRED) -> Param:
    return Param(name, "text", default=default, choices=choices)


def numbers(*names: str) -> tuple[Param, ...]:
    return tuple(map(number, names))


def tile_op(
    name: str,
    family: str,
    params: tuple[Param, ...],
    doc: str,
    api: str,
    *forms: Form,
    choose: str = "single",
    scratch: str = "",
    checks: tuple[str, ...] = (),
    deprecated: str = "",
) -> Op:
    """A row under `T.tile`. `api`: the page of CANN that it rests on."""
    return Op(
        f"tile.{name}",
        "tile",
        params,
        doc,
        TILE + api,
        family,
        forms,
        choose,
        scratch,
        checks,
        deprecated=deprecated,
    )
