"""Transfers to and from other processing elements: there is only one here."""

from __future__ import annotations

from tl_ascend.simulate.registry import unsupported

unsupported(
    "it moves data between processing elements, and one is evaluated alone",
    "shmem_put_nbi",
    "shmem_get_nbi",
    "shmem_ub_put_nbi",
    "shmem_ub_get_nbi",
)
