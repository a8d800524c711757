#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    workspace_idx=[2, 3],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def each_half_alone():

    @T.prim_func
    def main(
        x: T.Tensor((64, 32), "float16"),
        y: T.Tensor((32, 32), "float"),
        factors: T.Tensor((32, 32), "float16"),
        products: T.Tensor((32, 32), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            left = T.alloc_L1((32, 32), "float16")
            product = T.alloc_L0C((32, 32), "float")
            row = T.alloc_ub((1, 32), "float16")
            part = T.alloc_ub((16, 32), "float")
            total = T.alloc_ub((16, 32), "float")
            T.tile.fill(total, 0.0)
            for i in T.serial(2):
                # What the vector cores write below, in this iteration.
                T.copy(factors, left)
                T.gemm_v0(left, left, product, init=True)
                T.copy(product, products)
                for j in T.serial(16):
                    T.copy(x[i * 32 + vid * 16 + j, 0], row)
                    T.copy(row, factors[vid * 16 + j, 0])
                T.copy(products[vid * 16, 0], part)
                T.tile.add(total, total, part)
            T.copy(total, y[vid * 16, 0])

    return main


each_half_alone()

# CHECK: AscendC::CrossCoreWaitFlag(0);
# CHECK: tl::ascend::copy_gm_to_l1<
# CHECK: tl::ascend::gemm_v0<
