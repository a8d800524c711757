"""JSON that every reader takes."""

from __future__ import annotations

import json

from tl_ascend.driver.strict_json import dumps


def test_numbers_that_json_does_not_have_are_texts() -> None:
    inf = float("inf")
    value = {"a": [1.5, (inf, -inf)], "b": {"c": float("nan")}, "d": "NaN", "e": None, "f": True}
    told = {"a": [1.5, ["Infinity", "-Infinity"]], "b": {"c": "NaN"}}
    assert json.loads(dumps(value), parse_constant=lambda word: 1 / 0) == {
        **value,
        **told,
    }
    assert dumps([1, 2.5, "x"], separators=(",", ":")) == '[1,2.5,"x"]'
