#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def unsigned_numbers():

    @T.prim_func
    def main(x: T.Tensor((16,), "uint32"), y: T.Tensor((48,), "uint32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16,), "uint32")
            b = T.alloc_ub((48,), "uint32")
            state = T.alloc_var("uint32", init=12345)
            with T.Scope("V"):
                if vid == 0:
                    T.copy(x, a)
                    T.barrier_all()
                    for i in T.serial(16):
                        state = state * T.uint32(1664525) + T.uint32(1013904223)
                        b[i] = (a[i] * T.uint32(2654435761) ^ state) >> T.uint32(7)
                        b[16 + i] = (a[i] - T.uint32(3)) // T.uint32(1000) % T.uint32(77)
                        if a[i] - T.uint32(3) < T.uint32(5):
                            b[32 + i] = T.min(a[i] - T.uint32(5), T.uint32(9))
                        else:
                            b[32 + i] = T.uint32(99)
                    T.barrier_all()
                    T.copy(b, y)

    return main


kernel = unsigned_numbers()

# CHECK: state = state * uint32_t(1664525) + uint32_t(1013904223);
# CHECK: b.SetValue(16 + i, (a.GetValue(i) - uint32_t(3)) / uint32_t(1000) % uint32_t(77));
# CHECK: if (a.GetValue(i) - uint32_t(3) < uint32_t(5)) {
# CHECK: tl_min<uint32_t>(a.GetValue(i) - uint32_t(5), uint32_t(9))
