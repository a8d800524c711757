"""What the vector unit of A2 and A3 converts within the UB."""

from __future__ import annotations

from typing import Any

import numpy as np

from tl_ascend.simulate.call import Call
from tl_ascend.simulate.elements import Array, Element, converted
from tl_ascend.simulate.errors import UnsupportedOperation
from tl_ascend.target.conversions import NEAREST, NONE, SCALED, modes, pair_of


def by_unit(call: Call, values: Array, source: Element, target: Element, mode: str = "") -> Array:
    """Values in another type; from int32 to float16, times the scale that T.set_deq_scale set.
    Without `mode`, that of copies. Errors: UnsupportedOperation."""
    kinds = source.dtype, target.dtype
    taken = modes(*kinds, call.machine.kernel.options.route)
    mode = mode or (NONE if NONE in taken else NEAREST)
    if mode not in taken:
        how = f" with {mode}" if taken else ""
        raise UnsupportedOperation(f"the vector unit has no way from {kinds[0]} to {kinds[1]}{how}")
    if pair_of(*kinds) == SCALED:
        scaled: Any = values.astype(np.float32) * np.float32(call.core.deq_scale)
        values = scaled
    return converted(values, source, target, mode)
