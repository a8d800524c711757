"""What rows of vector operations are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tl_ascend.ops.row import (
    ANY_TYPE,
    REQUIRED,
    Dtypes,
    Emit,
    Form,
    Given,
    Op,
    Param,
    Role,
    Template,
    Values,
)
from tl_ascend.target.hardware import Core, Memory, Pipe

UB = (Memory.UB,)
UPSTREAM = "tile-ai/tilelang-ascend 95acbd7f, tilelang/language"
TILE = f"{UPSTREAM}/ascend_tile.py; CANN "


def emits(entry: Emit | str, pto: Emit | str | None = None) -> Mapping[str, Emit]:
    """An entry for every route, the same where no other is given; text is a template."""
    both = (entry, entry if pto is None else pto)
    made = [Template(one) if isinstance(one, str) else one for one in both]
    return MappingProxyType(dict(zip(("ascendc", "pto"), made, strict=True)))


def form(
    name: str,
    entry: Emit | str,
    dtypes: Dtypes = ANY_TYPE,
    calls: tuple[str, ...] = (),
    pto: Emit | str | None = None,
    waits: tuple[tuple[Pipe, Pipe, int], ...] = (),
    mixes: bool = False,
    scalar: str = "{}",
) -> Form:
    """A call of the vector unit; text is a template. `waits`: flags that the call uses itself on route
    pto."""
    events = {"pto": waits} if waits else {}
    return Form(
        name,
        Pipe.V,
        Core.VECTOR,
        emits(entry, pto),
        dtypes=dtypes,
        calls=calls,
        route_events=MappingProxyType(events),
        mixes=mixes,
        scalar=scalar,
    )


# The scalar unit works within the call: on flag 0, before and after.
SCALAR_INSIDE = ((Pipe.V, Pipe.S, 0), (Pipe.S, Pipe.V, 0))


def reads(
    name: str,
    dtypes: Dtypes = ANY_TYPE,
    whole: bool = False,
    spoilt_on: tuple[str, ...] = (),
    values: Values = Values.ANY,
    lone: bool = False,
    needs: Callable[[Given], int] | None = None,
) -> Param:
    return Param(
        name,
        "region",
        Role.READ,
        memories=UB,
        dtypes=dtypes,
        whole=whole,
        spoilt_on=spoilt_on,
        values=values,
        lone=lone,
        needs=needs,
    )


def writes(
    name: str,
    dtypes: Dtypes = ANY_TYPE,
    whole: bool = False,
    needs: Callable[[Given], int] | None = None,
) -> Param:
    return Param(name, "region", Role.WRITE, memories=UB, dtypes=dtypes, whole=whole, needs=needs)


def updates(
    name: str,
    dtypes: Dtypes = ANY_TYPE,
    whole: bool = False,
    needs: Callable[[Given], int] | None = None,
) -> Param:
    return Param(
        name, "region", Role.READ_WRITE, memories=UB, dtypes=dtypes, whole=whole, needs=needs
    )


BLOCKS = 8  # blocks of 32 bytes that one repeat covers


def counted(name: str) -> Callable[[Given], int]:
    """As many elements as a parameter says."""
    return lambda given: given.number(name)


def blocks_of_repeats(times: str, block: str, repeat: str) -> Callable[[Given], int]:
    """To the end of the last block, where all of them take part; strides count blocks."""
    return lambda given: (
        given.unit
        * (
            (given.number(times) - 1) * given.number(repeat)
            + (BLOCKS - 1) * given.number(block)
            + 1
        )
    )


def lanes_of_repeats(times: str, block: str, repeat: str, mask: str) -> Callable[[Given], int]:
    """To the last lane of the last repeat."""

    def least(given: Given) -> int:
        last = given.number(mask) - 1
        lane = last // given.unit * given.number(block) * given.unit + last % given.unit
        return (given.number(times) - 1) * given.number(repeat) * given.unit + lane + 1

    return least


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
    by_element: bool = False,
    lacking_on: tuple[str, ...] = (),
    unordered: bool = False,
    in_place: bool = False,
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
        by_element=by_element,
        lacking_on=lacking_on,
        unordered=unordered,
        in_place=in_place,
    )


def lacking(route: str, *rows: Op) -> tuple[Op, ...]:
    """Rows that upstream's compiler has no code for on a route."""
    return tuple(replace(row, lacking_on=(route,)) for row in rows)
