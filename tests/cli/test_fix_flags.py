"""tl-check --fix on what lacks flags, or options that would set them."""

from __future__ import annotations

import json

import pytest
from tests.cli.support import Tool, write
from tests.cli.test_fix import AUTO, PLANNING

UNORDERED = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1]{more})
def rows(N):
    @T.prim_func
    def main(A: T.Tensor((N, 64), "float32"), B: T.Tensor((N, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            T.copy(A[vid * 64, 0], a)
            T.tile.exp(a, a)
            {behind}T.copy(a, B[vid * 64, 0])

    return main


rows(128)
"""


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("", f", pass_configs={{{AUTO}}}"),
        (f", pass_configs={{{PLANNING}}}", f", pass_configs={{{PLANNING}, {AUTO}}}"),
    ],
)
def test_where_nothing_is_synchronised_the_compiler_shall(
    tool: Tool, given: str, wanted: str
) -> None:
    whole = UNORDERED.replace("{behind}", "")
    path = write("k.py", whole.replace("{more}", given))
    assert tool("k.py").status == 1
    assert tool("k.py", "--fix").status == 0
    assert path.read_text() == whole.replace("{more}", wanted)


FLAGS = """            T.set_flag("mte2", "v", 1)
            T.wait_flag("mte2", "v", 1)
"""


@pytest.mark.parametrize(
    ("more", "behind"),
    [
        (f", pass_configs={{{AUTO.replace('True', 'False')}}}", ""),  # he has said no
        ("", "T.barrier_all()\n            "),  # he does it by hand
    ],
)
def test_an_author_who_synchronises_keeps_his_options(tool: Tool, more: str, behind: str) -> None:
    text = UNORDERED.replace("{more}", more).replace("{behind}", behind)
    path = write("k.py", text)
    tool("k.py", "--fix")
    assert path.read_text().replace(FLAGS, "") == text


TURNS = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((512, 64), "float32"), B: T.Tensor((512, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 32, 64), "float32")
        y = T.alloc_ub((2, 32, 64), "float32")
        with T.Scope("V"):
{before}            for i in T.serial(8):
                T.wait_flag("v", "mte2", i % 2)
                T.copy(A[i * 64 + vid * 32, 0], x[i % 2, :, :])
                T.set_flag("mte2", "v", i % 2)
                T.wait_flag("mte2", "v", i % 2)
                T.wait_flag("mte3", "v", i % 2)
                T.tile.exp(y[i % 2, :, :], x[i % 2, :, :])
                T.set_flag("v", "mte2", i % 2)
                T.set_flag("v", "mte3", i % 2)
                T.wait_flag("v", "mte3", i % 2)
                T.copy(y[i % 2, :, :], B[i * 64 + vid * 32, 0])
                T.set_flag("mte3", "v", i % 2)
{behind}"""


def _turns(name: str, flags: list[tuple[str, str]]) -> str:
    return "".join(
        f'            T.{name}("{source}", "{target}", {number})\n'
        for source, target in flags
        for number in (0, 1)
    )


BOTH = [("v", "mte2"), ("mte3", "v")]


@pytest.mark.parametrize(
    ("primed", "drained"), [([], []), (BOTH, []), (BOTH, BOTH[:1]), (BOTH[:1], BOTH[:1])]
)
def test_flags_that_a_loop_hands_on_are_primed_and_drained(
    tool: Tool, primed: list[tuple[str, str]], drained: list[tuple[str, str]]
) -> None:
    def text(first: list[tuple[str, str]], last: list[tuple[str, str]]) -> str:
        before, behind = _turns("set_flag", first), _turns("wait_flag", last)
        return TURNS.replace("{before}", before).replace("{behind}", behind)

    path = write("k.py", text(primed, drained))
    assert tool("k.py").status == 1
    assert tool("k.py", "--fix").status == 0
    assert sorted(path.read_text().splitlines()) == sorted(text(BOTH, BOTH).splitlines())


PIPES = """import tilelang
import tilelang.language as TL

FP = "float32"


@tilelang.jit(out_idx=[1])
def scaled(N):
    @TL.prim_func
    def main(A: TL.Tensor((N, 128), FP), B: TL.Tensor((N, 128), FP)):
        with TL.Kernel(1, is_npu=True) as (cid, vid):
            a = TL.alloc_ub((1, 128), FP)
            b = TL.alloc_ub((1, 128), FP)
            with TL.Scope("V"):
                TL.barrier_all()
                for i in TL.serial(N):
{body}
                    TL.barrier_all()

    return main


scaled(4)
"""
MISSING = (
    ["TL.copy(A[i, :], a)", "TL.tile.exp(b, a)", "TL.barrier_all()", "TL.copy(b, B[i, :])"],
    ["TL.copy(A[i, :], a)", "TL.copy(A[i, :], b)", "TL.tile.add(b, b, a)"],
    [
        "TL.copy(A[i, :], a)",
        "for j, k in TL.Parallel(1, 128):",
        "    b[j, k] = a[j, k] * 2.0",
        "TL.barrier_all()",
        "TL.copy(b, B[i, :])",
    ],
    ["TL.copy(A[i, :], a)", 'TL.set_flag("mte2", "v", 3)', "TL.tile.exp(b, a)"],
    ["TL.copy(A[i, :], b)", "TL.copy(A[i, :], a)", "TL.tile.add(b, b, a)"],
    [
        "TL.copy(A[i, :], a)",
        "TL.tile.exp(b, a)",
        "TL.barrier_all()",
        "TL.copy(A[0, :], a)",
        "TL.tile.exp(b, a)",
    ],
    [
        "TL.copy(A[i, :], a)",
        "TL.tile.exp(b, a)",
        "TL.barrier_all()",
        "if i > 1:",
        "    TL.copy(A[0, :], a)",
        "TL.tile.exp(b, a)",
    ],
)
# Where a call stands in several places, no flag is put in.
TWICE = """@TL.macro
def use(b, a):
    TL.tile.exp(b, a)


@tilelang.jit"""


@pytest.mark.parametrize("lines", MISSING)
def test_a_missing_flag_is_put_in_where_that_is_seen_to_do(tool: Tool, lines: list[str]) -> None:
    body = "\n".join(f"{' ' * 20}{line}" for line in lines)
    path = write("k.py", PIPES.replace("{body}", body))
    assert tool("k.py").status == 1
    assert tool("k.py", "--fix").status == 0
    text = path.read_text()
    missing = sum(line.strip().startswith("TL.copy(A[0, :], a)") for line in lines) + 1
    assert text.count("TL.wait_flag(") == text.count("TL.set_flag(") == missing


@pytest.mark.parametrize("options", [(), ("--unsafe-fixes",)])
def test_a_flag_that_is_seen_not_to_do_is_not_offered(tool: Tool, options: tuple[str, ...]) -> None:
    again = ["TL.copy(A[0, :], a)", "use(b, a)"]
    lines = [*MISSING[0][:3], *again, "TL.barrier_all()", *again]
    body = "\n".join(f"{' ' * 20}{line}" for line in lines)
    text = PIPES.replace("{body}", body).replace("@tilelang.jit", TWICE)
    path = write("k.py", text)
    before = path.read_text()
    found = json.loads(tool("k.py", "--format", "json").out)["diagnostics"]
    assert not any(one["fixes"] for one in found)
    assert tool("k.py", "--fix", *options).status == 1
    assert path.read_text() == before
