#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="pto")
def scalar_functions():

    @T.prim_func
    def main(
        x: T.Tensor((32,), "float"),
        n: T.Tensor((32,), "int32"),
        y: T.Tensor((13, 32), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32,), "float")
            k = T.alloc_ub((32,), "int32")
            w = T.alloc_ub((13, 32), "float")
            with T.Scope("V"):
                if vid == 0:
                    T.copy(x, a)
                    T.copy(n, k)
                    T.barrier_all()
                    for i in T.serial(32):
                        w[0, i] = T.floor(a[i])
                        w[1, i] = T.ceil(a[i])
                        w[2, i] = T.round(a[i])
                        w[3, i] = T.trunc(a[i])
                        w[4, i] = T.nearbyint(a[i])
                        w[5, i] = T.if_then_else(T.isnan(a[i]), 1.0, 0.5)
                        w[6, i] = T.if_then_else(T.isinf(a[i]), 1.0, 0.5)
                        w[7, i] = T.if_then_else(T.isfinite(a[i]), 1.0, 0.5)
                        w[8, i] = T.popcount(k[i])
                        w[9, i] = T.clz(k[i])
                        w[10, i] = T.popcount(T.cast(k[i], "int8")) + T.clz(T.cast(k[i], "int64"))
                        w[11, i] = T.pow(a[i], 2)
                        w[12, i] = T.floor(k[i] % 100)
                    T.barrier_all()
                    T.copy(w, y)

    return main


kernel = scalar_functions()

# CHECK: static AICORE PTO_INLINE int32_t tl_clz(uint64_t value) {
# CHECK: static AICORE PTO_INLINE bool tl_isnan(float value) {
# CHECK: w.SetValue(i, tl_floor(a.GetValue(i)));
# CHECK: w.SetValue(160 + i, tl_isnan(a.GetValue(i)) ? 1.0f : 0.5f);
# CHECK: w.SetValue(256 + i, float(tl_popcount(uint32_t(k.GetValue(i)))));
# CHECK-NEXT: w.SetValue(288 + i, float(tl_clz(uint32_t(k.GetValue(i))) - 32));
# CHECK-NEXT: w.SetValue(320 + i, float(tl_popcount(uint8_t(int8_t(k.GetValue(i)))) + tl_clz(uint64_t(int64_t(k.GetValue(i))))));
# CHECK-NEXT: w.SetValue(352 + i, a.GetValue(i) * a.GetValue(i));
