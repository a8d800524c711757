"""Route `pto`: programs of PTO tile instructions, for A2 and A3."""

from tl_ascend.backends.pto.backend import BACKEND

__all__ = ["BACKEND"]
