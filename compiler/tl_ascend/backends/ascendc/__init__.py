"""Route `ascendc`: programs for the Ascend C compiler, for A2 and A3."""

from tl_ascend.backends.ascendc.backend import BACKEND

__all__ = ["BACKEND"]
