"""A program that ends itself does not come to the calls behind that."""
#@ instance: size=8
#@ instance: size=16
#@ instance: size=24
#@ instance: size=32
#@ instance: size=40

import os
import sys
from sys import exit as leave

import tilelang
import tilelang.language as T


@tilelang.jit
def fill(size):
    assert size % 8 == 0, "size must be a multiple of 8"

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float32")
            T.tile.fill(a, 0.0)
            T.barrier_all()
            T.copy(a, A[0])

    return main


def with_sys(size):
    if size % 8:
        sys.exit(1)
    fill(size)


def with_name(size):
    if size % 8:
        leave("wrong")
    fill(size)


def with_builtin(size):
    if size % 8:
        exit()
    fill(size)


def with_quit(size):
    if size % 8:
        quit(1)
    fill(size)


def with_os(size):
    if size % 8:
        os._exit(1)
    fill(size)


def with_raise(size):
    if size % 8:
        raise SystemExit
    fill(size)


def caught(function, size):
    try:
        function(size)
    except SystemExit:
        pass


def not_caught(size):
    try:
        sys.exit(size)
    except Exception:
        fill(size)
    fill(size)


def with_assert(size):
    assert size % 8 == 0
    fill(size)


def test_odd():
    with_sys(7)


def test_other_odd():
    with_name(9)


def test_even():
    with_sys(8)
    with_name(16)
    with_builtin(24)
    with_quit(32)
    with_os(40)


def test_caught():
    for function in (with_sys, with_name, with_builtin, with_quit, with_raise):
        caught(function, 10)


def test_not_caught():
    not_caught(11)


def test_os():
    with_os(12)


def test_assert():
    with_assert(13)


if len(sys.argv) > 5:
    with_sys(14)
fill(15)  # ~ error[TL103]: 8
if __name__ == "__main__":
    with_raise(17)
fill(18)
fill(8)
