"""Fixtures as pytest supplies them: values that are returned or yielded, parameters, fixtures of
fixtures, what is set up for the methods of a class."""
#@ instance: M=16, N=64
#@ instance: M=32, N=64
#@ instance: M=48, N=128
#@ instance: M=80, N=128
#@ instance: M=96, N=112
#@ instance: M=128, N=144
#@ instance: M=256, N=64
#@ instance: M=272, N=64
#@ instance: M=288, N=64
#@ instance: M=304, N=320

import unittest

import pytest
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rows(M, N=None):
    N = N or 100000

    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 16, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, N), "float32")
            T.copy(A[cid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 16, 0])

    return main


@pytest.fixture
def width():
    print("set up")
    yield 64
    print("torn down")


@pytest.fixture(params=[16, pytest.param(32, id="large")])
def height(request):
    return request.param


@pytest.fixture
def double(width):
    wide = width * 2
    try:
        yield wide
    finally:
        print("done")


@pytest.fixture
def picked(request):
    return request.param * 16


def test_parameters(height, width):
    rows(height, width)


def test_fixture_of_fixture(double):
    rows(48, double)


def test_of_pytest(tmp_path, monkeypatch, double):
    rows(80, double)


@pytest.mark.parametrize("picked", [6], indirect=True)
def test_indirect(picked):
    rows(picked, 112)


class TestMethods:
    def setup_method(self, method):
        self.height = 128

    @pytest.fixture(autouse=True)
    def wide(self, width):
        self.width = width + 80

    def test_attributes(self):
        rows(self.height, self.width)


class TestOfClass:
    @classmethod
    def setup_class(cls):
        cls.height = 256

    @pytest.fixture
    def taller(self):
        return self.height + 16

    def test_attributes(self, taller, width):
        rows(self.height, width)
        rows(taller, width)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.width = 64

    def setUp(self):
        self.height = 288

    def test_attributes(self):
        rows(self.height, self.width)


@pytest.fixture
def unsure():
    if rows.wide:
        yield 320
    else:
        yield 320


def test_unsure(unsure):
    rows(304, unsure)
