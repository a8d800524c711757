"""Arguments as Python programs make them: objects of all kinds, processes, context managers."""
#@ instance: M=16, N=32
#@ instance: M=48, N=32
#@ instance: M=64, N=48
#@ instance: M=80, N=48
#@ instance: M=96, N=16
#@ instance: M=112, N=16
#@ instance: M=128, N=16
#@ instance: M=144, N=32
#@ instance: M=160, N=32
#@ instance: M=176, N=16
#@ instance: M=192, N=16
#@ instance: M=208, N=32
#@ instance: M=224, N=32

import contextlib
import threading
from collections import namedtuple
from dataclasses import astuple, dataclass
from enum import Enum, IntEnum
from multiprocessing import Process

import numpy as np
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 16, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, N), "float32")
            T.copy(A[cid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 16, 0])

    return main


@dataclass
class Shape:
    m: int
    n: int = 32

    @classmethod
    def small(cls):
        return cls(16)

    def build(self):
        return rows(self.m, self.n)


class Wider(Shape):
    def build(self):
        self.m = self.m * 3
        return super().build()


class Kinds(Enum):
    FLAT = (64, 48)
    DEEP = (80, 48)

    @property
    def rows(self):
        return self.value[0]


class Sizes(IntEnum):
    ONE = 96
    TWO = 112


@contextlib.contextmanager
def doubled(size):
    yield size * 2


def pairs():
    yield 144, 32
    yield 160, 32


Shape.small().build()
Wider(16).build()
for kind in Kinds:
    rows(kind.rows, kind.value[1])
for size in Sizes:
    rows(size, 16)
with doubled(64) as size:
    rows(size, 16)
for m, n in pairs():
    rows(m, n)
Process(target=rows, args=(176, 16)).start()
threading.Thread(target=rows, args=(192,), kwargs={"N": 16}).start()
rows(np.int32(208), int(np.prod([4, 8])))
rows(*astuple(Shape(224))[:2])
rows(*namedtuple("Pair", "M N")(16, 32))
