#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def collecting():

    @T.prim_func
    def main(x: T.Tensor((256,), "float32"), y: T.Tensor((6, 256), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            source = T.alloc_ub((256,), "float32")
            target = T.alloc_ub((256,), "float32")
            places = T.alloc_ub((256,), "int32")
            bits = T.view(places, (256,), "uint32")
            with T.Scope("V"):
                T.copy(x, source)
                T.tile.arith_progression(places, 255 * 4, -4, 256)
                T.tile.gather(target, source, bits, 0)
                T.copy(target, y[0, :])
                T.tile.arith_progression(places, 0, 2, 128)
                T.tile.gather(target[0:64], source, bits[0:64], 32)
                T.copy(target, y[1, :])
                T.tile.arith_progression(places, 255, -1, 256)
                T.tile.gather_mask(target, source, bits)
                T.copy(target, y[2, :])
                T.tile.gather_mask(target, source, "P1010")
                T.copy(target, y[3, :])
                T.tile.gather_mask(target, source, "P0100")
                T.copy(target, y[4, :])
                T.tile.arith_progression(places, 31 * 32, -32, 32)
                T.tile.gatherb(target, source, bits, 4, 1, 8)
                T.copy(target, y[5, :])

    return main


collecting()

# The instruction counts elements.
# CHECK: TSHRS(tmp_ub_part{{.*}}, 2);
# CHECK-NEXT: pipe_barrier(PIPE_V);
# CHECK: TGATHER({{.*}}, tmp_ub_part{{.*}}, tmp_ub_part{{.*}});
# CHECK: TGATHER<decltype(target), decltype(source), pto::MaskPattern::P1010>(target, source);
# CHECK: TGATHERB(
