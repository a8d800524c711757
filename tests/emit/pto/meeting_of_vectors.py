#@ emit: pto
# Only vector cores meet: cube cores have left.
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], workspace_idx=[1], target="pto")
def shifted(blocks):
    @T.prim_func
    def main(
        A: T.Tensor((blocks, 64), "float32"),
        W: T.Tensor((blocks, 64), "float32"),
        B: T.Tensor((blocks, 64), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), "float32")
            with T.Scope("V"):
                if vid == 0:
                    T.copy(A[cid, 0], a)
                    T.barrier_all()
                    T.copy(a, W[cid, 0])
                    T.barrier_all()
                T.sync_all()
                if vid == 0:
                    T.copy(W[(cid + 1) % blocks, 0], a)
                    T.barrier_all()
                    T.copy(a, B[cid, 0])

    return main


shifted(4)

# CHECK: tl::ascend_pto::sync_all_aiv();
