"""What several files share."""
#@ kernels: 0

DTYPE = "bfloat16"


def tile_of(n):
    return n // 16
