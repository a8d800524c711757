#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_auto_cv_combine": True},
)
def barriers_of_rows():

    @T.prim_func
    def main(x: T.Tensor((32, 64), "float"), y: T.Tensor((32, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float")
            b = T.alloc_ub((16, 64), "float")
            T.copy(x[vid * 16, 0], a)
            for i, j in T.Parallel(16, 64):
                b[i, j] = a[i, j] * T.float32(i) + T.float32(i)
            for i, j in T.Parallel(16, 64):
                grown = T.exp(b[i, j])
                more = grown + 1.0
                a[i, j] = more / grown
                b[i, j] = more
            T.tile.add(a, a, b)
            T.copy(a, y[vid * 16, 0])

    return main


barriers_of_rows()

# All products, one barrier, and then the number of its row to each.
# CHECK: AscendC::Muls(b[i * 64], a[i * 64], float(i), 64);
# CHECK-NEXT: }
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_V>();
# CHECK-NEXT: for (int32_t i
# CHECK-NEXT: AscendC::Adds(b[i * 64], b[i * 64], float(i), 64);
# CHECK-NEXT: }
# Both names are computed once.
# CHECK: AscendC::Exp(
# CHECK: AscendC::Adds(
# CHECK-NOT: AscendC::Adds(
# CHECK: AscendC::Div(
