#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def other_names():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float"), y: T.Tensor((8, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((8, 64), "float")
            flat = T.reshape(tile, (512,))
            words = T.view(tile, (16, 32), "int32")
            with T.Scope("V"):
                T.copy(x, tile)
                T.barrier_all()
                T.tile.add(flat[0:256], flat[256:512], flat[0:256])
                T.tile.bitwise_rshift(words[4, :], words[5, :], 1)
                words[1, 2] = words[3, 4]
                T.barrier_all()
                T.copy(tile, y)

    return main


other_names()

# CHECK: AscendC::Add(tile[0], tile[256], tile[0], 256);
# CHECK: AscendC::ShiftRight(tile.ReinterpretCast<int>()[128], tile.ReinterpretCast<int>()[160], 1, 32);
# CHECK: tile.ReinterpretCast<int>().SetValue(34, tile.ReinterpretCast<int>().GetValue(100));
