import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((16, 64), "float32"), B: T.Tensor((4, 3, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((2, 64), "float32")
        b = T.alloc_ub((2, 64), "float32")
        c = T.alloc_ub((2, 64), "float32")
        with T.Scope("V"):
            for t in T.serial(8):
                T.copy(A[t, 0], a[t % 2, :])
                T.barrier_all()
                T.copy(A[t, 0], a[t % 3, :])  # ~ error[TL308]: at t = 2
                T.barrier_all()
                T.copy(a[cid % 2, :], B[cid, (t + cid) % 3, 0])
                T.barrier_all()
                T.copy(b[(t + cid) % 3, :], B[cid, t // 4, 0])  # ~ error[TL308]: at t = 0, cid = 2
                T.barrier_all()
                T.copy(c[t // 3, :], B[cid, T.min(t, 2), 0])  # ~ error[TL308]: at t = 6
                T.barrier_all()
                if t % 3 < 2:
                    T.copy(A[t, 0], a[t % 3, :])
                T.barrier_all()
