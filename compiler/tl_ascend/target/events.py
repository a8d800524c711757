"""Flags that the hardware has: within a core from pipe to pipe, and between the cores."""

from __future__ import annotations

# Source pipe first. CANN, page SetFlag/WaitFlag.
EVENTS = frozenset(
    """
    MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE2_V V_MTE2 MTE3_V V_MTE3 M_V V_M V_V MTE3_MTE1 MTE1_MTE3
    MTE1_V MTE2_M M_MTE2 V_MTE1 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S
    MTE2_FIX FIX_MTE2 FIX_S M_S FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX
    """.split()
)
# CANN, page CrossCoreSetFlag: the pipes that can set one, and the modes of each platform.
CROSS_PIPES = ("V", "M", "MTE1", "MTE2", "MTE3", "FIX")
CROSS_MODES = {"A2": (0, 1, 2), "A3": (0, 1, 2), "A5": (0, 1, 2, 4)}
