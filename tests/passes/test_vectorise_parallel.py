"""T.Parallel loops: which become vector operations, and what is said of the others."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.passes.kernels import lowered, plus

from tl_ascend.diagnostics.report import Finding
from tl_ascend.ir.build import KernelBuilder, load, type_of
from tl_ascend.ir.expr import Call, Cast, Logic, Var
from tl_ascend.ir.fold import binary, compare, select
from tl_ascend.ir.nodes import Buffer, Let
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.summary import operations

SYNC = re.compile(r"\b(pipe_barrier|barrier_all|set_flag|wait_flag)\(")


class Loop:
    """Tiles a, b, c [32, 64], row [64], column [32] in the UB and a tensor C, before a loop."""

    def __init__(self, kind: str = "float32") -> None:
        self.b = KernelBuilder()
        self.gm = self.b.tensor("C", (256, 256), kind)
        self.cid, self.vid = self.b.launch(16)
        self.a, self.x, self.c = (self.tile(n, (32, 64), kind) for n in ("a", "b", "c"))
        self.row, self.column = self.tile("row", (64,), kind), self.tile("column", (32,), kind)

    def tile(self, name: str, shape: tuple[int, ...], kind: str = "float32") -> Buffer:
        return self.b.alloc(name, shape, kind, "UB")

    def over(self, body: Any, extents: tuple[Any, ...] = (32, 64)) -> tuple[str, list[Finding]]:
        """Lower `body(i, j)` in a parallel nest; the statements as text, without their scratch and
        synchronisation."""
        self._nest(body, extents, ())
        kernel, findings = lowered(self.b.build())
        lines = [line for line in kernel_text(kernel).splitlines() if not SYNC.search(line)]
        start = next(n for n, line in enumerate(lines) if "alloc column" in line) + 1
        return "\n".join(line[2:] for line in lines[start:]), findings

    def _nest(self, body: Any, extents: tuple[Any, ...], names: tuple[Any, ...]) -> None:
        if not extents:
            body(*names)
            return
        with self.b.loop("ijk"[len(names)], extents[0], "parallel") as var:
            self._nest(body, extents[1:], (*names, var))

    def set(self, target: Buffer, *index: Any) -> Any:
        return lambda value: self.b.store(target, index, value)


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


def test_column_plus_row_is_lowered_but_wrong_with_upstream() -> None:
    k = Loop()
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.column, i), load(k.row, j))))
    assert "Adds(c[i, :], row, column[i])" in text
    assert [f.name for f in findings] == ["parallel-unsupported"]
    for fact in ("column[i]", "row[j]", "two broadcasts"):
        assert fact in findings[0].message
    k = Loop()
    _, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(binary("-", load(k.row, j), load(k.column, i)))
    )
    assert findings == []


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


def test_a_tile_turned_in_place_keeps_its_order() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, j, i)(load(k.c, i, j)), (32, 32))
    assert text == "for i in serial(0, 32):\n  for j in serial(0, 32):\n    c[j, i] = c[i, j]"


def test_what_cannot_be_written_transposed_says_so() -> None:
    k = Loop()
    turned, source = k.tile("t", (64, 32), "int8"), k.tile("s", (32, 64), "int8")
    for _ in range(2):
        k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    text, (finding,) = k.over(lambda i, j: k.set(turned, j, i)(load(source, i, j)))
    assert (
        "t is written transposed; with the loops exchanged, s is read transposed" in finding.message
    )
    assert text.startswith("for i in serial(0, 32):\n  for j in serial(")


def scalar_cases(k: Loop) -> dict[str, Any]:
    f32 = type_of("float32")
    return {
        "no vector operation for %": lambda i, j: binary("%", load(k.a, i, j), 2.0),
        "may lie outside of a": lambda i, j: select(
            compare(">", load(k.x, i, j), 0), load(k.a, i, plus(j, 8)), 0.0
        ),
        "is read transposed": lambda i, j: load(k.tile_t, j, i),  # type: ignore[attr-defined]
        "no plain loop variable": lambda i, j: load(k.a, i, binary("%", j, 7)),
        "with the step 2": lambda i, j: load(k.bytes, i, binary("*", j, 2)),  # type: ignore[attr-defined]
        "may start at no multiple of 32": lambda i, j: load(k.bytes, i, plus(j, 1)),  # type: ignore[attr-defined]
        "T.atan has no vector form": lambda i, j: Call("atan", (load(k.a, i, j),), f32),
        "the vector unit compares": lambda i, j: select(
            compare(">", load(k.whole, i, j), 0),  # type: ignore[attr-defined]
            load(k.a, i, j),
            0.0,
        ),
    }


@pytest.mark.parametrize("reason", list(scalar_cases(Loop())))
def test_what_stays_scalar_is_told_with_its_cost(reason: str) -> None:
    k = Loop()
    k.tile_t = k.tile("t", (64, 32), "int8")  # type: ignore[attr-defined]
    k.bytes = k.tile("bytes", (32, 64), "int8")  # type: ignore[attr-defined]
    k.whole = k.tile("whole", (32, 64), "int32")  # type: ignore[attr-defined]
    for _ in range(3):
        k.b.blocks[0].insert(-4, k.b.blocks[0].pop())
    value = scalar_cases(k)[reason]
    narrow = reason in ("with the step 2", "may start at no multiple of 32")
    extents = (32, 32) if narrow else (32, 64)
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(value(i, j)), extents)
    assert finding.name == "parallel-not-vectorised"
    assert reason in finding.message and str(extents[0] * extents[1]) in finding.message
    assert text.startswith("for i in serial(0, 32):\n  for j in serial(")


def test_one_scalar_statement_does_not_hold_up_the_others() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))
        k.b.store(k.x, (i, j), binary("%", load(k.a, i, j), 2.0))

    text, findings = k.over(body)
    assert text.startswith("Adds(c, a, 1.0)\nfor i in serial(0, 32):")
    assert len(findings) == 1


def beyond(k: Loop) -> dict[str, tuple[Any, str]]:
    """Forms that upstream's compiler leaves scalar, with a part of its reason, and our code."""

    def a(i: Any, j: Any) -> Any:
        return load(k.a, i, j)

    def b(i: Any, j: Any) -> Any:
        return load(k.x, i, j)

    def both(i: Any, j: Any) -> Any:
        return Logic(
            "and", (compare(">", a(i, j), 0.0), Logic("not", (compare("<", a(i, j), b(i, j)),)))
        )

    f32 = type_of("float32")
    tensor, scalar = "VSEL_TENSOR_TENSOR_MODE", "VSEL_TENSOR_SCALAR_MODE"
    count = "CreateVecIndex(c_tmp_0, 0.0)"
    places = "CreateVecIndex(c_tmp_0, 0)\nMuls(c_tmp_0, c_tmp_0, -4)\nAdds(c_tmp_0, c_tmp_0, 252)"
    return {
        "left of -": (lambda i, j: binary("-", 1.0, a(i, j)), "Muls(c, a, -1)\nAdds(c, c, 1.0)"),
        "left of /": (
            lambda i, j: binary("/", 2.0, a(i, j)),
            "Fill(c_tmp_0, 2.0)\nDiv(c, c_tmp_0, a)",
        ),
        "a choice": (
            lambda i, j: select(compare("<=", 0.0, a(i, j)), a(i, j), b(i, j)),
            f"CompareScalar(c_tmp_0, a, 0.0, GE)\nSelect(c, c_tmp_0, a, b, {tensor})",
        ),
        "a choice between two values": (
            lambda i, j: select(both(i, j), a(i, j), 0.5),
            "Fill(c_tmp_1, 0.5)\nCompare(c_tmp_2, a, b, LT)\n"
            f"Select(c_tmp_0, c_tmp_2, c_tmp_1, a, {tensor})\n"
            "CompareScalar(c_tmp_2, a, 0.0, GT)\n"
            f"Select(c, c_tmp_2, c_tmp_0, 0.5, {scalar})",
        ),
        "two values": (
            lambda i, j: Cast(f32, compare("!=", a(i, j), b(i, j))),
            f"Fill(c_tmp_0, 1)\nCompare(c_tmp_1, a, b, NE)\nSelect(c, c_tmp_1, c_tmp_0, 0, {scalar})",
        ),
        "a choice between": (
            lambda i, j: select(
                compare(">", plus(j, 2), plus(i, binary("*", k.cid, 8))), a(i, j), 0.0
            ),
            f"{count}\nfor i in serial(0, 32):\n"
            "  CompareScalar(c_tmp_1, c_tmp_0, T.cast(i + cid * 8 - 2, float32), GT)\n"
            f"  Select(c[i, :], c_tmp_1, a[i, :], 0.0, {scalar})",
        ),
        "used as a value": (
            lambda i, j: plus(a(i, j), j),
            f"{count}\nfor i in serial(0, 32):\n  Add(c[i, :], a[i, :], c_tmp_0)",
        ),
        "no plain loop variable": (
            lambda i, j: load(k.a, i, binary("//", j, 2)),
            "CreateVecIndex(c_tmp_1, 0)\nfor i in serial(0, 32):\n"
            "  ShiftRight(c_tmp_0, c_tmp_1, scalarValue=1)\n"
            "  Adds(c_tmp_0, c_tmp_0, i * 64)\n"
            "  Muls(c_tmp_0, c_tmp_0, 4)\n"
            "  Gather(c_tmp_2, a, c_tmp_0_uint32, src_base_addr=0)\n"
            "  copy_ub_to_ub(c_tmp_2, c[i, :])",
        ),
        "is read with the step -1": (
            lambda i, j: load(k.a, i, binary("-", 63, j)),
            f"{places}\nfor i in serial(0, 32):\n"
            "  Gather(c_tmp_1, a, c_tmp_0_uint32, src_base_addr=i * 256)\n"
            "  copy_ub_to_ub(c_tmp_1, c[i, :])",
        ),
        "between two values has": (
            lambda i, j: select(
                Logic("and", (compare("<", i, k.cid), compare(">", a(i, j), load(k.column, i)))),
                a(i, j),
                b(i, j),
            ),
            "for i in serial(0, 32):\n  if i < cid:\n"
            "    CompareScalar(c_tmp_0, a[i, :], column[i], GT)\n"
            f"    Select(c[i, :], c_tmp_0, a[i, :], b[i, :], {tensor})\n"
            "  else:\n    copy_ub_to_ub(b[i, :], c[i, :])",
        ),
    }


