"""Words, counts, parts and sizes that an operation does not take."""

import tilelang
import tilelang.language as T


@T.prim_func
def words(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((64, 64), "float16")
        mask = T.alloc_ub((64, 8), "uint8")
        T.tile.cast(b, a, "RINT", 4096)  # ~ error[TL106]: CAST_NONE, CAST_RINT
        T.tile.cast(b, a, "CAST_RINT", 4096)
        T.tile.compare(mask, a, 1.0, "gt")  # ~ error[TL106]: EQ, NE, GT
        T.tile.select(a, mask, a, a, "VSEL_TENSOR_SCALAR_MODE")  # ~ error[TL106]: goes with a scalar
        T.tile.select(a, mask, a, 0.0, "VSEL_TENSOR_TENSOR_MODE")  # ~ error[TL106]: goes with a tile
        T.tile.gather_mask(a, a, "P01")  # ~ error[TL106]: P0101, P1010


@T.prim_func
def sizes(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((32, 64), "float16")
        mask = T.alloc_ub((8,), "uint8")
        short = T.alloc_ub((60,), "float32")
        turned = T.alloc_ub((64, 32), "float16")
        T.tile.cast(b, a, "CAST_RINT", 4096)  # ~ error[TL302]: b has 2048 elements
        T.tile.round(a, a[32:64, :], 4096)  # ~ error[TL302]: has 2048 elements up to the end of a
        T.tile.compare(mask, short, 1.0, "GT")  # ~ error[TL304]: 240 bytes
        T.tile.transpose(turned, b)
        T.tile.transpose(b, b)  # ~ error[TL302]: becomes (64, 32)


@T.prim_func
def parts(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        T.tile.exp(a[0], a[1])  # ~ error[TL106]: is given 1 index # ~ error[TL106]: is given 1 index
        T.tile.exp(a[0, :], a[1, :])
        T.tile.createvecindex(a[0, :], 0.0)
        #                     ^^^^^^^ error[TL106]: upstream's T.tile.createvecindex takes whole buffers


@T.prim_func
def sorting(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float32")
        few = T.alloc_ub((64,), "float32")
        pairs = T.alloc_ub((128,), "float32")
        T.tile.sort(pairs, a, 64)  # ~ warning[TL321]: a is read here before anything has written it
        T.tile.sort(few, a, 33)  # ~ error[TL302]: writes 128 (64 pairs)
        T.tile.topk(few, a, 16, 64)
        T.tile.topk(few, a, 40, 64)  # ~ error[TL302]: writes 80 (40 pairs)
        T.tile.merge_sort(few, pairs, pairs)  # ~ error[TL302]: writes 256 (2 runs


@T.prim_func
def by_rows(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        each = T.alloc_ub((64,), "float32")
        few = T.alloc_ub((32,), "float32")
        tmp = T.alloc_ub((64, 8), "float32")
        T.tile.row_expand_mul_experiment(a, a, each, tmp)
        # ~^ warning[TL321]: a is read here before anything has written it
        T.tile.row_expand_sub_experiment(a, a, few, tmp)  # ~ error[TL302]: few has 32 values
        T.dump_tensor(a, -1, 16)  # ~ error[TL106]: desc is -1


@T.prim_func
def texts(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((64, 64), "int32")
        T.tile.add(a, a, "1e-6")  # ~ error[TL106]: src1 of T.tile.add cannot be the text '1e-6': it is a tile or a number
        T.tile.fill(a, "0")  # ~ error[TL106]: value of T.tile.fill cannot be the text '0': it is a number
        T.tile.cast(b, a, "CAST_RINT", "4096")  # ~ error[TL106]: count of T.tile.cast
        T.copy("A", a)  # ~ error[TL106]: src of T.copy cannot be the text 'A': it is a tile
