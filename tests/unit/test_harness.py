"""The harness reports what a case gets wrong, and rewrites a case on request."""

from __future__ import annotations

import pytest
from tests.harness import bless
from tests.harness.bless import blessed
from tests.harness.compare import run_text
from tests.harness.expectations import BadCase, parse

HEAD = """\
import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
"""


def body(*lines: str) -> str:
    """A kernel with these lines in its launch frame; the first of them is line 8."""
    return HEAD + "\n".join(f"        {line}" if line[:1] != "#" else line for line in lines) + "\n"


def complaints(text: str) -> list[str]:
    return [c for o in run_text(text) for c in o.complaints]


WRONG = "T.copy(A[0, 0, 0], a)"
GOOD = "T.copy(A, a)"
ALLOC = 'a = T.alloc_ub((128, 64), "float16")'


def test_a_case_that_holds() -> None:
    assert complaints(body(ALLOC, f"{WRONG}  # ~ error[TL202]: has 3 indices")) == []


def test_an_unexpected_finding() -> None:
    (found,) = complaints(body(ALLOC, WRONG))
    assert found.startswith("unexpected error[TL202] at 9:15-25")


@pytest.mark.parametrize(
    "stated",
    [
        "error[TL202]: other words",
        "error[TL201]: has 3 indices",
        "warning[TL202]: has 3 indices",
    ],
)
def test_a_wrong_expectation_is_both_missing_and_unexpected(stated: str) -> None:
    missing, unexpected = complaints(body(ALLOC, f"{WRONG}  # ~ {stated}"))
    assert missing.startswith(f"missing on line 9: {stated}; that line has error[TL202]")
    assert unexpected.startswith("unexpected error[TL202]")


def test_an_expectation_on_the_wrong_line() -> None:
    missing, unexpected = complaints(body(f"{ALLOC}  # ~ error[TL202]: has 3", WRONG))
    assert missing == "missing on line 8: error[TL202]: has 3"
    assert unexpected.startswith("unexpected")


@pytest.mark.parametrize(
    "lines",
    [
        (ALLOC, "# ~v error[TL202]: has 3", WRONG),
        ("# ~vv error[TL202]: has 3", ALLOC, "", WRONG),
        (ALLOC, WRONG, "# ~^ error[TL202]: has 3"),
        (ALLOC, WRONG, "vid", "# ~^^ error[TL202]: has 3"),
    ],
)
def test_arrows_count_lines_of_code(lines: tuple[str, ...]) -> None:
    assert complaints(body(*lines)) == []


def test_carets_give_the_columns() -> None:
    line = "#              ^^^^^^^^^^ error[TL202]: has 3"
    assert complaints(body(ALLOC, WRONG, line)) == []
    short = line.replace("^^^^^^^^^^", "^^^^^^^^^")
    missing, _ = complaints(body(ALLOC, WRONG, short))
    assert missing.startswith("missing on line 9 in columns 15-24: error[TL202]")


def test_several_expectations_in_one_comment() -> None:
    text = body(f"{ALLOC}  # ~ hint a: float16[128,64] UB 16 KiB # ~ error[TL103]: x", GOOD)
    assert complaints(text) == ["missing on line 8: error[TL103]: x"]


def test_hints_are_compared_whole_where_a_line_states_one() -> None:
    assert complaints(body(ALLOC, f"{GOOD}  # ~ hint GM->UB 16 KiB")) == []
    (wrong,) = complaints(body(f"{ALLOC}  # ~ hint a: float16[128,64] UB", GOOD))
    assert wrong == (
        "hints on line 8: expected ['a: float16[128,64] UB'], got ['a: float16[128,64] UB 16 KiB']"
    )


def test_text_in_strings_is_no_expectation() -> None:
    assert parse('x = "# ~ error[TL202]: no"\n').findings == []


def test_a_broken_file_keeps_its_expectations() -> None:
    text = body(ALLOC, "x = (", GOOD).replace("x = (", "x = )  # ~ error[TL101]: unmatched")
    assert complaints(text) == []


def test_targets_run_one_by_one() -> None:
    big = 'a = T.alloc_ub((65536,), "float32")'
    stated = "# ~[A3] error[TL503]: # ~[A2] error[TL503]: 262144"
    text = "#@ target: a3, a2, a5\n" + body(f"{big}  {stated}", "T.tile.fill(a, 0)")
    assert complaints(text) == []
    assert complaints(text.replace("[A2]", "[A5]"))[0].startswith("[A2] unexpected error[TL503]")


def test_a_kernel_that_is_not_checked_is_a_failure() -> None:
    text = body("a = T.alloc_ub((size,), 'float16')").replace(
        "import tilelang\n", "from elsewhere import size\n"
    )
    (told,) = complaints(text)
    assert told.startswith("kernel main was not checked")
    reason = told.split(": ", 1)[1]
    assert complaints(f"#@ skipped: {reason}\n{text}") == []


def test_instances_are_compared_as_a_whole() -> None:
    text = "#@ instance: M=1\n" + body(ALLOC, GOOD)
    assert complaints(text) == ["instances: expected ['M=1'], got ['']"]


def test_a_file_without_kernels_must_say_so() -> None:
    assert complaints("x = 1\n") == ["no kernel was found in this case"]
    assert complaints("#@ kernels: 0\nx = 1\n") == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#@ tagret: A3\n", "no header 'tagret'"),
        ("x = 1  # ~ eror[TL101]\n", "cannot read the expectation"),
        ("# ~^ error[TL101]\nx = 1\n", "no line of code there"),
        ("x = 1\n# ~^v error[TL101]\n", "both up and down"),
    ],
)
def test_mistakes_in_the_grammar(text: str, why: str) -> None:
    with pytest.raises(BadCase, match=why):
        parse(text)


def test_blessing_makes_a_case_hold() -> None:
    stale = body(
        f"{ALLOC}  # ~ hint a: wrong",
        f"{WRONG}  # ~ error[TL202]: other words",
        "# ~^ error[TL103]: gone",
        GOOD,
    )
    new = blessed(stale, run_text(stale))
    assert complaints(new) == []
    assert "wrong" not in new
    assert "gone" not in new


def test_blessing_keeps_what_holds() -> None:
    text = body(ALLOC, f"{WRONG}  # ~ error[TL202]: has 3 indices")
    assert blessed(text, run_text(text)) == text


def test_blessing_is_refused_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TL_BLESS", "1")
    monkeypatch.delenv("CI", raising=False)
    assert bless.wanted()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(BadCase, match="refused"):
        bless.wanted()
