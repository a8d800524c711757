#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def partial_moves():

    @T.prim_func
    def main(
        count: T.int32,
        odd: T.Tensor((10, 5), "float"),
        even: T.Tensor((12, 8), "float"),
        out: T.Tensor((24, 8), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            rows = T.alloc_ub((10, 5), "float")
            eight = T.alloc_ub((8,), "float")
            tile = T.alloc_ub((12, 8), "float")
            with T.Scope("V"):
                T.copy(odd, rows)
                T.copy(odd[9, 1:5], eight, pad_value=7.0)
                T.tile.fill(tile, -1.0)
                T.barrier_all()
                T.copy(even[0:count, :], tile[2 : 2 + count, :])
                T.barrier_all()
                T.copy(tile, out[0:12, :])
                T.copy(eight, out[12, :])
                T.copy(rows[0:8, :], out[13:18, :])

    return main


partial_moves()

# Rows of 20 bytes that follow each other are moved as one row.
# CHECK: copy_gm_to_ub<float, 50, 1>(rows[0], odd[0], 50, 1, 50, 0.0f);
# A tile may be larger than what is moved: the rest is filled.
# CHECK: copy_gm_to_ub<float, 8>(eight[0], odd[46], {{\d+}}, 1, 4, 7.0f);
# A part whose size only the device knows is moved row by row, so that nothing beside it is filled.
# CHECK: for (int32_t row = 0; row < count; ++row) {
# CHECK-NEXT: copy_gm_to_ub<float, 8>(tile[16 + (int64_t)row * 8], even[(int64_t)row * 8], 8,
