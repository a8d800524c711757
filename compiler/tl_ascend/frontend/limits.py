"""How large Python values may grow while they are evaluated. What would grow further is not built:
a file must not be able to fill the memory, whatever it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tl_ascend.ir.fold import MAX_INT_BITS

MAX_ITEMS = 200_000
MAX_TEXT = 1_000_000
MAX_RANGE = 2**61


class TooLong(OverflowError):
    """A value that is not built; what should have held it is unknown."""


class Opaque(TooLong):
    """An operation that the class of an object defines by itself; its result is unknown."""


_WIDE = re.compile(r"\d{5}")
_PADDED = ("ljust", "rjust", "center", "zfill", "expandtabs")


def check_length(count: int) -> None:
    """Errors: TooLong for a sequence that is not worth building."""
    if count > MAX_ITEMS:
        raise TooLong(f"a sequence of {count:,} elements is not evaluated")


def items_of(value: Any) -> list[Any]:
    """The elements of a container. Errors: TooLong for a long range."""
    if isinstance(value, range):
        check_length(len(value))
    return list(value)


def check_format(spec: str, stars: bool = False) -> None:
    """Errors: TooLong for a format with a wide field. `stars`: where `*` takes a width."""
    if _WIDE.search(spec) or (stars and "*" in spec):
        raise TooLong("a format with a wide field is not evaluated")


def check_method(owner: Any, name: str, args: Sequence[Any]) -> None:
    """Errors: TooLong for a call that makes something much longer of its operands."""
    if isinstance(owner, str):
        _check_text(owner, name, args)
    elif isinstance(owner, int) and name == "to_bytes":
        raise TooLong("bytes of a number are not evaluated")
    elif isinstance(owner, list) and name == "extend" and args:
        if isinstance(args[0], (list, tuple, range, str, dict, set)):
            check_length(len(owner) + len(args[0]))


def _check_text(owner: str, name: str, args: Sequence[Any]) -> None:
    count = 0
    if name in _PADDED:
        count = max((a for a in args if isinstance(a, int)), default=0)
    elif name == "replace" and len(args) > 1 and all(isinstance(a, str) for a in args[:2]):
        count = len(owner) + owner.count(args[0]) * len(args[1])
    elif name == "join" and args and isinstance(args[0], (list, tuple)):
        count = sum(len(a) + len(owner) for a in args[0] if isinstance(a, str))
    elif name == "format":
        check_format(owner)
        if any(isinstance(a, int) and a > MAX_TEXT for a in args) and re.search(
            r":[^{}]*\{", owner
        ):
            raise TooLong("a format with a wide field is not evaluated")
    if count > MAX_TEXT:
        raise TooLong(f"a text of {count:,} characters is not evaluated")


def check_builtin(name: str, args: Sequence[Any]) -> None:
    """Errors: TooLong for a builtin that makes something huge of a number."""
    numbers = [a for a in args if isinstance(a, int)]
    if name == "bytes" and numbers:
        check_length(numbers[0])
    if name == "pow" and len(args) == 2 and len(numbers) == 2 and numbers[1] > 0:
        if numbers[0].bit_length() * numbers[1] > MAX_INT_BITS:
            raise TooLong("the result of pow() has too many digits")
