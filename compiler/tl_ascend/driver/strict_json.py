"""JSON as its readers take it. It has no numbers that are not finite: those are told as the texts `NaN`,
`Infinity` and `-Infinity`, as other formats on top of JSON do."""

from __future__ import annotations

import json
import math
from typing import Any


def dumps(value: Any, **layout: Any) -> str:
    """A value as JSON; `layout` as `json.dumps` takes it."""
    try:
        return json.dumps(value, allow_nan=False, **layout)
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, **layout)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value
