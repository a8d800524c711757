"""Every row of the operation table has a meaning in numpy, or a reason why not."""

from __future__ import annotations

import pytest

from tl_ascend import simulate
from tl_ascend.ops.row import Op
from tl_ascend.ops.table import ROWS, TABLE
from tl_ascend.simulate.registry import SEMANTICS, SYNCHRONISATION, UNSUPPORTED, VALUES

assert simulate.run
DEVICE = [r for r in ROWS if not r.status and (r.forms or r.kind in ("tile", "sync"))]
SCALARS = [r for r in ROWS if not r.status and r.family == "values"]


@pytest.mark.parametrize("row", [*DEVICE, *SCALARS], ids=lambda row: row.name)
def test_a_row_has_one_semantic(row: Op) -> None:
    where = [SEMANTICS, VALUES, SYNCHRONISATION, UNSUPPORTED]
    assert sum(row.name in known for known in where) == 1


def test_semantics_are_those_of_rows() -> None:
    known = {*SEMANTICS, *VALUES, *SYNCHRONISATION, *UNSUPPORTED}
    assert {name for name in known if name not in TABLE} == set()


def test_reasons_say_something() -> None:
    assert all(len(why.split()) > 3 for why in UNSUPPORTED.values())
