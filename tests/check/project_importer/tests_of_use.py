"""Tests that reach a kernel through its module give instances of it."""
#@ kernels: 0

import kernels
import pytest


@pytest.mark.parametrize("M", [128])
def test_rows(M):
    kernels.rows(M, 32)


def test_wrong():
    kernels.rows(3, 32)  # ~ error[TL103]: AssertionError
