#@ emit: pto
# More places than the scratch holds, unsigned sequences, runs that come sorted.
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-3, -2, -1], target="pto", pass_configs=AUTOMATIC)
def pieces():

    @T.prim_func
    def main(
        x: T.Tensor((5000,), "float32"),
        r: T.Tensor((2, 64), "float32"),
        y: T.Tensor((2, 5000), "float32"),
        z: T.Tensor((2, 64), "uint32"),
        s: T.Tensor((128,), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            source = T.alloc_ub((5000,), "float32")
            target = T.alloc_ub((5000,), "float32")
            places = T.alloc_ub((5000,), "int32")
            bits = T.view(places, (5000,), "uint32")
            numbers = T.alloc_ub((64,), "uint32")
            short = T.alloc_ub((64,), "uint16")
            one = T.alloc_ub((64,), "float32")
            two = T.alloc_ub((64,), "float32")
            merged = T.alloc_ub((128,), "float32")
            with T.Scope("V"):
                T.copy(x, source)
                T.tile.arith_progression(places, 4999 * 4, -4, 5000)
                T.tile.gather(target, source, bits, 0)
                T.copy(target, y[0, :])
                T.tile.arith_progression(places, 4999, -1, 5000)
                T.tile.gather_mask(target, source, bits)
                T.copy(target, y[1, :])
                T.tile.createvecindex(numbers, 7)
                T.copy(numbers, z[0, :])
                T.tile.createvecindex(short, 5)
                T.copy(numbers, z[1, :])
                T.copy(r[0, :], one)
                T.copy(r[1, :], two)
                T.tile.merge_sort(merged, one, two)
                T.copy(merged, s)

    return main


pieces()

# CHECK: for (int32_t part = 0; part < 2; ++part) {
# CHECK: TSHRS(tmp_ub_part
# CHECK: TGATHER(target_part
# CHECK: }
# CHECK: TSHRS(tmp_ub_part
# CHECK: TCI<decltype(numbers), uint32_t, 0>(numbers, uint32_t(7));
