"""What stands under the cursor."""

from __future__ import annotations

import ast

from tl_ascend.source.span import Position
from tl_ascend.source.units import FileUnits, Unit, span_of


def unit_at(file: FileUnits, position: Position) -> Unit | None:
    """The top-level statement that begins at a position or before it."""
    found: Unit | None = None
    for unit in file.units:
        if file.rows[unit.home] > position.row:
            break
        found = unit
    return found


def node_at(file: FileUnits, position: Position) -> ast.AST | None:
    """The name, attribute or parameter whose identifier is at a position."""
    unit = unit_at(file, position)
    if unit is None:
        return None
    best: ast.AST | None = None
    row = position.row - file.rows[unit.home] + unit.first_row
    for node in unit.nodes:
        if not isinstance(node, (ast.Attribute, ast.Name, ast.arg)):
            continue
        if node.end_lineno != row:  # names do not span rows; places are costly to compute
            continue
        part = "" if isinstance(node, ast.Name) else "name"
        place = file.range_of(span_of(node, part))
        if place is not None and place.contains(position):
            best = node
    return best
