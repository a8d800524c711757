#@ skipped: int() of these values
#@ instance: n=1024
#@ instance: n=120
#@ instance: n=16
#@ instance: n=64
#@ instance: n=40
#@ instance: n=208
#@ instance: n=152
#@ instance: n=176
#@ instance: n=248
#@ instance: n=256
#@ instance: n=264
"""Loops that fill reference data: what they leave is known, however long they are, and nothing that an
iteration leaves to the next one is lost."""

import torch
import tilelang
import tilelang.language as T


@tilelang.jit
def fill(n):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


indices = torch.full((4, 1000, 64), 7, dtype=torch.int32)
for b in range(4):
    for t in range(1000):
        chosen = torch.randperm(max(1, t + 24))[:64]
        indices[b, t, : len(chosen)] = chosen
        last = t + 25
fill(last)  # 1024

total = 0
for i in range(16):
    total = total + i
fill(total)  # 120

first, second = 8, 16
for i in range(3):
    first, second = second, first
fill(first)  # 16

sizes = [32]
for i in range(4):
    sizes[0] = sizes[0] + 8
fill(sizes[0])  # 64

rows = []
for i in range(5):
    rows.append(i)
fill(len(rows) * 8)  # 40

lengths = torch.tensor([8, 8, 8])
for i in range(3):
    lengths[i] = 8 * (i + 2)
fill(int(lengths[0]) * 13)  # 208

seen = 8
for i in range(3):
    before = seen
    seen = 8 * (i + 2)
fill(before + 128)  # 24 + 128


def largest(width):
    best = width
    for i in range(4):
        best = best + 24
        if i == 1:
            break
    return best


fill(largest(128))  # 176

shared = torch.tensor([1, 2, 31])
row = shared.view(3)[1:]
copied = shared.clone()
row[0] = 30
fill(int(shared[1]) + int(copied[1]) * 109)  # 248
scaled = copied
scaled += 1
fill(int(scaled[2]) * 8)  # 256
copied.fill_(3)
fill(int(copied[0]))  # not known
shared[torch.tensor([0])] = 8
fill(int(row[1]))  # not known
fill(int(torch.arange(34).long()[33]) * 8)  # 264
