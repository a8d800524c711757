#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="pto")
def bands(direction):

    @T.prim_func
    def main(x: T.Tensor((32, 64), "int32"), y: T.Tensor((32, 64), "int32")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((1, 64), "int32")
            with T.Scope("V"):
                for i in T.serial(4):
                    number = i * 8 + cid * 2 + vid
                    if number < 30:
                        at = T.use_swizzle(number, 160, 96, 64, 32, 16, off=2, dir=direction)
                        T.copy(x[at, 0], tile)
                        T.barrier_all()
                        T.tile.add(tile, tile, number)
                        T.barrier_all()
                        T.copy(tile, y[at, 0])
                        T.barrier_all()

    return main


bands(1)

# CHECK: int64_t at = tl::ascend_pto::thread_block_swizzle(i * 8 + cid * 2 + vid, 160, 96, 32, 16, 2, 1);
