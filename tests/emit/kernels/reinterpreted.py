#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-2, -1])
def bits():

    @T.prim_func
    def main(
        x: T.Tensor((64,), "float"),
        h: T.Tensor((64,), "float16"),
        y: T.Tensor((64,), "int32"),
        z: T.Tensor((64,), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float")
            halves = T.alloc_ub((64,), "float16")
            b = T.alloc_ub((64,), "int32")
            c = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(h, halves)
                T.barrier_all()
                for i in T.serial(64):
                    b[i] = T.reinterpret("int32", a[i]) >> 23
                    c[i] = T.reinterpret("float32", (b[i] + 1) << 23)
                b[0] = T.reinterpret("int16", halves[3])
                c[0] = T.reinterpret("float32", 0x3FC00000)
                T.barrier_all()
                T.copy(b, y)
                T.copy(c, z)

    return main


bits()

# CHECK: static __aicore__ inline To tl_bits(From value) {
# CHECK: b.SetValue(i, tl_bits<int>(a.GetValue(i)) >> 23);
# CHECK: c.SetValue(i, tl_bits<float>(
# CHECK: b.SetValue(0, int(tl_bits<int16_t>(halves.GetValue(3))));
# CHECK: c.SetValue(0, tl_bits<float>(1069547520));
