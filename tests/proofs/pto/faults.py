"""What is known to be wrong in upstream's template header: programs that meet it are judged by ours."""

from __future__ import annotations

import re

L0 = 128  # of K, a step of the template
PRODUCT = re.compile(r"\bgemm_v0<[^<>]*?((?:, \d+){7}), (?:true|false), (?:true|false)>")


def known_fault(text: str) -> str:
    """What a program meets; empty where nothing. `gemm_v0` takes its last step from as many times the
    size of this step as there are steps before it, not from behind these."""
    for call in PRODUCT.finditer(text):
        k, tail = (int(call[1].split(", ")[at]) for at in (3, 7))
        steps = (k - tail) // L0
        if steps and tail != L0:
            return (
                f"gemm_v0 takes the last {tail} of K={k} from {steps * tail}, not from {k - tail}"
            )
    return ""
