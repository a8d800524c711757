"""Text, broken text, and places that survive edits."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tl_ascend.source.parse import parse
from tl_ascend.source.span import Position, Span
from tl_ascend.source.text import SourceText, read_source, split_lines
from tl_ascend.source.units import FileUnits, code_digest, cut, preorder, span_of

PATH = "k.py"


def text(content: str) -> SourceText:
    return SourceText(PATH, content)


# --- text --------------------------------------------------------------------------------------


def test_only_what_ends_a_line_for_python_ends_a_line() -> None:
    assert split_lines("a\rb\r\nc\nd\fe\x85f\u2028g") == ["a", "b", "c", "d\fe\x85f\u2028g"]


@pytest.mark.parametrize(
    ("line", "byte", "column"),
    [("abc", 2, 2), ("äbc", 2, 1), ("ä€𝄞x", 9, 3), ("ä€𝄞x", 10, 4), ("abc", 99, 3)],
)
def test_byte_columns_become_characters(line: str, byte: int, column: int) -> None:
    assert text(line).position(1, byte) == Position(1, column)


def test_positions_out_of_range_are_clamped() -> None:
    source = text("a\nbc")
    assert source.position(9, 0) == Position(2, 0)
    assert source.position(0, 0) == Position(1, 0)
    assert source.offset(Position(1, 99)) == 1
    assert source.offset(Position(99, 0)) == 4


@given(st.text(alphabet="ab\n\rä𝄞\u2028", max_size=30))
def test_offset_counts_the_characters_before(content: str) -> None:
    source = text(content)
    for row, line in enumerate(source.lines, 1):
        start = source.offset(Position(row, 0))
        assert content[start : start + len(line)] == line


def test_a_file_that_is_not_utf8_has_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    source = read_source(path)
    assert source.problem == "line 2 is not valid UTF-8 (byte 0xff)"
    assert source.lines[0] == "a = 1"


@pytest.mark.parametrize(
    ("encoding", "head"),
    [
        ("latin-1", "# -*- coding: latin-1 -*-\n"),
        ("gbk", "#!/usr/bin/python\n# vim: set fileencoding=gbk :\n"),
        ("cp1252", "\f# coding=cp1252\n"),
        ("utf-8", "# first\n\n# coding: latin-1\n"),  # the third line says nothing
        ("utf-8", "x = 1\n# coding: latin-1\n"),  # nor does one behind code
    ],
)
def test_a_file_is_read_as_its_first_lines_say(tmp_path: Path, encoding: str, head: str) -> None:
    path = tmp_path / "k.py"
    name = "\u4e2d" if encoding == "gbk" else "\u00e9"
    path.write_bytes(f"{head}a = '{name}'\n".encode(encoding))
    source = read_source(path)
    assert (source.text, source.problem) == (f"{head}a = '{name}'\n", "")


def test_bytes_that_are_not_of_the_encoding_are_told(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"# coding: ascii\nb = '\xff'\n")
    assert read_source(path).problem == "line 2 is not valid ascii (byte 0xff)"


@pytest.mark.parametrize("name", ["no-such", "rot13"])
def test_an_encoding_that_python_does_not_know_is_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(f"# coding: {name}\na = 1\n".encode())
    source = read_source(path)
    assert source.problem == f"unknown encoding: {name}"
    assert source.lines[1] == "a = 1"


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"\xef\xbb\xbfa = 1\n")
    assert read_source(path).text == "a = 1\n"


# --- parsing -----------------------------------------------------------------------------------


def problems(content: str) -> list[tuple[int, str]]:
    return [(p.start.row, p.message) for p in parse(text(content)).problems]


def names(content: str) -> list[str]:
    """The functions that are left of a broken text."""
    tree = parse(text(content)).tree
    return [n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]


def test_a_broken_line_costs_that_line() -> None:
    content = "def f():\n    x = )\n    return x\n\ndef g(:\n    pass\n\ndef h():\n    y = 1 +\n"
    assert [row for row, _ in problems(content)] == [2, 5, 9]
    assert names(content) == ["f", "h"]


@pytest.mark.parametrize(
    "content",
    [
        "def f():\n\ndef g():\n    pass\n",
        "def f():\n    if x:\n    y = 1\n\ndef g():\n    pass\n",
        "def f():\n    x = 1\n  y = 2\n\ndef g():\n    pass\n",
        "def f():\n    x = f(1,\n\ndef g():\n    pass\n",
        "def f():\n    x = 'abc\n\ndef g():\n    pass\n",
        "class A\n    pass\n\ndef g():\n    pass\n",
    ],
)
def test_what_follows_a_broken_statement_is_still_there(content: str) -> None:
    assert len(problems(content)) == 1
    assert "g" in names(content)


@given(st.text(alphabet="ab =()[]:\n\t'\"#\\1+", max_size=60))
def test_any_text_parses_to_a_tree_or_problems(content: str) -> None:
    parsed = parse(text(content))
    lines = split_lines(content)
    for problem in parsed.problems:
        assert 1 <= problem.start.row <= len(lines)
        assert problem.start <= problem.end
        assert problem.message
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        assert parsed.problems
    else:
        assert not parsed.problems


# --- units -------------------------------------------------------------------------------------

CODE = "import a\n\ndef f(x):\n    return x + 1\n\ny = f(2)\ny = f(2)\n"


def place(units: FileUnits, span: Span) -> str:
    """The text of a span."""
    found = units.range_of(span)
    assert found is not None
    start, end = units.source.offset(found.start), units.source.offset(found.end)
    return units.source.text[start:end]


def test_every_node_has_its_place() -> None:
    units = cut(text(CODE))
    for unit in units.units:
        for node in preorder(unit.tree):
            if isinstance(node, ast.expr):
                assert place(units, span_of(node)) == ast.get_source_segment(CODE, node)


@pytest.mark.parametrize("part", ["x", "é_1"])
def test_parts_of_nodes(part: str) -> None:
    code = f"def {part}(): pass\nclass {part}: pass\nq.{part}\nf({part}=1)\n"
    units = cut(text(code))
    spans = [span_of(units.units[0].tree, "name"), span_of(units.units[1].tree, "name")]
    spans += [span_of(n, "name") for n in units.units[2].nodes if isinstance(n, ast.Attribute)]
    spans += [span_of(n, "name") for n in units.units[3].nodes if isinstance(n, ast.keyword)]
    assert [place(units, s) for s in spans] == [part] * 4


def test_a_header_ends_before_the_body() -> None:
    code = "with a as b:\n    pass\nfor i in c:\n    pass\nif d:\n    pass\n"
    units = cut(text(code))
    headers = [place(units, span_of(u.tree, "header")) for u in units.units]
    assert headers == ["with a as b", "for i in c", "if d"]


def test_equal_statements_are_told_apart() -> None:
    units = cut(text(CODE))
    homes = [u.home for u in units.units]
    assert len(set(homes)) == len(homes)
    assert (homes[2].digest, homes[2].ordinal, homes[3].ordinal) == (homes[3].digest, 0, 1)


def test_spans_survive_edits_elsewhere() -> None:
    before = cut(text(CODE))
    spans = [span_of(n) for n in before.units[1].nodes if isinstance(n, ast.expr)]
    shown = [place(before, s) for s in spans]
    moved = "# more\n\nimport b\n" + CODE.replace("import a", "import a, c")
    after = cut(text(moved), before)
    assert [place(after, s) for s in spans] == shown
    assert after.units[2] is before.units[1]


def test_comments_and_layout_do_not_change_a_digest() -> None:
    one = ast.parse("f(1,  2)  # x").body[0]
    two = ast.parse("f(\n  1, 2,\n)").body[0]
    other = ast.parse("f(1, 3)").body[0]
    assert code_digest(one) == code_digest(two) != code_digest(other)


@pytest.mark.parametrize(("a", "b"), [("1", "1.0"), ("1", "True"), ("'1'", "1"), ("b'a'", "'a'")])
def test_different_constants_have_different_digests(a: str, b: str) -> None:
    assert code_digest(ast.parse(a)) != code_digest(ast.parse(b))


def test_a_span_of_code_that_is_gone_has_no_place() -> None:
    before = cut(text(CODE))
    span = span_of(before.units[1].tree)
    assert cut(text("import a\n"), before).range_of(span) is None


def test_statements_that_share_a_line() -> None:
    units = cut(text("a = 1; b = a; c = 'ä'; d = b\n"))
    assert [place(units, span_of(u.tree)) for u in units.units] == [
        "a = 1",
        "b = a",
        "c = 'ä'",
        "d = b",
    ]


EDITS = st.lists(
    st.tuples(st.integers(0, 80), st.integers(0, 12), st.text("ab=()\n :1", max_size=8)), max_size=6
)


@given(EDITS)
def test_history_makes_no_difference(edits: list[tuple[int, int, str]]) -> None:
    content, history = CODE, cut(text(CODE))
    for start, length, new in edits:
        content = content[:start] + new + content[start + length :]
        history = cut(text(content), history)
        fresh = cut(text(content))
        if history.complete and fresh.complete:
            assert [u.home for u in history.units] == [u.home for u in fresh.units]
            nodes = [n for u in fresh.units for n in u.nodes if hasattr(n, "lineno")]
            spans = [span_of(n) for n in nodes]
            assert [history.range_of(s) for s in spans] == [fresh.range_of(s) for s in spans]
