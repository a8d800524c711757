"""A part outside of its buffer, ordered by flags of the parts that exist: one fault, told once. An
event id that is computed is told like one that is written."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 8, 64), "float32")
        with T.Scope("V"):
            for s in T.unroll(2):
                T.set_flag("mte3", "mte2", 2 + s)
            for t in T.serial(8):
                T.wait_flag("mte3", "mte2", 2 + t % 2)
                T.copy(A[t * 8, 0], x[t % 2 + 1, :, :])  # ~ error[TL308]: at t = 1
                T.set_flag("mte2", "mte3", 7 + t % 2)  # ~ info[TL402]: event id 8
                T.wait_flag("mte2", "mte3", 7 + t % 2)  # the same id
                T.copy(x[t % 2, :, :], B[t * 8, 0])
                T.set_flag("mte3", "mte2", 2 + t % 2)
            for s in T.unroll(2):
                T.wait_flag("mte3", "mte2", 2 + s)


@T.prim_func
def between_cores(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("C"):
            T.copy(A, a)
            for t in T.serial(4):
                if t > 1:
                    T.set_cross_flag("MTE2", 13 + t)  # ~ error[TL401]: no flag 16 between the cores at t = 3
                if t < 2:
                    T.set_cross_flag("MTE2", 10 + t)  # T.sync_all may come later than all of these
        with T.Scope("V"):
            for t in T.serial(4):
                if t > 1:
                    T.wait_cross_flag(13 + t)
                if t < 2:
                    T.wait_cross_flag(10 + t)
        T.sync_all()


@T.prim_func
def one_slot_too_many(A: T.Tensor((6, 64), "float32"), B: T.Tensor((6, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 64), "float32")
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for i in T.serial(6):
                s = i % 3
                T.wait_flag("mte3", "mte2", s)
                T.copy(A[i, :], x[s, :])  # ~ error[TL308]: x[i % 3, :] reaches 2 in dimension 0
                T.set_flag("mte2", "mte3", s)
                T.wait_flag("mte2", "mte3", s)
                T.copy(x[s, :], B[i, :])
                T.set_flag("mte3", "mte2", s)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
