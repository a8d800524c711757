"""The rules of route `ascendc`: one file a family (`emit_*.py`)."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Rules

RULES = Rules("ascendc")
rule, value_rule = RULES.rule, RULES.value_rule
