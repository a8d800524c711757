"""What `load` and `evaluate` take, give and refuse."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tests.simulate.support import HEAD, draw, kernel, tensor

import tl_ascend
from tl_ascend import simulate

COPY = 't = T.alloc_ub((8, 64), "float32")\nT.copy(A, t)\nT.copy(t, B)'
X = draw(8, 64)
PARAMS = f"{tensor('A', X)}, {tensor('B', X)}"


def test_outputs_are_allocated_and_returned() -> None:
    found = tl_ascend.evaluate(kernel(COPY, PARAMS, options="out_idx=[-1]"), X)
    np.testing.assert_array_equal(found, X)


def test_arrays_are_updated_in_place_and_returned() -> None:
    out = np.zeros_like(X)
    found = tl_ascend.evaluate(kernel(COPY, PARAMS, options="out_idx=[-1]"), X, out)
    assert found is out
    np.testing.assert_array_equal(out, X)
    assert tl_ascend.evaluate(kernel(COPY, PARAMS), X, out) is None


def test_arrays_that_nobody_may_write() -> None:
    fixed = X.copy()
    fixed.flags.writeable = False
    out = np.zeros_like(X)
    tl_ascend.evaluate(kernel(COPY, PARAMS), fixed, out)
    np.testing.assert_array_equal(out, X)
    with pytest.raises(simulate.BadArgument, match="B is written, and its array is read-only"):
        tl_ascend.evaluate(kernel(COPY, PARAMS), X, fixed)


def test_several_outputs_are_a_tuple() -> None:
    body = f"{COPY}\nT.copy(t, C)"
    params = f"{PARAMS}, {tensor('C', X)}"
    b, c = tl_ascend.evaluate(kernel(body, params, options="out_idx=[1, 2]"), X)
    np.testing.assert_array_equal(b + c, 2 * X)


def test_what_is_never_written_of_an_output_shows() -> None:
    body = 't = T.alloc_ub((4, 64), "float32")\nT.copy(A[0:4, :], t)\nT.copy(t, B[0:4, :])'
    found = tl_ascend.evaluate(kernel(body, PARAMS, options="out_idx=[-1]"), X)
    np.testing.assert_array_equal(found[:4], X[:4])
    assert np.isnan(found[4:]).all()


def test_sizes_and_scalars() -> None:
    body = """
    n = T.alloc_var("int32", init=count)
    t = T.alloc_ub((1, 64), "float32")
    for i in T.serial(T.ceildiv(size, 2)):
        T.copy(A[i, 0], t)
        T.tile.mul(t, t, factor)
        T.tile.add(t, t, n + 0.0)
        T.copy(t, A[i, 0])
    """
    text = (
        f"{HEAD}size = T.symbolic('size')\n\n\n@T.prim_func\n"
        'def main(count: T.int32, A: T.Tensor((size, 64), "float32"), factor: T.float32):\n'
        "    with T.Kernel(1, is_npu=True) as (cid, vid):\n"
        "        if vid == 0:\n"
    )
    text += "\n".join(" " * 8 + line for line in body.strip("\n").splitlines()) + "\n"
    x = X.copy()
    tl_ascend.evaluate(tl_ascend.load("case.py", text=text), 3, x, 0.5)
    np.testing.assert_array_equal(x[:4], X[:4] * 0.5 + 3)
    np.testing.assert_array_equal(x[4:], X[4:])


def test_bfloat16_arrays() -> None:
    body = 't = T.alloc_ub((8, 64), "bfloat16")\nT.copy(A, t)\nT.copy(t, B)'
    params = ", ".join(f'{name}: T.Tensor((8, 64), "bfloat16")' for name in "AB")
    single, small = np.zeros_like(X), np.zeros(X.shape, ml_dtypes.bfloat16)
    made = kernel(body, params)
    tl_ascend.evaluate(made, X / 3, single)
    tl_ascend.evaluate(made, (X / 3).astype(ml_dtypes.bfloat16), small)
    np.testing.assert_array_equal(single, (X / 3).astype(ml_dtypes.bfloat16).astype(np.float32))
    np.testing.assert_array_equal(small.astype(np.float32), single)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((X,), r"takes 2 \(A, B\) arguments, and 1 are given"),
        ((X, X[:4].copy()), r"B has the shape \[8, 64\], and the array \[4, 64\]"),
        ((X, X.ravel()), "B has 2 dimensions, and the array 1"),
        ((X, X.astype(np.float64)), "B holds float32, and the array float64"),
        ((X, 3), "B is a tensor: a numpy array is wanted, not int"),
        ((X, None), "B is missing: None stands for what out_idx and workspace_idx name"),
    ],
)
def test_arguments_that_do_not_fit(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(simulate.BadArgument, match=message):
        tl_ascend.evaluate(kernel(COPY, PARAMS), *arguments)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0.5, "n is a whole number, not 0.5"),
        (float("inf"), "n is a whole number, not inf"),
        (float("nan"), "n is a whole number, not nan"),
        (2**40, "n holds int32, from -2147483648 to 2147483647, and 1099511627776 is given"),
        (-(2**31) - 1, "n holds int32"),
    ],
)
def test_numbers_that_an_integer_cannot_hold(number: float, message: str) -> None:
    made = kernel("T.printf('a')", 'n: T.int32, A: T.Tensor((8,), "float32")')
    with pytest.raises(simulate.BadArgument, match=message):
        tl_ascend.evaluate(made, number, np.zeros(8, np.float32))
    for fits in (3, 3.0, np.int64(3), True):
        tl_ascend.evaluate(made, fits, np.zeros(8, np.float32))


SYMBOLIC = """\
n, m = T.symbolic("n"), T.symbolic("m")

