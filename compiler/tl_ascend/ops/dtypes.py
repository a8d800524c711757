"""Element types that device calls take, by platform.

Sources: the type lists of the CANN API pages, and the table of intrinsics that CANN ships for
architecture 2201 (A2 and A3). For A5 there is no table yet: what is missing is not checked.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tl_ascend.ops.row import Dtypes


def a2a3(*names: str) -> Dtypes:
    """The same types on A2 and A3, which are one architecture."""
    found = frozenset(names)
    return MappingProxyType({"A2": found, "A3": found})


FLOATS: Final = a2a3("float16", "float32")
FLOAT: Final = a2a3("float32")
HALF: Final = a2a3("float16")
NUMBERS: Final = a2a3("float16", "float32", "int16", "int32")
WORDS: Final = a2a3("int16", "uint16")
SHIFTED: Final = a2a3("int16", "uint16", "int32", "uint32")
RELU: Final = a2a3("float16", "float32", "int32")
COMPARED: Final = RELU
POWERS: Final = RELU
REPEATED: Final = a2a3("float16", "float32", "int8", "uint8")
WORD16: Final = ("float16", "bfloat16", "int16", "uint16")
WORD32: Final = ("float32", "int32", "uint32")
WORDS16_32: Final = a2a3(*WORD16, *WORD32)
MOVED: Final = a2a3(*WORD16, *WORD32, "int8", "uint8")
STORED: Final = a2a3(*MOVED["A3"], "int64", "uint64")
FED: Final = a2a3("float16", "bfloat16", "float32", "int8")
ADDED: Final = a2a3("float16", "bfloat16", "float32", "int8", "int16", "int32")
ACCUMULATED: Final = a2a3("float32", "int32")
MASK: Final = a2a3("int8", "uint8")
SELECTED: Final = a2a3("uint8", "uint16", "uint32", "uint64")
OFFSETS: Final = a2a3("uint32")
PATTERN: Final = a2a3("uint16", "uint32")
