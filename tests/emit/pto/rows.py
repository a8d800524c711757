#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def rows():

    @T.prim_func
    def main(x: T.Tensor((8, 128), "float32"), y: T.Tensor((14, 8, 128), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 128), "float32")
            b = T.alloc_ub((8, 128), "float32")
            column = T.alloc_ub((8,), "float32")
            row = T.alloc_ub((128,), "float32")
            blocks = T.alloc_ub((8, 8), "float32")
            with T.Scope("V"):
                T.copy(x, a)
                T.reduce_sum(a, column, dim=-1)
                T.tile.row_expand_mul(b, a, column)
                T.copy(b, y[0, :, :])
                T.tile.row_expand_mul_experiment(b, a, column, blocks)
                T.copy(b, y[1, :, :])
                T.tile.row_expand_sub_experiment(b[:, 64:128], a[:, 64:128], column, blocks)
                T.copy(b, y[2, :, :])
                T.tile.add(column, column, 20.0)
                T.tile.row_expand_div_experiment(b, a, column, blocks)
                T.copy(b, y[3, :, :])
                T.tile.brcb_experiment(blocks, column, 1, 1, 8)
                T.tile.row_expand_sub_experiment(b, a, blocks)
                T.copy(b, y[4, :, :])
                T.reduce_max(a, column, dim=-1)
                T.tile.broadcast(b, column)
                T.copy(b, y[5, :, :])
                T.reduce_min(a, column, dim=-1, clear=False)
                T.tile.broadcast(b, column, axis=1)
                T.copy(b, y[6, :, :])
                T.reduce_sum(a, column, dim=-1, clear=False)
                T.tile.broadcast(b, column)
                T.copy(b, y[7, :, :])
                T.reduce_sum(a, row, dim=0)
                T.tile.broadcast(b, row)
                T.copy(b, y[8, :, :])
                T.reduce_max(a, row, dim=0, clear=False)
                T.tile.broadcast(b, row, axis=0)
                T.copy(b, y[9, :, :])
                T.reduce_min(a, row, dim=0)
                T.tile.broadcast(b, row)
                T.copy(b, y[10, :, :])
                # Of a part that counts, and of one row.
                T.reduce_max(a, column, dim=-1, real_shape=[8, 100])
                T.tile.broadcast(b, column)
                T.copy(b, y[11, :, :])
                T.reduce_sum(a[3, :], column[0:1], dim=-1)
                T.tile.fill(b, column[0])
                T.copy(b, y[12, :, :])

    return main


rows()

# CHECK: tl::ascend_pto::TileUbDataDN<float, 8, 1, 8, 1> column_part;
# CHECK: TROWSUM(column_part, a, tmp_ub_part
# CHECK: TROWEXPANDMUL(
# CHECK: TROWEXPANDSUB(
# CHECK: TROWEXPAND(blocks, column_part
# CHECK: TROWMAX(
# CHECK: TROWMIN(
# CHECK: TMIN(column, column, column_part
# CHECK: TCOLSUM(row, a, {{.*}}, false);
# CHECK: TCOLMAX(
# CHECK: TCOLMIN(row, a);
