#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def forms():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float16"), y: T.Tensor((8, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float16")
            b = T.alloc_ub((8, 64), "float16")
            wide = T.alloc_ub((8, 64), "float")
            row = T.alloc_ub((1, 64), "float16")
            total = T.alloc_ub((8,), "float16")
            mask = T.alloc_ub((64,), "uint8")
            whole = T.alloc_ub((8, 64), "int32")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.add(b, a, 2)
                T.tile.sub(b, a, 0.5)
                T.tile.sub(b, a, a[0, 3])
                T.tile.mul(b, b, a[1, 0])
                T.tile.div(b, a, 4.0)
                T.tile.div(b, a, a[0, 1])
                T.tile.max(b, a, -T.infinity("float16"))
                T.tile.min(b, a, b)
                T.tile.axpy(b, a, 3.0)
                T.tile.clear(b)
                T.tile.fill(whole, -1)
                T.tile.relu(a, a)
                T.tile.cast(wide, a, "CAST_NONE", 512)
                T.copy(wide, b)
                T.tile.compare(mask, a, b, "GT")
                T.tile.compare(mask, a, 0.5, "LE")
                T.tile.select(b, mask, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.tile.select(b, mask, a, 1.0, "VSEL_TENSOR_SCALAR_MODE")
                T.tile.broadcast(b, row)
                T.reduce_sum(a, total)
                T.reduce_max(a, row, dim=0, clear=False)
                T.barrier_all()
                T.copy(b, y)

    return main


forms()

# Scalars have exactly the element type of the tile.
# CHECK: AscendC::Adds(b[0], a[0], half(2.0f), 512);
# CHECK-NEXT: AscendC::Adds(b[0], a[0], half(-0.5f), 512);
# The author synchronises by hand, so a scalar in a tile is read behind a barrier.
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK-NEXT: AscendC::Adds(b[0], a[0], half(-float(a.GetValue(3))), 512);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK-NEXT: AscendC::Muls(b[0], b[0], a.GetValue(64), 512);
# CHECK-NEXT: AscendC::Muls(b[0], a[0], half(0.25f), 512);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK: AscendC::Duplicate(tmp_ub_1[0], a.GetValue(1), 16);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_V>();
# CHECK-NEXT: AscendC::Div(b[0], a[0], tmp_ub_1[0], 128, 4, AscendC::BinaryRepeatParams(1, 1, 0, 8, 8, 0));
# CHECK-NEXT: AscendC::Maxs(b[0], a[0], half(-CUDART_INF_F), 512);
# CHECK-NEXT: AscendC::Min(b[0], a[0], b[0], 512);
# CHECK-NEXT: AscendC::Axpy(b[0], a[0], half(3.0f), 512);
# CHECK-NEXT: tl::ascend::Fill<half>(b[0], half(0), 512);
# CHECK-NEXT: tl::ascend::Fill<int>(whole[0], -1, 512);
# CHECK-NEXT: AscendC::Relu(a[0], a[0], 512);
# CHECK-NEXT: AscendC::Cast(wide[0], a[0], AscendC::RoundMode::CAST_NONE, 512);
# CHECK-NEXT: tl::ascend::copy_ub_to_ub<half, float, 512>(b[0], wide[0], 8, 64, 64, 8, 64, 64);
# CHECK-NEXT: AscendC::Compare(mask[0], a[0], b[0], AscendC::CMPMODE::GT, 512);
# CHECK-NEXT: AscendC::CompareScalar(mask[0], a[0], half(0.5f), AscendC::CMPMODE::LE, 512);
# CHECK-NEXT: AscendC::Select(b[0], mask[0], a[0], b[0], AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 512);
# CHECK-NEXT: AscendC::Select<half, uint8_t>(b[0], mask[0], a[0], half(1.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 512);
# CHECK-NEXT: tl::ascend::Broadcast<half, 2, 0, false>(b[0], row[0], tmp_ub, (uint32_t[]){8, 64}, (uint32_t[]){1, 64});
# CHECK-NEXT: tl::ascend::reduce_sum_half<half>(total[0], a[0], 64, 8, 4);
# CHECK-NEXT: tl::ascend::reduce_max<half, 8, 64, 0>(row[0], a[0], tmp_ub[0], false);
