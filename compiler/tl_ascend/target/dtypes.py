"""Element types: every spelling that kernels use, normalised; sizes and C names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DType:
    """An element type. `bits` may be 4 (int4); `c_name` is the device spelling of Ascend C."""

    name: str
    bits: int
    c_name: str
    kind: str  # float, int, uint, bool

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def bytes(self) -> int:
        return max(1, self.bits // 8)

    @property
    def limits(self) -> tuple[int, int] | None:
        """The least and the greatest number of an integer type."""
        if self.kind not in ("int", "uint"):
            return None
        signed = self.kind == "int"
        top = 2 ** (self.bits - signed) - 1
        return (-top - 1 if signed else 0), top

    def __str__(self) -> str:
        return self.name


_ROWS = (
    DType("float16", 16, "half", "float"),
    DType("float32", 32, "float", "float"),
    DType("float64", 64, "double", "float"),
    DType("bfloat16", 16, "bfloat16_t", "float"),
    DType("float8_e4m3", 8, "float8_e4m3_t", "float"),
    DType("float8_e5m2", 8, "float8_e5m2_t", "float"),
    DType("int4", 4, "int4b_t", "int"),
    DType("int8", 8, "int8_t", "int"),
    DType("int16", 16, "int16_t", "int"),
    DType("int32", 32, "int", "int"),
    DType("int64", 64, "int64_t", "int"),
    DType("uint8", 8, "uint8_t", "uint"),
    DType("uint16", 16, "uint16_t", "uint"),
    DType("uint32", 32, "uint32_t", "uint"),
    DType("uint64", 64, "uint64_t", "uint"),
    DType("bool", 8, "bool", "bool"),
)

BY_NAME: dict[str, DType] = {row.name: row for row in _ROWS}

_ALIASES = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "bf16": "bfloat16",
    "fp16": "float16",
    "fp32": "float32",
    "int": "int32",
    "uint": "uint32",
    "int4b": "int4",
    "float8_e4m3fn": "float8_e4m3",
    "e4m3_float8": "float8_e4m3",
    "e5m2_float8": "float8_e5m2",
    "long": "int64",
    "short": "int16",
}


def dtype(text: str) -> DType | None:
    """The element type for any spelling ("float", "torch.float16", "half"); None if unknown."""
    plain = text.rsplit(".", 1)[-1]
    return BY_NAME.get(_ALIASES.get(plain, plain))


FLOAT16, FLOAT32, INT32, BOOL = (BY_NAME[n] for n in ("float16", "float32", "int32", "bool"))
INT64, UINT8, UINT16, UINT32 = (BY_NAME[n] for n in ("int64", "uint8", "uint16", "uint32"))
