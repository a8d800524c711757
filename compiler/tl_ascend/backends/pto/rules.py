"""The rules of route `pto`: one file a family (`emit_*.py`)."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Rules

RULES = Rules("pto")
rule, value_rule = RULES.rule, RULES.value_rule
