"""T.Parallel loops as vector operations."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import lowered, plus
from tests.passes.parallel_loops import Loop, plain

from tl_ascend.ir.build import load, type_of
from tl_ascend.ir.expr import Call, Cast, Var
from tl_ascend.ir.fold import binary
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import operations


def test_tiles_and_scalars() -> None:
    k = Loop()
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(plus(load(k.a, i, j), binary("*", 2.0, load(k.x, i, j))))
    )
    assert text == "Muls(c_tmp_0, b, 2.0)\nAdd(c, a, c_tmp_0)"
    assert findings == []


def test_intermediate_results_use_the_target_where_they_may() -> None:
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(
            binary("-", binary("*", load(k.a, i, j), load(k.x, i, j)), load(k.a, i, j))
        )
    )
    assert text == "Mul(c, a, b)\nSub(c, c, a)"
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(
            binary("-", binary("*", load(k.a, i, j), load(k.x, i, j)), load(k.c, i, j))
        )
    )
    assert text == "Mul(c_tmp_0, a, b)\nSub(c, c_tmp_0, c)"


@pytest.mark.parametrize(
    ("name", "call"),
    [("exp", "Exp"), ("log", "Ln"), ("sqrt", "Sqrt"), ("rsqrt", "Rsqrt"), ("abs", "Abs")],
)
def test_unary_functions(name: str, call: str) -> None:
    k = Loop()
    f32 = type_of("float32")
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(Call(name, (load(k.a, i, j),), f32)))
    assert text == f"{call}(c, a)"


def test_maximum_with_zero_is_relu() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(binary("max", load(k.a, i, j), 0)))
    assert text == "Relu(c, a)"


def test_a_column_beside_a_tile_is_one_scalar_a_row() -> None:
    calls = {"+": "Adds({})", "-": "Adds(-{})", "*": "Muls({})", "/": "Muls(1 / {})"}
    for op, call in calls.items():
        k = Loop()

        def value(i: Var, j: Var, k: Loop = k, op: str = op) -> Any:
            return k.set(k.c, i, j)(binary(op, load(k.a, i, j), load(k.column, i)))

        text, _ = k.over(value)
        name, scalar = call.format("column[i]")[:-1].split("(")
        assert text == f"for i in serial(0, 32):\n  {name}(c[i, :], a[i, :], {scalar})"


def test_a_row_beside_a_tile_is_used_row_by_row() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(binary("-", load(k.row, j), load(k.a, i, j))))
    assert text == "for i in serial(0, 32):\n  Sub(c[i, :], row, a[i, :])"


def test_a_single_row_or_column_is_broadcast() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.column, i), 5.0)))
    assert text == "Broadcast(c, column, axis=1, tmp_ub)\nAdds(c, c, 5.0)"
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(load(k.row, j)))
    assert text == "Broadcast(c, row, axis=0, tmp_ub)"


def test_results_for_gm_go_through_a_tile() -> None:
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.b.store(
            k.gm, (plus(binary("*", k.vid, 32), i), j), plus(load(k.a, i, j), 1.0)
        )
    )
    assert text == "Adds(C_tmp_0, a, 1.0)\ncopy_ub_to_gm(C_tmp_0, C[vid * 32:vid * 32 + 32, 0:64])"


def test_plain_assignments_are_copies() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(load(k.gm, i, plus(j, 64))))
    assert text == "copy_gm_to_ub(C[0:32, 64:128], c)"
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(0.0))
    assert text == "Fill(c, 0.0)"


def test_conversions() -> None:
    k = Loop()
    half = k.tile("half", (32, 64), "float16")
    f32 = type_of("float32")
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())  # keep `column` the last allocation
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(plus(Cast(f32, load(half, i, j)), load(k.a, i, j)))
    )
    assert text == "copy_ub_to_ub(half, c)\nAdd(c, c, a)"


def test_a_part_of_each_row_is_one_operation_a_row() -> None:
    k = Loop()
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(binary("*", load(k.a, i, plus(j, 32)), 2.0)), (32, 32)
    )
    assert text == "for i in serial(0, 32):\n  Muls(c[i, 0:32], a[i, 32:64], 2.0)"


def test_a_serial_loop_around_stays() -> None:
    k = Loop()
    with k.b.loop("n", 32) as n:
        with k.b.loop("j", 64, "parallel") as j:
            k.b.store(k.c, (n, j), plus(load(k.a, n, j), load(k.row, j)))
    kernel, findings = lowered(k.b.build())
    assert "Add(c[n, :], a[n, :], row)" in kernel_text(kernel) and findings == []


def test_loops_that_write_transposed_are_exchanged() -> None:
    k = Loop()
    turned = k.tile("t", (64, 32))
    k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    text, (finding,) = k.over(
        lambda i, j: k.set(turned, j, i)(binary("*", load(k.a, i, j), 2.0)), (32, 64)
    )
    assert "Muls(t[j, :]" in text and "for i in" not in text
    assert "upstream's compiler makes 2,048 scalar" in finding.message.replace("2048", "2,048")
    assert finding.message.endswith("t is written transposed")


def test_both_sides_transposed_are_one_operation() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, j, i)(plus(load(k.a, j, i), 1.0)), (64, 32))
    assert text == "Adds(c, a, 1.0)"


def test_integers_are_repeated_row_by_row() -> None:
    k = Loop("int32")
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(load(k.column, i)))
    assert text == "for i in serial(0, 32):\n  Fill(c[i, :], column[i])" and findings == []
    k = Loop("int32")
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(load(k.row, j)))
    assert text == "for i in serial(0, 32):\n  copy_ub_to_ub(row, c[i, :])" and findings == []


def test_a_tile_of_32_bit_elements_is_turned_row_by_row() -> None:
    k = Loop()
    turned = k.tile("turned", (64, 32))
    k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, j)(plus(load(turned, j, i), load(k.a, i, j)))
    )
    assert text == (
        "CreateVecIndex(c_tmp_0, 0)\nMuls(c_tmp_0, c_tmp_0, 128)\nfor i in serial(0, 32):\n"
        "  Gather(c_tmp_1, turned, c_tmp_0_uint32, src_base_addr=i * 4)\n"
        "  Add(c[i, :], c_tmp_1, a[i, :])"
    )
    assert "do not lie next to each other" in finding.message


def test_an_outer_extent_may_be_known_on_the_device_only() -> None:
    k = Loop()
    rows = binary("min", k.cid, 32)
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.a, i, j), 1.0)), (rows, 64))
    assert text == "for i in serial(0, cid):\n  Adds(c[i, :], a[i, :], 1.0)"
    assert findings == []


def test_every_second_element_and_exchanged_rows_and_columns() -> None:
    k = Loop("float16")
    wide = k.tile("wide", (32, 128), "float16")
    tall = k.tile("tall", (64, 32), "float16")
    for _ in range(2):
        k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, j)(
            plus(load(wide, i, plus(binary("*", j, 2), 1)), load(tall, j, i))
        )
    )
    assert plain(text) == (
        "GatherMask(c_tmp_0, wide, P1010)\ntranspose(c_tmp_1, tall)\nAdd(c, c_tmp_0, c_tmp_1)"
    )
    assert "wide is read with the step 2" in finding.message


def test_bfloat16_is_converted_once_and_computed_as_float32() -> None:
    k = Loop("bfloat16")
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, j)(
            plus(binary("*", load(k.a, i, j), load(k.a, i, j)), load(k.a, i, j))
        )
    )
    assert text == (
        "copy_ub_to_ub(a, c_tmp_1)\nMul(c_tmp_0, c_tmp_1, c_tmp_1)\n"
        "Add(c_tmp_0, c_tmp_0, c_tmp_1)\ncopy_ub_to_ub(c_tmp_0, c)"
    )
    assert "no arithmetic of bfloat16" in finding.message


TRUNCATED = 'Cast({}, {}, mode="CAST_TRUNC", count=2048)'


@pytest.mark.parametrize("stated", [True, False])
@pytest.mark.parametrize(
    ("source", "target", "calls"),
    [
        ("uint8", "float16", ['Cast(c, t, mode="CAST_NONE", count=2048)']),
        ("int8", "float16", ["copy_ub_to_ub(t, c)"]),
        ("int8", "float32", ["copy_ub_to_ub(t, c_tmp_0)", "copy_ub_to_ub(c_tmp_0, c)"]),
        ("int32", "int64", ['Cast(c, t, mode="CAST_NONE", count=2048)']),
        ("int32", "float16", ["copy_ub_to_ub(t, c_tmp_0)", "copy_ub_to_ub(c_tmp_0, c)"]),
        ("bfloat16", "float16", ["copy_ub_to_ub(t, c_tmp_0)", "copy_ub_to_ub(c_tmp_0, c)"]),
        ("float32", "int32", [TRUNCATED.format("c", "t")]),
        ("float32", "int8", [TRUNCATED.format("c_tmp_0", "t"), TRUNCATED.format("c", "c_tmp_0")]),
    ],
)
def test_conversions_go_through_types_that_lose_nothing(
    source: str, target: str, calls: list[str], stated: bool
) -> None:
    k = Loop(target)
    t = k.tile("t", (32, 64), source)

    def value(i: Var, j: Var) -> Any:
        read = load(t, i, j)
        return k.set(k.c, i, j)(Cast(type_of(target), read) if stated else read)

    text, (finding,) = k.over(value)
    assert text.splitlines()[1:] == calls
    assert "a conversion has no vector form there" in finding.message


@pytest.mark.parametrize(
    ("source", "target"),
    [("int32", "int16"), ("uint8", "int8"), ("uint32", "float32"), ("float32", "uint16")],
)
def test_what_the_unit_converts_otherwise_stays_scalar(source: str, target: str) -> None:
    k = Loop(target)
    t = k.tile("t", (32, 64), source)
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(load(t, i, j)))
    assert "c[i, j] = " in text
    assert f"no conversion from {source} to {target}" in finding.message


def test_plain_bfloat16_is_only_moved() -> None:
    k = Loop("bfloat16")
    assert k.over(lambda i, j: k.set(k.c, i, j)(load(k.a, i, j))) == ("copy_ub_to_ub(a, c)", [])


@pytest.mark.parametrize("name", ["exp2", "tanh", "log2"])
def test_what_is_made_of_float32_goes_there_and_back(name: str) -> None:
    k = Loop("float16")
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(Call(name, (load(k.a, i, j),), k.a.dtype)))
    lines = text.splitlines()
    assert lines[0].startswith("copy_ub_to_ub(a, ") and lines[-1].endswith(", c)")
    assert lines[-1].startswith("copy_ub_to_ub(") and "for" not in text


def test_a_number_takes_the_type_of_the_tile() -> None:
    k = Loop("float16")
    k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.a, i, j), 1.0)))
    kernel, _ = lowered(k.b.build())
    assert operations(kernel) == ["Adds"] and kernel.scratch == ()


def test_operations_on_bits() -> None:
    for value, call in (
        (lambda x, y: binary("&", x, y), "And(c, a, b)"),
        (lambda x, y: binary("|", x, y), "Or(c, a, b)"),
        (lambda x, y: binary("^", x, -1), "Not(c, a)"),
        (lambda x, y: binary("<<", x, 2), "ShiftLeft(c, a, scalarValue=2)"),
    ):
        k = Loop("int16")
        text, findings = k.over(
            lambda i, j, k=k, value=value: k.set(k.c, i, j)(value(load(k.a, i, j), load(k.x, i, j)))
        )
        assert (text, findings) == (call, [])


def test_the_same_kernel_built_again_is_the_same_code() -> None:
    """Expressions are shared between kernels of equal content, so they may name the buffers of
    another one: equal, but not the same objects."""

    def text() -> tuple[Loop, str]:
        k = Loop()
        product = lambda i, j: binary("*", load(k.x, i, j), load(k.a, i, j))  # noqa: E731
        one_more = lambda i, j: plus(load(k.a, i, j), 1.0)  # noqa: E731
        body = lambda i, j: k.set(k.a, i, j)(binary("-", product(i, j), one_more(i, j)))  # noqa: E731
        return k, k.over(body)[0]

    (first, before), (second, after) = text(), text()
    assert first.a == second.a and first.a is not second.a
    assert before == after == "Mul(a_tmp_0, b, a)\nAdds(a_tmp_1, a, 1.0)\nSub(a, a_tmp_0, a_tmp_1)"


def test_both_operands_may_be_results_of_16_bit_floats() -> None:
    """Only scalars are computed by the scalar unit."""
    k = Loop("float16")
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(
            binary("-", binary("*", load(k.a, i, j), load(k.x, i, j)), plus(load(k.a, i, j), 1.5))
        )
    )
    assert text == "Mul(c, a, b)\nAdds(c_tmp_0, a, 1.5)\nSub(c, c, c_tmp_0)"
    assert findings == []


def test_integers_without_their_sign() -> None:
    k = Loop("int32")
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, j)(Call("abs", (load(k.a, i, j),), k.a.dtype))
    )
    assert text == "Muls(c, a, -1)\nMax(c, c, a)"
    assert "absolute values of integers" in finding.message


@pytest.mark.parametrize("left", [True, False])
def test_bits_of_a_number_are_written_into_a_tile(left: bool) -> None:
    k = Loop("int16")

    def value(i: Any, j: Any) -> Any:
        return binary("&", 15, load(k.a, i, j)) if left else binary("&", load(k.a, i, j), 15)

    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(value(i, j)))
    assert text == "Fill(c_tmp_0, 15)\nAnd(c, a, c_tmp_0)"
    assert "the scalar 15 of &" in finding.message