def plain(text: str) -> str:
    """Without the names and quotes of words."""
    return re.sub(r'(?:\w+=)?"(\w+)"', r"\1", text)


@pytest.mark.parametrize("reason", list(beyond(Loop())))
def test_what_only_we_vectorise_is_told_for_upstream(reason: str) -> None:
    k = Loop()
    value, want = beyond(k)[reason]
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(value(i, j)))
    assert plain(text) == want
    assert finding.message.startswith("upstream's compiler makes 2048 scalar operations")
    assert reason in finding.message


@pytest.mark.parametrize("op", ["-", "/"])
def test_an_element_of_the_tile_that_is_written_is_read_at_its_turn(op: str) -> None:
    k = Loop()
    text, said = k.over(lambda i, j: k.set(k.c, i, j)(binary(op, load(k.c, 0, 0), load(k.a, i, j))))
    assert "serial" in text and "read where other elements" in said[0].message
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(binary(op, load(k.a, 0, 0), load(k.a, i, j))))
    assert "serial" not in text


def test_a_name_outlives_what_its_value_was_read_from() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = k.b.let("t", load(k.a, i, j))
        k.set(k.a, i, j)(load(k.c, i, j))
        k.set(k.c, i, j)(value)

    text, said = k.over(body)
    assert said == []
    assert text.splitlines() == [
        "copy_ub_to_ub(a, t_tmp_0)",
        "copy_ub_to_ub(c, a)",
        "copy_ub_to_ub(t_tmp_0, c)",
    ]


