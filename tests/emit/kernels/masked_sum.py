#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_auto_cv_combine": True},
)
def masked_sum(rows, columns, tile_rows):

    @T.prim_func
    def main(
        x: T.Tensor((rows, columns), "float"),
        y: T.Tensor((rows, columns), "float"),
        out: T.Tensor((rows, columns), "float"),
    ):
        with T.Kernel(T.ceildiv(rows, tile_rows * 2), is_npu=True) as (cid, vid):
            a = T.alloc_ub((tile_rows, columns), "float")
            b = T.alloc_ub((tile_rows, columns), "float")
            mask = T.alloc_ub((tile_rows * columns // 8,), "uint8")
            first = (cid * 2 + vid) * tile_rows
            T.copy(x[first, 0], a)
            T.copy(y[first, 0], b)
            T.tile.compare(mask, a, b, "LT")
            T.tile.add(a, a, b)
            T.tile.select(a, mask, a, -1.0, "VSEL_TENSOR_SCALAR_MODE")
            T.copy(a, out[first, 0])

    return main


masked_sum(20, 64, 4)

# CHECK: AscendC::Compare(mask[0], a[0], b[0], AscendC::CMPMODE::LT, 256);
# CHECK: AscendC::Select<float, uint8_t>(a[0], mask[0], a[0], -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 256);
