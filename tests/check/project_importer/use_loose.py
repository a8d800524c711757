"""What a module may bind is not said to be missing."""
#@ kernels: 0

import loose
from kernels import rows
from loose import first
from loose_other import second

rows(first, 32)
rows(loose.second, 32)
for size in second:
    rows(7, 32)
