"""All rows, by name. Add a row to the file of its family; add a family here."""

from __future__ import annotations

from tl_ascend.ops import copy, language, matmul, sync, vector
from tl_ascend.ops.row import Op

ROWS: tuple[Op, ...] = (*language.ROWS, *copy.ROWS, *matmul.ROWS, *vector.ROWS, *sync.ROWS)

TABLE: dict[str, Op] = {row.name: row for row in ROWS}
if len(TABLE) != len(ROWS):
    raise ValueError("two rows have the same name")


def names(prefix: str = "") -> list[str]:
    """Names that may follow `T.` (or `T.tile.` for prefix "tile."), sorted."""
    found = {n[len(prefix) :].split(".", 1)[0] for n in TABLE if n.startswith(prefix)}
    return sorted(found)
