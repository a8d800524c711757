#@ skipped: is not evaluated
# Names that patterns bind are bound: what a `match` decides is not known, and nobody complains.

import tilelang.language as T

MODE = {"kind": "wide", "rows": 64}

match MODE:
    case {"rows": rows, **others}:
        columns = rows
    case [first, *rest]:
        columns = first
    case str() as text:
        columns = len(text)

try:
    import fast_kernels
except ImportError as problem:
    pass


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)
        T.printf("%d", rows)
        T.printf("%d", others)
        T.printf("%d", rest)
        T.printf("%d", text)
        T.printf("%d", problem)
        T.printf("%d", nobody)  # ~ error[TL103]: name 'nobody' is not defined
