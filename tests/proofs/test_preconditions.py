"""Inputs hold what the rows of operations ask of operands."""

from __future__ import annotations

import numpy as np
import pytest
from tests.proofs import preconditions

from tl_ascend.ops.row import Values


def test_all_that_a_row_can_ask_for_is_made() -> None:
    assert set(preconditions._MADE) == set(Values) - {Values.ANY, Values.NONE}


@pytest.mark.parametrize("what", [v for v in Values if v in preconditions._MADE])
def test_what_is_made_is_a_tensor_of_the_same_kind(what: Values) -> None:
    given = np.arange(-8, 8, dtype=np.float32).reshape(2, 8)
    made = preconditions._holding(given, {what: 8})
    assert made.shape == given.shape and made.dtype == given.dtype and (made != given).any()
