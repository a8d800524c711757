#@ emit: pto
# Bisheng has no conversion of a computed bfloat16: helpers move its bits.
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="pto")
def scalars():

    @T.prim_func
    def main(x: T.Tensor((64,), "bfloat16"), f: T.Tensor((64,), "float"), y: T.Tensor((64,), "bfloat16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64,), "bfloat16")
            wide = T.alloc_ub((64,), "float")
            last = T.alloc_var("bfloat16", init=0.5)
            with T.Scope("V"):
                T.copy(x, tile)
                T.copy(f, wide)
                T.barrier_all()
                for i in T.serial(4):
                    wide[i] = T.cast(tile[i], "float32") + 1.0
                    tile[i] = tile[i + 4] * tile[i + 8]
                    tile[i + 4] = T.cast(i, "bfloat16")
                    tile[i + 8] = 2.0
                    last = T.cast(wide[i], "bfloat16")
                    if tile[i] > last:
                        tile[i + 12] = T.if_then_else(i > 2, last, tile[i])
                T.tile.fill(tile, T.cast(wide[3], "bfloat16"))
                T.barrier_all()
                T.copy(tile, y)

    return main


scalars()

# CHECK: static AICORE PTO_INLINE To tl_bits(From value) {
# CHECK: static AICORE PTO_INLINE bfloat16_t tl_to_bfloat16(float value) {
# CHECK: static AICORE PTO_INLINE float tl_to_float(bfloat16_t value) {
# CHECK: last = bfloat16_t(0.5f);
# CHECK: wide.SetValue(i, tl_to_float(tile.GetValue(i)) + 1.0f);
# CHECK-NEXT: tile.SetValue(i, tl_to_bfloat16(tl_to_float(tile.GetValue(i + 4)) * tl_to_float(tile.GetValue(i + 8))));
# CHECK-NEXT: tile.SetValue(i + 4, tl_to_bfloat16(float(i)));
# CHECK-NEXT: tile.SetValue(i + 8, bfloat16_t(2.0f));
# CHECK-NEXT: last = tl_to_bfloat16(wide.GetValue(i));
# CHECK-NEXT: if (tl_to_float(tile.GetValue(i)) > tl_to_float(last)) {