@T.prim_func
def main(A: T.Tensor((n, 64), "float32"), B: T.Tensor((n, m), "float32"),
         C: T.Tensor((2 * n, m), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        T.printf("a")
"""


@pytest.mark.parametrize(
    ("b", "c", "message"),
    [
        ((4, 32), (16, 32), r"B has the shape \[n, m\], and the array \[4, 32\]: n is 8 in A"),
        (
            (8, 16),
            (16, 32),
            r"C has the shape \[2 \* n, m\], and the array \[16, 32\]: n is 8 in A, m is 16 in B",
        ),
        (
            (8, 16),
            (8, 16),
            r"C has the shape \[2 \* n, m\], and the array \[8, 16\]: n is 8 in A, m is 16 in B",
        ),
    ],
)
def test_sizes_that_do_not_fit_name_what_gave_them(
    b: tuple[int, int], c: tuple[int, int], message: str
) -> None:
    made = tl_ascend.load("case.py", text=HEAD + SYMBOLIC)
    arrays = [np.zeros(shape, np.float32) for shape in ((8, 64), b, c)]
    with pytest.raises(simulate.BadArgument, match=f"{message}$"):
        tl_ascend.evaluate(made, *arrays)


def test_none_stands_for_what_the_caller_does_not_pass() -> None:
    made = kernel(COPY, PARAMS, options="out_idx=[-1]")
    np.testing.assert_array_equal(tl_ascend.evaluate(made, X, None), X)
    with pytest.raises(simulate.BadArgument, match="A is missing"):
        tl_ascend.evaluate(made, None)


@pytest.mark.parametrize("thing", ["kernel.py", None, COPY.splitlines()])
def test_what_is_no_kernel(thing: object) -> None:
    kind = type(thing).__name__
    with pytest.raises(
        simulate.BadArgument, match=f"a kernel of tl_ascend.load is wanted.* {kind}$"
    ):
        tl_ascend.evaluate(thing, X)  # type: ignore[arg-type]


def test_element_types_that_numpy_does_not_have() -> None:
    made = kernel("T.printf('a')", 'A: T.Tensor((8,), "float8_e4m3")')
    with pytest.raises(simulate.UnsupportedOperation, match="float8_e4m3"):
        tl_ascend.evaluate(made, np.zeros(8, np.float32))


def test_load_finds_kernels(tmp_path: Path) -> None:
    path = tmp_path / "two.py"
    body = "        with T.Kernel(1, is_npu=True) as (cid, vid):\n            T.printf('a')\n"
    text = HEAD
    for name in ("first", "second"):
        text += f'def {name}(n):\n    @T.prim_func\n    def main(A: T.Tensor((n,), "float32")):\n'
        text += f"{body}\n    return main\n\n\n{name}(8)\n{name}(16)\n"
    path.write_text(text, encoding="utf-8")
    sizes = [tl_ascend.load(str(path), "second", at).tensors[0].shape for at in (0, 1)]
    assert sizes == [(8,), (16,)]
    with pytest.raises(LookupError, match="2 kernel instances of first"):
        tl_ascend.load(str(path), "first", 2)
    with pytest.raises(LookupError, match="2 kernel instances of first"):
        tl_ascend.load(str(path), "first", -1)
    with pytest.raises(LookupError):
        tl_ascend.load(str(path), "third")
    assert tl_ascend.load(path, "second").tensors[0].shape == (8,)
    assert tl_ascend.load(path, text=text).tensors[0].shape == (8,)


def test_load_says_why_a_kernel_is_not_known() -> None:
    text = f"{HEAD}import other\n\n\n@T.prim_func\ndef main(A: T.Tensor((8,), 'float32')):\n"
    text += "    with T.Kernel(other.n, is_npu=True) as (cid, vid):\n        T.printf('a')\n"
    with pytest.raises(ValueError, match="not known whole"):
        tl_ascend.load("case.py", text=text)


def test_load_refuses_a_file_that_is_broken() -> None:
    with pytest.raises(ValueError, match="cannot be read whole"):
        tl_ascend.load("case.py", text="import tilelang.language as T\n\nx = (\n")
