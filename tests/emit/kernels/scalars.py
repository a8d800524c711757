#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scalars():

    @T.prim_func
    def main(
        x: T.Tensor((64,), "float"),
        h: T.Tensor((64,), "float16"),
        picks: T.Tensor((64,), "int32"),
        out: T.Tensor((64, 64), "float"),
    ):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64,), "float")
            halves = T.alloc_ub((64,), "float16")
            indices = T.alloc_ub((64,), "int32")
            total = T.alloc_var("float", init=0.5)
            with T.Scope("V"):
                T.copy(x, tile)
                T.copy(h, halves)
                T.copy(picks, indices)
                T.barrier_all()
                for i in T.serial(4):
                    pick = indices[i]
                    total = total + tile[pick % 8] * 2
                    tile[(i - 3) // 4 + 1] = T.min(total, T.max(tile[i], 1.0))
                    halves[i] = halves[i + 4] + halves[i + 8]
                    tile[(i - 3) % 5] = T.if_then_else(pick // 3 > 2, 1.0, tile[i])
                    indices[i] = pick * 4096 + (i << 2)
                while total < 8.0:
                    total = total * 2.0
                    if total > 6.0:
                        break
                T.barrier_all()
                T.copy(tile, out[indices[5], 0:64])

    return main


scalars()

# CHECK: float total = 0.0f;
# CHECK: total = 0.5f;
# CHECK: for (int32_t i = 0; i < 4; ++i) {
# CHECK-NEXT: int pick = indices.GetValue(i);
# CHECK-NEXT: total = total + tile.GetValue(pick & 7) * 2.0f;
# CHECK-NEXT: tile.SetValue(((i - 3) >> 2) + 1, tl_min<float>(total, tl_max<float>(tile.GetValue(i), 1.0f)));
# CHECK-NEXT: halves.SetValue(i, half(float(halves.GetValue(i + 4)) + float(halves.GetValue(i + 8))));
# CHECK-NEXT: tile.SetValue(tl_floormod<int32_t>(i - 3, 5), tl_floordiv<int32_t>(pick, 3) > 2 ? 1.0f : tile.GetValue(i));
# CHECK-NEXT: indices.SetValue(i, int((int64_t)pick * 4096 + (i << 2)));
# CHECK: while (total < 8.0f) {
# CHECK-NEXT: total = total * 2.0f;
# CHECK-NEXT: if (total > 6.0f) {
# CHECK-NEXT: break;
# CHECK: copy_ub_to_gm<float, 64>(out[(int64_t)indices.GetValue(5) * 64], tile[0], 4096, tl_max<int32_t>(tl_min<int32_t>(1, 64 - indices.GetValue(5)), 0), 64);
