"""What completes behind a dot. `|` is the cursor."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from tl_ascend.ide.completion import complete
from tl_ascend.ide.model import Completion
from tl_ascend.ops.table import TABLE
from tl_ascend.source.span import Position

IMPORT = "import tilelang.language as T\n"


def at_cursor(marked: str) -> dict[str, Completion]:
    """Completions at the cursor, by label."""
    head, _, tail = marked.partition("|")
    column = len(head) - head.rfind("\n") - 1
    found = complete(head + tail, Position(head.count("\n") + 1, column))
    return {one.label: one for one in found}


@pytest.mark.parametrize(
    "text",
    [
        IMPORT + "T.|",
        IMPORT + "    T.|",
        IMPORT + "T.al|",
        IMPORT + "T.co|py(a, b)",
        IMPORT + "x = f(T . |",
        IMPORT + "with T.|Kernel(4) as (a, b):",
        IMPORT + 'f(a="T", b=T.|',
        IMPORT + "f'{x}' + T.|",
        "import tilelang.language as lang\nlang.|",
        "import tilelang as tl\ntl.language.|",
        "import tilelang\ntilelang.language.|",
        "import tilelang.language\ntilelang.language.|",
        "from tilelang import language as L\nL.|",
        "from tilelang import jit, language as L\nL.|",
        "from tilelang import (\n    jit,  # a comment\n    language as L,\n)\nL.|",
        "from tilelang import language\nlanguage.|",
        "if True:\n    import tilelang.language as T\n    T.|",
        "import os, tilelang.language as T\nT.|",
        # in broken text
        IMPORT + "def f(:\n  x = (\nT.|",
        IMPORT + "x = 'open\nT.|",
        IMPORT + "if T.|",
        IMPORT + ")))\n\tT.|\n  ]]",
        "import tilelang.language as\nT.|",
        "import tilelang\nT.|",
        # the last import counts
        "from tvm.script import tir as T\nimport tilelang.language as T\nT.|",
    ],
)
def test_names_of_the_language(text: str) -> None:
    found = at_cursor(text)
    assert {"copy", "alloc_ub", "alloc_L1", "gemm_v0", "Kernel", "tile", "Tensor"} <= found.keys()


@pytest.mark.parametrize(
    "text",
    [
        IMPORT + "T.tile.|",
        IMPORT + "T.tile.a|dd(a, b, c)",
        "import tilelang\ntilelang.language.tile.|",
        "from tilelang.language import tile\ntile.|",
        "from tilelang.language import tile as tl\ntl.|",
        "from tilelang import language as L\nL.tile.|",
    ],
)
def test_names_of_tile(text: str) -> None:
    found = at_cursor(text)
    assert {"add", "exp"} <= found.keys()
    assert "copy" not in found


@pytest.mark.parametrize(
    "text",
    [
        IMPORT + "T|",
        IMPORT + "# T.|",
        IMPORT + "x = 1  # T.|",
        IMPORT + "x = 'T.|'",
        IMPORT + 'x = "T.|',
        IMPORT + '"""\nT.|\n"""',
        IMPORT + "'''\nT.|",
        IMPORT + 'f"{T.|}"',
        IMPORT + "x.T.|",
        IMPORT + "f().T.|",
        IMPORT + "x[0].T.|",
        IMPORT + "T.nothing.|",
        IMPORT + "T.tile.add.|",
        IMPORT + "other.|",
        IMPORT + "1.|",
        IMPORT + "|",
        "T.|",
        "from tvm.script import tir as T\nT.|",
        "import torch as T  # tilelang\nT.|",
        '"""\nimport tilelang.language as X\n"""\nX.|',
        "# import tilelang.language as X\nX.|",
        "",
    ],
)
def test_nothing(text: str) -> None:
    assert at_cursor(text) == {}


def test_what_a_completion_says() -> None:
    found = at_cursor(IMPORT + "T.|")
    copy = found["copy"]
    assert copy.kind == "function"
    assert copy.detail == TABLE["copy"].signature and copy.detail.startswith("T.copy(")
    assert TABLE["copy"].doc in copy.documentation
    assert found["Tensor"].kind == "class"
    assert found["tile"].kind == "module"
    assert found["float16"].kind == "value"
    assert all(one.detail for one in found.values())


def test_places_outside_of_the_text() -> None:
    assert complete(IMPORT + "T.", Position(2, 99)) != ()
    assert complete(IMPORT + "T.", Position(99, 0)) == ()
    assert complete("", Position(1, 0)) == ()


def test_it_is_quick_and_needs_no_compiler() -> None:
    text = IMPORT + "x = 'a' + \"b\"  # comment\n" * 300 + "T."
    began = time.process_time()
    for _ in range(20):
        assert complete(text, Position(302, 2))
    assert (time.process_time() - began) / 20 < 0.005
    program = "import tl_ascend.ide.completion, sys; print({'tvm', 'numpy'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.strip() == b"set()"


def test_hostile_text_is_quick() -> None:
    for part in ('"', "'", '"""', "'''", "\\", '\\"', "(", "import ", "from x import (", "T."):
        began = time.process_time()
        complete(IMPORT + part * 20_000, Position(2, 100_000))
        assert time.process_time() - began < 1.0, part
