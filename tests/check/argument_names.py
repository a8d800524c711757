"""Operands may be given by upstream's names."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub(shape=(64, 64), dtype="float32")
        b = T.alloc_shared((64, 64), "float32", scope="shared.dyn")
        mask = T.alloc_ub((64, 8), "uint8")
        row = T.alloc_ub((64, 1), "float32")
        pairs = T.alloc_ub((512,), "float32")
        flat = T.alloc_ub((256,), "float32")
        offsets = T.alloc_ub((256,), "uint32")
        T.copy(src=A, dst=a, pad_value=1.0)
        T.tile.exp(dst=b, src0=a)
        T.tile.sigmoid(dst=b, src=a)
        T.tile.axpy(dst=b, src0=a, scalar_value=2.0)
        T.tile.leaky_relu(dst=b, src0=a, scalar_value=0.1)
        T.tile.compare(dst=mask, src0=a, src1=b, mode="GT")
        T.tile.select(dst=b, selMask=mask, src0=a, src1=0.0, selMode="VSEL_TENSOR_SCALAR_MODE")
        T.tile.clamp(out=b, buffer=a, min_scalar=0.0, max_scalar=1.0, count=4096)
        T.tile.sort(dst=pairs, src=flat, actual_num=256)
        # ~^ warning[TL321]: flat is read here before anything has written it
        T.tile.gather(dst=flat, src=a, src_offset=offsets, src_base_addr=0)
        T.tile.createvecindex(dst=flat, firstValue=0.0)
        T.reduce_sum(buffer=a, out=row, dim=-1, clear=False)
        # ~^ warning[TL321]: row is read here before anything has written it
        T.reduce_max(a, row, -1, [64, 60], True)
        T.reduce(a, row, "reduce_min", -1, clear=True)
        T.printf("%d\n", cid)
        T.printf(format_str="done\n")
        T.dump_tensor(tensor=a, desc=1, dump_size=16, shape_info=(4, 4))
        T.copy(b, B)


@T.prim_func
def wrong(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        row = T.alloc_ub((64, 1), "float32")
        T.tile.exp(a, src=a)  # ~ error[TL104]: no argument 'src'
        T.tile.exp(a, a, src0=a)  # ~ error[TL104]: several values for 'src0'
        T.tile.exp(a, dst=a)  # ~ error[TL104]: several values for 'dst'
        T.reduce_sum(a, row, -1, True, False)  # ~ error[TL104]: several values for 'clear'
        T.reduce_sum(a, row, -1, 3)  # ~ error[TL104]: True, False or a list
        T.reduce(a, row, "sum", -1)  # ~ error[TL106]: reduce_sum, reduce_max, reduce_min


@T.prim_func
def misspelt(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        row = T.alloc_ub((64, 1), "float32")
        T.reduce_sum(a, row, dims=-1)
        #                    ^^^^ error[TL104]: no argument 'dims'; did you mean 'dim'
        T.copy(A[0, 0], a, qwerty=3)
        #                  ^^^^^^ error[TL104]: no argument 'qwerty'