def test_a_name_whose_value_stays_needs_no_tile() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = k.b.let("t", load(k.a, i, j))
        k.set(k.a, i, j)(plus(value, 1.0))
        k.set(k.c, i, j)(load(k.a, i, j))

    text, _ = k.over(body)
    assert "tmp" not in text


@pytest.mark.parametrize("uses", [1, 2, 3])
@pytest.mark.parametrize("room", [True, False])
def test_what_several_statements_need_is_computed_once_where_there_is_room(
    uses: int, room: bool
) -> None:
    k = Loop()
    if not room:
        k.tile("large", (160 * 256,))
        k.b.blocks[0].insert(-3, k.b.blocks[0].pop())

    def body(i: Any, j: Any) -> None:
        value = Var("t", k.b.uid(), "let", None, None, type_of("float32"))
        k.b.add(Let(value, Call("exp", (load(k.a, i, j),), value.type), k.b.span()))
        for target, operand in list(((k.c, 1.0), (k.x, 2.0), (k.a, 3.0)))[:uses]:
            k.set(target, i, j)(plus(value, operand))

    text, _ = k.over(body)
    assert text.count("Exp(") == (1 if room else uses)


def test_a_name_that_a_call_in_a_branch_needs_stays_bound() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = k.b.let("t", plus(load(k.a, i, j), 1.0))
        with k.b.when(compare(">", value, 2.0)):
            k.b.op("printf", "%f", value)

    text, (finding,) = k.over(body)
    assert "t = a[i, j] + 1.0" in text and "if t > 2.0" in text
    assert "more than element-wise stores" in finding.message


