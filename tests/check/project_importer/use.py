"""A call that fails is told where this file makes it, wherever the factory stands."""
#@ kernels: 0

import kernels
from kernels import built, missing, placed, rows  # ~ error[TL103]: ImportError: cannot import name 'missing'

rows(64, 32)
rows(100, 32)  # ~ error[TL103]: AssertionError
rows(64)  # ~ error[TL103]: misses the argument 'N'
rows(64, 32, Q=1)  # ~ error[TL103]: no parameter 'Q'
rows(1, 2, 3, 4)  # ~ error[TL103]: 4 were given
rows(64, 32, 3)  # ~ error[TL103]: unsupported operand
rows(64, 32 + undefined)  # ~ error[TL103]: name 'undefined' is not defined
placed(M=64)  # ~ error[TL103]: by position only
built(96)
built(97)  # ~ error[TL103]: AssertionError
kernels.other(3)  # ~ error[TL103]: module 'kernels' has no attribute 'other'
kernels.rows(65, 32)  # ~ error[TL103]: AssertionError
try:
    from kernels import nothing
except ImportError:
    nothing = None
if hasattr(kernels, "late"):
    kernels.late(3)


def never():
    rows(1)
    kernels.nothing()
