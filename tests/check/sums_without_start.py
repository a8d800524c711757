"""What is read before anything can have written it: sums that nothing sets, however they are reached."""

import tilelang
import tilelang.language as T

AUTO = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[-1], pass_configs=AUTO)
def rows(tiles, tile):
    @T.prim_func
    def told(A: T.Tensor((64, 1024), "float32"), n: T.int32, B: T.Tensor((256, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, tile), "float32")
            greatest = T.alloc_ub((8, tile), "float32")
            total = T.alloc_ub((8, tile), "float32")
            counted = T.alloc_ub((8, tile), "float32")
            branch = T.alloc_ub((8, tile), "float32")
            runs = T.alloc_ub((8, tile), "float32")
            part = T.alloc_ub((8, 1), "float32")
            steps = T.alloc_ub((8, tile), "int32")
            with T.Scope("V"):
                for t in T.serial(tiles):
                    T.copy(A[0, t * tile], a)
                    # ~v warning[TL321]: greatest is read here before anything has written it
                    T.tile.max(greatest, greatest, a)
                    T.reduce_sum(a, part, dim=-1, clear=False)  # ~ warning[TL321]: part is read here
                    for i, j in T.Parallel(8, tile):
                        # ~v warning[TL321]: total is read here
                        total[i, j] += a[i, j]
                    for again in T.serial(n):
                        # ~v warning[TL321]: counted is read here
                        T.tile.add(counted, counted, a)
                        if again == 3:
                            T.tile.axpy(branch, a, 2.0)  # ~ warning[TL321]: branch is read here
                T.tile.mul(runs, runs, 2.0)  # ~ warning[TL321]: runs is read here
                T.tile.add(steps, steps, 1)  # ~ warning[TL321]: steps is read here
                T.copy(greatest, B[0, 0])
                T.copy(total, B[8, 0])
                T.copy(counted, B[16, 0])
                T.copy(branch, B[24, 0])
                T.copy(runs, B[32, 0])

    return told


rows(16, 64)


@tilelang.jit(out_idx=[-1], pass_configs=AUTO)
def products(first):
    @T.prim_func
    def told(A: T.Tensor((64, 512), "float16"), C: T.Tensor((128, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            with T.Scope("C"):
                for k in T.serial(8):
                    T.copy(A[0, k * 64], a)
                    T.gemm_v0(a, a, c)  # ~ warning[TL306]: c is set only later
                T.copy(c, C[0, 0])
                for k in T.serial(8):
                    T.copy(A[0, k * 64], a)
                    T.gemm_v0(a, a, c, init=(k == 0))
                T.copy(c, C[64, 0])

    return told


products(0)


@tilelang.jit(out_idx=[-1], pass_configs=AUTO)
def quiet(tiles):
    @T.prim_func
    def silent(A: T.Tensor((64, 1024), "float32"), n: T.int32, B: T.Tensor((256, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float32")
            before = T.alloc_ub((8, 64), "float32")
            first = T.alloc_ub((8, 64), "float32")
            perhaps = T.alloc_ub((8, 64), "float32")
            broken = T.alloc_ub((8, 64), "float32")
            chosen = T.alloc_ub((8, 64), "float32")
            nothing = T.alloc_ub((8, 64), "int32")
            part = T.alloc_ub((8, 1), "float32")
            with T.Scope("V"):
                if n > 4:
                    T.tile.fill(perhaps, 0.0)
                for t in T.serial(tiles):
                    T.copy(A[0, t * 64], a)
                    if t > 0:
                        T.tile.add(before, before, a)
                        for again in T.serial(2):
                            T.tile.sub(before, before, a)
                    for again in T.serial(t):
                        T.tile.add(before, before, a)
                    if t == 0:
                        T.copy(a, first)
                    else:
                        T.tile.add(first, first, a)
                    for again in T.serial(n):
                        if again > 2:
                            break
                        T.tile.add(broken, broken, a)
                    T.copy(a, broken)
                    T.tile.add(perhaps, perhaps, a)
                    T.reduce_sum(a, part, dim=-1, clear=(t == 0))
                    for i, j in T.Parallel(8, 64):
                        chosen[i, j] = T.if_then_else(t == 0, a[i, j], chosen[i, j] + a[i, j])
                    T.copy(a, before)
                T.dump_tensor(nothing, 1, 512, (8, 64))
                T.tile.mul(nothing, nothing, 0)
                T.copy(before, B[0, 0])
                T.copy(first, B[8, 0])
                T.copy(perhaps, B[16, 0])
                T.copy(broken, B[24, 0])
                T.copy(chosen, B[32, 0])

    return silent


quiet(16)


@T.prim_func
def turned_round(A: T.Tensor((16, 64), "float32"), B: T.Tensor((16, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        row = T.alloc_ub((16, 1), "float32")
        wide = T.alloc_ub((16, 64), "float32")
        with T.Scope("V"):
            T.tile.fill(row, 1.0)
            T.barrier_all()
            T.tile.broadcast(row, wide)  # ~ error[TL302]: cannot be repeated
            T.barrier_all()
            T.tile.fill(wide, 0.0)
            T.barrier_all()
            T.copy(wide, B)