def test_a_tile_that_is_shifted_within_itself_stays_scalar() -> None:
    k = Loop()
    text, (finding,) = k.over(
        lambda i, j: k.set(k.c, i, plus(j, 8))(plus(load(k.c, i, j), 1.0)), (32, 32)
    )
    assert "for j in serial" in text and "other elements of the loop write it" in finding.message
    k = Loop()
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, plus(j, 32))(plus(load(k.c, i, j), 1.0)), (32, 32)
    )
    assert text == "for i in serial(0, 32):\n  Adds(c[i, 32:64], c[i, 0:32], 1.0)" and not findings


def test_integers_are_repeated_row_by_row() -> None:
    k = Loop("int32")
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(load(k.column, i)))
    assert text == "for i in serial(0, 32):\n  Fill(c[i, :], column[i])" and findings == []
    k = Loop("int32")
    text, findings = k.over(lambda i, j: k.set(k.c, i, j)(load(k.row, j)))
    assert text == "for i in serial(0, 32):\n  copy_ub_to_ub(row, c[i, :])" and findings == []


def test_a_branch_on_elements_is_a_choice() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.a, i, j), 0)):
            k.b.store(k.c, (i, j), 0.0)
            k.b.store(k.x, (i, j), load(k.c, i, j))

    text, (finding,) = k.over(body)
    assert plain(text) == (
        "Fill(c_tmp_0, 0.0)\nCompareScalar(c_tmp_1, a, 0, GT)\n"
        "Select(c, c_tmp_1, c_tmp_0, c, VSEL_TENSOR_TENSOR_MODE)\n"
        "CompareScalar(c_tmp_1, a, 0, GT)\n"
        "Select(b, c_tmp_1, c, b, VSEL_TENSOR_TENSOR_MODE)"
    )
    assert "a branch in the body" in finding.message


def test_a_branch_that_is_the_same_for_a_row_goes_around_the_row() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.column, i), 0)):
            with k.b.when(compare(">", i, k.cid)):
                k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))

    text, (finding,) = k.over(body)
    assert "upstream's compiler makes 2048 scalar operations" in finding.message
    assert "a branch in the body" in finding.message
    assert text == (
        "for i in serial(0, 32):\n  if column[i] > 0:\n    if i > cid:\n"
        "      Adds(c[i, :], a[i, :], 1.0)"
    )


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


