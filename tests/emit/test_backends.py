"""Manifests, the registry, and that no row of the operation table is left without an entry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tl_ascend.backends import ascendc, registry
from tl_ascend.backends.ascendc.rules import RULES
from tl_ascend.backends.common import helpers
from tl_ascend.backends.common.rules import Rules
from tl_ascend.backends.pto.rules import RULES as PTO_RULES
from tl_ascend.ops.row import RuleName
from tl_ascend.ops.table import ROWS
from tl_ascend.target.hardware import A2, A3, A5

ROUTES = (RULES, PTO_RULES)
routes = pytest.mark.parametrize("rules", ROUTES, ids=lambda rules: rules.route)


@routes
def test_no_gaps(rules: Rules) -> None:
    assert rules.gaps() == []


@routes
def test_every_rule_has_a_row(rules: Rules) -> None:
    """A function that no row names any more is dead."""
    named = {
        entry.name
        for row in ROWS
        for form in row.forms
        for route, entry in form.emit.items()
        if route == rules.route and isinstance(entry, RuleName)
    }
    assert {*rules.statements, *rules.values} == named


@routes
def test_a_rule_is_written_once(rules: Rules) -> None:
    with pytest.raises(ValueError, match="twice"):
        rules.rule("copy")(lambda emission, call: None)
    with pytest.raises(ValueError, match="twice"):
        rules.value_rule("copy")(lambda emission, call: "")


@pytest.fixture
def restored() -> Iterator[None]:
    before = dict(registry._BACKENDS)
    yield
    registry._BACKENDS.clear()
    registry._BACKENDS.update(before)


def test_registering(restored: None) -> None:
    other = replace(ascendc.BACKEND, name="other")
    assert registry.register(other) is other
    assert registry.backend("other") is other
    assert [b.name for b in registry.backends()] == ["ascendc", "pto", "other"]
    with pytest.raises(ValueError, match="two back ends"):
        registry.register(other)
    with pytest.raises(KeyError):
        registry.backend("none")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "Ascend C"),
        ("title", ""),
        ("architectures", frozenset()),
        ("architectures", frozenset({"dav-2201"})),
        ("suffix", "cpp"),
        ("include", {"device": Path("nowhere")}),
        ("include", {"other": Path(".")}),
    ],
)
def test_a_wrong_manifest_fails_at_once(field: str, value: object) -> None:
    with pytest.raises(ValueError, match="back end"):
        replace(ascendc.BACKEND, **{field: value})


def test_what_ascendc_serves() -> None:
    assert ascendc.BACKEND.serves(A2) and ascendc.BACKEND.serves(A3)
    assert not ascendc.BACKEND.serves(A5)


def test_helpers_have_text() -> None:
    for name in helpers.HELPERS:
        assert any(name in line for line in helpers.helper_text(name, "inline"))
