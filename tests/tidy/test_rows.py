"""Every row of the operation table: upstream's signature, and nothing missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tl_ascend.checks.run import OPERATION_CHECKS
from tl_ascend.frontend.language import HANDLERS
from tl_ascend.frontend.modules import MEANINGS
from tl_ascend.ops.row import REQUIRED, Op, Template
from tl_ascend.ops.script_names import SCRIPT_NAMES, TILE_NAMES
from tl_ascend.ops.table import ROWS, TABLE, names
from tl_ascend.passes.scratch_needs import RULES
from tl_ascend.passes.scratch_pto import PTO
from tl_ascend.target.dtypes import BY_NAME
from tl_ascend.target.hardware import PLATFORMS, Pipe

# Signatures of tile-ai/tilelang-ascend 95acbd7f, read off its `def` lines; `clear` and `real_shape`
# of the reductions with what their sentinels stand for.
DATA = Path(__file__).parent / "data" / "upstream_signatures.json"
UPSTREAM: dict[str, str] = json.loads(DATA.read_text(encoding="utf-8"))

KINDS = {
    "tile",
    "sync",
    "value",
    "alloc",
    "view",
    "frame",
    "loop",
    "type",
    "annotation",
    "host",
}
PARAM_KINDS = {"region", "scalar", "operand", "text", "flag", "int", "list", "any"}
assert MEANINGS  # importing them fills HANDLERS


def usable(kinds: str) -> list[Op]:
    return [row for row in ROWS if row.kind in kinds.split() and not row.status]


@pytest.mark.parametrize("name", UPSTREAM)
def test_a_row_has_the_signature_of_upstream(name: str) -> None:
    row = TABLE[name]
    if not row.status:
        assert row.signature == f"T.{name}({UPSTREAM[name]})"


def test_every_name_of_tile_is_known() -> None:
    assert {f"tile.{n}" for n in names("tile.")} == {n for n in UPSTREAM if n.startswith("tile.")}


def test_every_device_row_is_one_of_upstream() -> None:
    assert {row.name for row in usable("tile sync view")} <= set(UPSTREAM)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_what_it_is(row: Op) -> None:
    assert row.kind in KINDS
    assert row.source, "a row names its source"
    assert row.doc.endswith(".") or row.status, "a row is documented, or says what to use"
    assert len({p.name for p in row.params}) == len(row.params)
    for param in row.params:
        assert param.kind in PARAM_KINDS
        assert param.default is REQUIRED or param.kind != "operand"
        assert not param.overwritten_if or row.index(param.overwritten_if) >= 0


@pytest.mark.parametrize("row", [r for r in ROWS if r.forms], ids=lambda row: row.name)
def test_forms_are_told_apart(row: Op) -> None:
    assert len({form.name for form in row.forms}) == len(row.forms)
    assert all(form.emit for form in row.forms)
    wanted = {"memories": all(f.memories for f in row.forms), "single": len(row.forms) == 1}
    wanted["divisor"] = len(row.forms) == 3
    assert wanted.get(row.choose, len(row.forms) == 2), row.choose


@pytest.mark.parametrize("row", usable("tile sync"), ids=lambda row: row.name)
def test_what_reaches_a_device_has_forms(row: Op) -> None:
    assert row.forms or row.name in HANDLERS


@pytest.mark.parametrize("row", usable("alloc loop frame view"), ids=lambda row: row.name)
def test_what_does_not_is_evaluated(row: Op) -> None:
    assert row.name in HANDLERS


def test_rules_exist() -> None:
    assert {row.scratch for row in ROWS if row.scratch} == {*RULES, *PTO}
    assert {name for row in ROWS for name in row.checks} == set(OPERATION_CHECKS)


def test_scratch_is_used() -> None:
    for row in ROWS:
        texts = [e.text for f in row.forms for e in f.emit.values() if isinstance(e, Template)]
        assert not any("{scratch}" in text for text in texts) or row.scratch, row.name


def test_element_types_are_known() -> None:
    tables = [form.dtypes for row in ROWS for form in row.forms]
    tables += [param.dtypes for row in ROWS for param in row.params]
    for table in tables:
        assert set(table) <= set(PLATFORMS)
        assert all(kind in BY_NAME for kinds in table.values() for kind in kinds)


@pytest.mark.parametrize("row", usable("tile"), ids=lambda row: row.name)
def test_vector_rows_name_their_element_types(row: Op) -> None:
    plain = {"tile.cast", "printf", "set_deq_scale", "tile.row_expand_mul"}
    real = [f for f in row.forms if not f.virtual and not f.name.startswith("bitwise_")]
    assert all(form.dtypes for form in real) or row.name in plain


def test_status_and_script_names() -> None:
    for row in ROWS:
        assert row.defined or row.status, row.name
        assert row.defined or row.name not in SCRIPT_NAMES, row.name
    assert not any(f"tile.{name}" in TABLE for name in TILE_NAMES)
    assert {"ceildiv", "Ramp", "float16x4", "evaluate"} <= SCRIPT_NAMES


# Rules that compare the operands of a call as wholes, and rows that take any tile as it is.
SIZES = {
    "same_size",
    "count_fits",
    "broadcast_shape",
    "compared_mask",
    "selected_mask",
    "merged_size",
    "transposed_shape",
    "row_scalars",
    "reduce_out",
    "enough_offsets",
    "sorted_pairs",
}
ANY_SIZE = {"tile.fill", "tile.clear", "tile.createvecindex", "tile.gathermask_experiment"}
BY_DATA = {"tile.gatherb", "tile.bilinear_interpolation"}


@pytest.mark.parametrize("row", usable("tile"), ids=lambda row: row.name)
def test_a_row_says_how_many_elements_an_operand_needs(row: Op) -> None:
    vector = [f for f in row.forms if f.pipe is Pipe.V and not f.memories]
    if vector and not SIZES & {*row.checks} and row.name not in ANY_SIZE | BY_DATA:
        assert any(param.needs for param in row.params)
