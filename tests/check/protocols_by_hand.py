"""Protocols by hand over symbolic sizes, all of them right: credits, rings of three, helpers, loads ahead,
branches in turns, loops of no turn."""

import tilelang.language as T

M = T.symbolic("M")
F = "float16"


@T.prim_func
def credits(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            n = T.ceildiv(M, 320)
            for t in T.serial(n):
                if t >= 3:
                    T.wait_flag("mte3", "mte2", t % 3)
                T.copy(A[(t * 40 + w) * 8, 0], x[t % 3, :, :])
                T.set_flag("mte2", "v", t % 3)
                T.wait_flag("mte2", "v", t % 3)
                T.tile.exp(x[t % 3, :, :], x[t % 3, :, :])
                T.set_flag("v", "mte3", t % 3)
                T.wait_flag("v", "mte3", t % 3)
                T.copy(x[t % 3, :, :], C[(t * 40 + w) * 8, 0])
                if t + 3 < n:
                    T.set_flag("mte3", "mte2", t % 3)


@T.prim_func
def ring_of_three(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            for s in T.serial(3):
                T.set_flag("mte3", "mte2", s + 2)
            for t in T.serial(M // 320):
                T.wait_flag("mte3", "mte2", t % 3 + 2)
                T.copy(A[(t * 40 + w) * 8, 0], x[t % 3, :, :])
                T.set_flag("mte2", "v", t % 3 + 2)
                T.wait_flag("mte2", "v", t % 3 + 2)
                T.tile.exp(x[t % 3, :, :], x[t % 3, :, :])
                T.set_flag("v", "mte3", t % 3)
                T.wait_flag("v", "mte3", t % 3)
                T.copy(x[t % 3, :, :], C[(t * 40 + w) * 8, 0])
                T.set_flag("mte3", "mte2", t % 3 + 2)
            for s in T.serial(3):
                T.wait_flag("mte3", "mte2", s + 2)


@T.macro
def step(A, C, x, r, s):
    T.wait_flag("mte3", "mte2", s)
    T.copy(A[r, 0], x[s, :, :])
    T.set_flag("mte2", "v", s)
    T.wait_flag("mte2", "v", s)
    T.tile.exp(x[s, :, :], x[s, :, :])
    T.set_flag("v", "mte3", s)
    T.wait_flag("v", "mte3", s)
    T.copy(x[s, :, :], C[r, 0])
    T.set_flag("mte3", "mte2", s)


@T.prim_func
def helper(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for t in T.serial(M // 640):
                step(A, C, x, (t * 80 + w) * 8, 0)
                step(A, C, x, (t * 80 + 40 + w) * 8, 1)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)


@T.prim_func
def of_any_length(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F), L: T.Tensor((64,), "int32")):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        s = T.alloc_ub((8, 256), F)
        l = T.alloc_ub((64,), "int32")
        w = cid * 2 + vid
        with T.Scope("V"):
            T.copy(L, l)
            T.set_flag("mte2", "s", 0)
            T.wait_flag("mte2", "s", 0)
            T.tile.fill(s, 0.0)
            T.set_flag("v", "mte2", 1)
            for i in T.serial(l[w]):
                T.wait_flag("v", "mte2", 1)
                T.copy(A[i * 8, 0], x[0, :, :])
                T.set_flag("mte2", "v", 1)
                T.wait_flag("mte2", "v", 1)
                T.tile.add(s, s, x[0, :, :])
                T.set_flag("v", "mte2", 1)
            T.wait_flag("v", "mte2", 1)
            T.set_flag("v", "mte3", 1)
            T.wait_flag("v", "mte3", 1)
            T.copy(s, C[w * 8, 0])


@T.prim_func
def two_ahead(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            n = M // 320
            if n > 0:
                T.copy(A[w * 8, 0], x[0, :, :])
                T.set_flag("mte2", "v", 0)
            if n > 1:
                T.copy(A[(40 + w) * 8, 0], x[1, :, :])
                T.set_flag("mte2", "v", 1)
            for t in T.serial(n):
                if t + 2 < n:
                    if t >= 1:
                        T.wait_flag("mte3", "mte2", (t + 2) % 3)
                    T.copy(A[((t + 2) * 40 + w) * 8, 0], x[(t + 2) % 3, :, :])
                    T.set_flag("mte2", "v", (t + 2) % 3)
                T.wait_flag("mte2", "v", t % 3)
                T.tile.exp(x[t % 3, :, :], x[t % 3, :, :])
                T.set_flag("v", "mte3", t % 3)
                T.wait_flag("v", "mte3", t % 3)
                T.copy(x[t % 3, :, :], C[(t * 40 + w) * 8, 0])
                if t + 3 < n:
                    T.set_flag("mte3", "mte2", t % 3)


@T.prim_func
def two_flags_back(A: T.Tensor((M, 256), F), B: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "v", 2)
            T.set_flag("v", "mte2", 0)
            for t in T.serial(T.ceildiv(M, 320)):
                T.wait_flag("v", "mte2", 0)
                T.copy(A[(t * 40 + w) * 8, 0], x[0, :, :])
                T.copy(B[(t * 40 + w) * 8, 0], x[1, :, :])
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.wait_flag("mte3", "v", 2)
                T.tile.add(x[2, :, :], x[0, :, :], x[1, :, :])
                T.set_flag("v", "mte2", 0)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(x[2, :, :], C[(t * 40 + w) * 8, 0])
                T.set_flag("mte3", "v", 2)
            T.wait_flag("mte3", "v", 2)
            T.wait_flag("v", "mte2", 0)


@T.prim_func
def in_turns(A: T.Tensor((M, 256), F), C: T.Tensor((M, 256), F)):
    with T.Kernel(20, is_npu=True) as (cid, vid):
        x = T.alloc_ub((3, 8, 256), F)
        w = cid * 2 + vid
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 0)
            T.set_flag("mte3", "mte2", 1)
            for t in T.serial(M // 320):
                if t % 2 == 0:
                    T.wait_flag("mte3", "mte2", 0)
                    T.copy(A[(t * 40 + w) * 8, 0], x[0, :, :])
                    T.set_flag("mte2", "mte3", 0)
                    T.wait_flag("mte2", "mte3", 0)
                    T.copy(x[0, :, :], C[(t * 40 + w) * 8, 0])
                    T.set_flag("mte3", "mte2", 0)
                else:
                    T.wait_flag("mte3", "mte2", 1)
                    T.copy(A[(t * 40 + w) * 8, 0], x[1, :, :])
                    T.set_flag("mte2", "mte3", 1)
                    T.wait_flag("mte2", "mte3", 1)
                    T.copy(x[1, :, :], C[(t * 40 + w) * 8, 0])
                    T.set_flag("mte3", "mte2", 1)
            T.wait_flag("mte3", "mte2", 0)
            T.wait_flag("mte3", "mte2", 1)
