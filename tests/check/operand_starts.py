"""Parts of tiles start on blocks of 32 bytes in the UB, for vector calls and for copies within it."""

import tilelang.language as T


@T.prim_func
def calls(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        b = T.alloc_ub((2, 64), "float32")
        half = T.alloc_ub((2, 64), "float16")
        sums = T.alloc_ub((8,), "float32")
        with T.Scope("V"):
            T.copy(A[0:2, :], a)
            T.copy(A[2:4, :], b)
            T.barrier_all()
            T.tile.exp(b[0, 8:40], a[1, 16:48])
            T.tile.exp(b[0, 0:32], a[0, 4:36])  # ~ error[TL304]: starts 16 bytes into a
            T.tile.add(b[1, 0:32], a[1, 0:32], b[0, 12:44])  # ~ error[TL304]: starts 48 bytes into b
            T.tile.fill(a[0, 2:34], 0.0)  # ~ error[TL304]: starts 8 bytes into a
            T.reduce_sum(a[0, 1:33], sums[0:1], dim=-1)  # ~ error[TL304]: starts 4 bytes into a
            T.tile.cast(half[0, 0:32], a[0, 0:32], "CAST_RINT", 32)
            T.tile.cast(half[1, 8:40], b[0, 0:32], "CAST_RINT", 32)  # ~ error[TL304]: starts 144 bytes into half
            T.barrier_all()
            T.copy(a[0, 6:38], b[0, 0:32])  # ~ error[TL205]: starts 24 bytes into a
            T.copy(a[0, 8:40], b[0, 0:32])
            T.barrier_all()
            T.copy(b, B[0:2, :])
            T.copy(sums, B[2, 0:8])


@T.prim_func
def anywhere(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
    """What takes an element wherever it lies: sums of rows, and a single value that is repeated."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        wide = T.alloc_ub((1, 64), "float32")
        sums = T.alloc_ub((8, 1), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.barrier_all()
            for i in T.serial(8):
                T.reduce_sum(a[i, :], sums[i, 0:1], dim=-1)
                T.tile.broadcast(wide, sums[i : i + 1, :])
                T.barrier_all()
                T.tile.mul(a[i, :], a[i, :], sums[i, 0])
            T.barrier_all()
            T.copy(a, B)
            T.pipe_barrier("mte3")
            T.copy(wide, B[0:1, :])


@T.prim_func
def loops(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32"), C: T.Tensor((4,), "int32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 64), "float32")
        b = T.alloc_ub((8, 64), "float32")
        narrow = T.alloc_ub((8, 20), "float32")
        other = T.alloc_ub((8, 28), "float32")
        with T.Scope("V"):
            T.copy(A[0:8, :], a)
            T.barrier_all()
            for i in T.serial(4):
                T.tile.exp(b[i, 0:32], a[i, i * 8 : i * 8 + 32])
                T.tile.exp(b[i, 0:32], a[i, i * 4 : i * 4 + 32])  # ~ error[TL304]: starts 272 bytes into a at i = 1
                if i % 2 == 0:
                    T.tile.abs(b[i, 0:32], b[i, i * 4 : i * 4 + 32])
                T.tile.abs(b[i, 0:32], b[i, C[i] : C[i] + 32])  # where it starts is known on the device only
                T.tile.fill(b[i, C[i] * 8 + 5 : C[i] * 8 + 37], 0.0)  # ~ error[TL304]: 20 bytes behind a multiple of 32
                T.tile.fill(narrow[i, :], 0.0)  # ~ error[TL304]: starts 80 bytes into narrow at i = 1
                T.tile.abs(narrow[i, :], narrow[i, :])  # the same rows: told above
            T.copy(a[:, 0:28], other)  # ~ error[TL205]: 8 rows of other with 112 bytes per row
            T.tile.abs(other[1, :], other[1, :])  # the same rows: told above
            T.barrier_all()
            T.copy(b, B[0:8, :])


@T.prim_func
def merged(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    """Sorted runs are pairs of 8 bytes: that is how their starts are aligned."""
    with T.Kernel(1, is_npu=True) as (cid, vid):
        runs = T.alloc_ub((64,), "float32")
        both = T.alloc_ub((64,), "float32")
        with T.Scope("V"):
            T.copy(A, runs)
            T.barrier_all()
            T.tile.merge_sort(both[0:24], runs[0:12], runs[12:24])
            T.tile.merge_sort(both[0:24], runs[0:12], runs[13:25])  # ~ error[TL304]: must start at a multiple of 8 bytes
            T.barrier_all()
            T.copy(both, B)


def odd_width(columns):
    """One width that no row of a tile can have is one fault."""

    @T.prim_func
    def main(A: T.Tensor((64, columns), "float32"), B: T.Tensor((64, columns), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, columns), "float32")
            b = T.alloc_ub((16, columns), "float32")
            bits = T.alloc_ub((16 * columns // 8,), "uint8")
            with T.Scope("V"):
                T.copy(A[0:16, :], a)  # ~ error[TL205]: 16 rows of a with 1036 bytes per row
                T.copy(A[16:32, :], b)  # the same width
                T.barrier_all()
                T.tile.compare(bits, a, b, "LT")  # of whole blocks they would be a multiple of 256
                T.barrier_all()
                T.copy(a, B[0:16, :])

    return main


odd_width(259)
odd_width(256)
