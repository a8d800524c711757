"""The repair of a pass option that is off: it is switched on in the decorator."""

from __future__ import annotations

from tl_ascend.diagnostics.report import TILELANG, Applicability, Edit, Fix, Where
from tl_ascend.ir.nodes import (
    AUTO_CV_COMBINE,
    AUTO_SYNC,
    MEMORY_PLANNING,
    Options,
)

_KEYS = {
    AUTO_CV_COMBINE: "TL_ASCEND_AUTO_CV_COMBINE",
    AUTO_SYNC: "TL_ASCEND_AUTO_SYNC",
    MEMORY_PLANNING: "TL_ASCEND_MEMORY_PLANNING",
}


def switched_on(
    options: Options, option: str, meant: Applicability = Applicability.SAFE
) -> tuple[Fix, ...]:
    """Nothing where the author has switched it off, or no decorator is known."""
    if option in options.pass_configs or "jit" not in options.spans:
        return ()
    key = _KEYS[option]
    item = f"{TILELANG}.PassConfigKey.{key}: True"
    given = options.spans.get("pass_configs")
    if given is not None:
        edit = Edit(given, item, Where.ITEM)
    else:
        edit = Edit(options.spans["jit"], f"pass_configs={{{item}}}", Where.ARGUMENT)
    return (Fix(f"Switch {key} on", (edit,), meant),)