def test_elements_that_the_loop_writes_are_not_collected() -> None:
    k = Loop()
    text, _ = k.over(lambda i, j: k.set(k.c, i, j)(load(k.c, i, binary("-", 63, j))))
    assert "for j in serial" in text


def test_numbers_that_several_loops_of_a_nest_need_are_made_once() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        k.b.store(k.c, (i, j), plus(load(k.a, i, j), j))
        k.b.store(k.x, (i, j), plus(load(k.x, i, j), j))

    text, _ = k.over(body)
    assert text.count("CreateVecIndex") == 1 and text.startswith(
        "CreateVecIndex(c_tmp_0, 0.0)\nfor"
    )


def test_a_branch_whose_body_changes_its_condition_stays() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", load(k.a, i, j), 0)):
            k.b.store(k.a, (i, j), 0.0)
            k.b.store(k.c, (i, j), 1.0)

    text, (finding,) = k.over(body)
    assert "if a[i, j] > 0:" in text and "changes what the condition reads" in finding.message


def test_a_branch_that_is_the_same_for_all_goes_around_the_loops() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        with k.b.when(compare(">", k.cid, 3)):
            k.b.store(k.c, (i, j), plus(load(k.a, i, j), 1.0))

    text, findings = k.over(body)
    assert text == "if cid > 3:\n  Adds(c, a, 1.0)" and findings == []


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


def test_tiles_for_a_choice_must_fit_beside_the_others() -> None:
    k = Loop()
    k.tile("large", (190 * 256,))
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    text, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(binary("/", 2.0, load(k.a, i, j))))
    assert "for j in serial" in text
    assert "stands on the left of /, and tiles for it may not fit into UB" in finding.message


def test_three_loops_are_refused_by_upstream() -> None:
    k = Loop()
    cube = k.tile("cube", (4, 8, 64))
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    _, findings = k.over(
        lambda i, j, n: k.set(cube, i, j, n)(plus(load(cube, i, j, n), 1.0)), (4, 8, 64)
    )
    assert [f.name for f in findings] == ["parallel-unsupported"]


def test_types_without_vector_arithmetic_stay_scalar() -> None:
    k = Loop("int8")
    _, (finding,) = k.over(lambda i, j: k.set(k.c, i, j)(plus(load(k.a, i, j), 1)))
    assert "int8" in finding.message


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


def test_a_choice_between_bfloat16_is_one_of_float32() -> None:
    k = Loop("bfloat16")
    condition = lambda i, j: compare(">", load(k.a, i, j), load(k.x, i, j))  # noqa: E731
    text, _ = k.over(
        lambda i, j: k.set(k.c, i, j)(
            select(condition(i, j), Call("exp", (load(k.a, i, j),), k.a.dtype), load(k.x, i, j))
        )
    )
    assert [line.split("(")[0] for line in text.splitlines()].count("copy_ub_to_ub") == 3
    assert "Exp(" in text and "Compare(" in text and "Select(" in text


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


@pytest.mark.parametrize(("width", "kind", "compared"), [(17, "float16", 128), (37, "float32", 64)])
@pytest.mark.parametrize("both", [False, True])
def test_widths_that_are_not_compared_are_filled_up(
    width: int, kind: str, compared: int, both: bool
) -> None:
    k = Loop(kind)
    a, x, c = (k.tile(name, (width,), kind) for name in ("s", "t", "u"))
    for _ in range(3):
        k.b.blocks[0].insert(-5, k.b.blocks[0].pop())
    other = (lambda j: load(x, j)) if both else (lambda j: 0.5)
    text, _ = k.over(
        lambda j: k.set(c, j)(select(compare(">", load(a, j), other(j)), load(a, j), load(x, j))),
        (width,),
    )
    lines = text.splitlines()
    assert "for" not in text
    assert sum(line.startswith("Fill(") for line in lines) == 1 + both
    assert sum(f"[0:{width}], " in line for line in lines) == 1 + both
    assert lines[-1].startswith("Select(u, ")
    sizes = {tile.shape for tile in lowered(k.b.build())[0].scratch}
    assert {(compared,), (compared // 8,)} <= sizes


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
