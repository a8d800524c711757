#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def adding():

    @T.prim_func
    def main(x: T.Tensor((64, 64), "float16"), y: T.Tensor((50, 64), "float")):
        with T.Kernel(2, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            tile = T.alloc_ub((32, 64), "float")
            with T.Scope("C"):
                T.copy(x, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.tile.atomic_add(y[0:64, 0:64], c)
            with T.Scope("V"):
                T.tile.fill(tile, 1.0)
                T.barrier_all()
                T.tile.atomic_add(y[vid * 32, 0], tile)

    return main


adding()

# CHECK: atomic_add_l0c_to_gm<float, float, layout::RowMajor, 64, 64, false>(y[0], c[0], 64, 50, 64);
# CHECK: atomic_add_ub_to_gm<float, 64, 32>(y[vid * 2048], tile[0], 64, tl_min<int64_t>(32, 50 - vid * 32), 64);
