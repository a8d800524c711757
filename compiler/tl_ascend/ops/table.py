"""All rows, by name. Add a row to the file of its family; add a family here."""

from __future__ import annotations

from tl_ascend.ops import (
    bitwise,
    copy,
    debug,
    deprecated,
    experimental,
    gather,
    language,
    math,
    matmul,
    remote,
    retired,
    sort,
    sync,
    values,
    vector,
    views,
)
from tl_ascend.ops.row import Op

FAMILIES = (
    language,
    values,
    copy,
    matmul,
    vector,
    bitwise,
    math,
    gather,
    sort,
    sync,
    views,
    debug,
    remote,
    experimental,
    deprecated,
    retired,
)
ROWS: tuple[Op, ...] = tuple(row for family in FAMILIES for row in family.ROWS)

TABLE: dict[str, Op] = {row.name: row for row in ROWS}
if len(TABLE) != len(ROWS):
    raise ValueError("two rows have the same name")


def names(prefix: str = "") -> list[str]:
    """Names that may follow `T.` (or `T.tile.` for prefix "tile."), sorted. What T does not have is
    not among them."""
    listed = (n for n, row in TABLE.items() if n.startswith(prefix) and row.defined)
    return sorted({n[len(prefix) :].split(".", 1)[0] for n in listed})
