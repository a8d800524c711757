"""Calls that somebody expects to fail, or catches, or never makes, tell nothing; those beside them do."""

import contextlib
import unittest

import library
import pytest
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


with contextlib.suppress(AssertionError):
    fill(7)
with contextlib.suppress(OSError, AssertionError):
    fill(1, 2, 3)
    fill(7)
with contextlib.suppress(OSError):
    fill(7)
with library.guard():
    fill(7)
with contextlib.ExitStack() as stack:
    stack.enter_context(contextlib.suppress(AssertionError))
    fill(7)
try:
    fill(1, 2, 3)
except TypeError:
    pass


class Quiet:
    def __enter__(self):
        return 7

    def __exit__(self, kind, value, trace):
        return True


class Loud(Quiet):
    def __exit__(self, kind, value, trace):
        print("done")


with Quiet() as odd:
    fill(odd)
with Loud() as odd:
    fill(odd)  # ~ error[TL103]: 8


@contextlib.contextmanager
def caught():
    try:
        yield 7
    except AssertionError:
        pass


@contextlib.contextmanager
def timed(size):
    print("begin")
    yield size - 1
    print("end")


with caught() as odd:
    fill(odd)
with timed(8) as odd:
    fill(odd)  # ~ error[TL103]: 8
library.fails(lambda: fill(7))


class Case(unittest.TestCase):
    def test_context(self):
        with self.assertRaises(AssertionError):
            fill(7)
        self.assertRaises(AssertionError, fill, 7)
        self.assertRaises(AssertionError, lambda: fill(1 << 20))
        with self.subTest(size=7):
            fill(7)  # ~ error[TL103]: 8

    @unittest.expectedFailure
    def test_expected(self):
        fill(7)

    @unittest.skip("why")
    def test_skipped(self):
        fill(7)

    @unittest.skipIf(True, "why")
    def test_skipped_if(self):
        fill(7)


@pytest.mark.xfail
def test_marked():
    fill(7)


@pytest.mark.xfail(reason="why")
@pytest.mark.parametrize("size", [7, pytest.param(9, marks=pytest.mark.xfail)])
def test_all_marked(size):
    fill(size)


@pytest.mark.xfail(library.old, reason="why")
def test_perhaps_marked():
    fill(7)


@pytest.mark.xfail(False, reason="why")
def test_not_marked():
    fill(7)  # ~ error[TL103]: 8


@pytest.mark.parametrize(
    "size", [32, pytest.param(7, marks=pytest.mark.xfail), pytest.param(9, marks=[pytest.mark.skip])]
)
def test_one_marked(size):
    fill(size)


@pytest.mark.parametrize("size", [pytest.param(7, marks=pytest.mark.slow)])
def test_other_mark(size):
    fill(size)  # ~ error[TL103]: 8


def test_called():
    pytest.raises(AssertionError, fill, 7)


@pytest.mark.skipif(True, reason="why")
def test_skipped_if():
    fill(7)


@pytest.mark.skip
def test_skipped():
    fill(7)


def test_skips():
    size = 7
    if size % 8:
        pytest.skip("why")
    fill(size)


@pytest.mark.xfail
class TestMarked:
    def test_method(self):
        fill(7)


class TestSkipped:
    pytestmark = [pytest.mark.slow, pytest.mark.skip(reason="why")]

    def test_method(self):
        fill(7)


@pytest.fixture
def unwanted():
    pytest.skip("why")


@pytest.mark.usefixtures("unwanted")
def test_skipped_by_fixture():
    fill(7)


@pytest.mark.usefixtures("of_elsewhere")
def test_perhaps_skipped_by_fixture():
    fill(7)


class TestSkippedByFixture:
    @pytest.fixture(autouse=True)
    def setting(self):
        pytest.skip("why")

    def test_method(self):
        fill(7)


def guarded(size):
    if not library.takes(size):
        raise ValueError(size)
    fill(size)


guarded(7)


def test_last():
    fill(7)  # ~ error[TL103]: 8
