#@ emit: ascendc
import tilelang
import tilelang.language as T

rows, columns = T.symbolic("rows"), T.symbolic("columns")


@tilelang.jit(out_idx=[-1])
def scaled():

    @T.prim_func
    def main(
        count: T.int32,
        x: T.Tensor((rows, columns), "float"),
        factor: T.float32,
        bias: T.Tensor((columns,), "float"),
        y: T.Tensor((rows, columns), "float"),
    ):
        with T.Kernel(T.ceildiv(rows, 16), is_npu=True) as (cid, vid):
            tile = T.alloc_ub((8, 128), "float")
            first = cid * 16 + vid * 8
            with T.Scope("V"):
                for step in T.serial(T.ceildiv(columns, 128)):
                    T.copy(x[first, step * 128], tile)
                    T.barrier_all()
                    if step < count:
                        T.tile.mul(tile, tile, factor)
                        T.barrier_all()
                    T.copy(tile, y[first, step * 128])

    return main


scaled()

# Parameters in their order, then the dimensions in the order of the shapes.
# CHECK: void main_kernel(int count, GM_ADDR x_handle, float factor, GM_ADDR bias_handle, GM_ADDR y_handle, int64_t rows, int64_t columns, uint64_t fftsAddr) {
# CHECK: for (int64_t step = 0; step < (columns + 128 - 1) / 128; ++step) {
# CHECK-NEXT: copy_gm_to_ub<float, 128, 8>(tile[0], x[(cid * 16 + vid * 8) * columns + step * 128], columns, step * 128 < columns ? tl_max<int64_t>(tl_min<int64_t>(8, rows - (cid * 16 + vid * 8)), 0) : 0, tl_max<int64_t>(tl_min<int64_t>(128, columns - step * 128), 0), 0.0f);
# CHECK: if (step < count) {
# CHECK-NEXT: AscendC::Muls(tile[0], tile[0], factor, 1024);
# CHECK: extern "C" void call(int count, uint8_t* x_handle, float factor, uint8_t* bias_handle, uint8_t* y_handle, int64_t rows, int64_t columns, aclrtStream stream) {
# CHECK: main_kernel<<<((rows + 16 - 1) / 16), nullptr, stream>>>(count, x_handle, factor, bias_handle, y_handle, rows, columns, fftsAddr);
