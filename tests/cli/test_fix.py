"""tl-check --fix: what is certain is repaired, checked again, and written whole or not at all."""

from __future__ import annotations

import codecs
import json
import os
import stat
from pathlib import Path

import pytest
from tests.cli.support import HEAD, MOVED, RIGHT, WIDE, Tool, write
from tests.harness.pages import read

from tl_ascend.diagnostics.catalogue import BY_NAME, Severity
from tl_ascend.driver.rewrite import NotRewritten, read_original, rewrite
from tl_ascend.ide.fixing import edited, fix_text
from tl_ascend.ide.model import Diagnostic, QuickFix, TextEdit
from tl_ascend.ide.result import FileResult
from tl_ascend.source.span import Position, Range

REPAIRED = MOVED.replace("T.fill", "T.tile.fill")
PLANNED = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1]{more})
def rows():
    @T.prim_func
    def main(A: T.Tensor((128, 512), "float32"), B: T.Tensor((128, 512), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 512), "float32")
            b = T.alloc_ub((64, 512), "float32")
            with T.Scope("V"):
                T.copy(A[0:64, :], a)
                T.barrier_all()
                T.copy(a, B[0:64, :])
                T.barrier_all()
                T.copy(A[64:128, :], b)
                T.barrier_all()
                T.copy(b, B[64:128, :])

    return main


rows()
"""
AUTO = "tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True"
PLANNING = "tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True"


@pytest.mark.parametrize("code", ["TL108", "TL205", "TL306", "TL404", "TL803"])
def test_the_wrong_example_of_a_page_becomes_the_right_one(tool: Tool, code: str) -> None:
    page = read(code)
    carets = next(line for line in page.example("Wrong").splitlines() if "^^^" in line)
    path = write("k.py", page.example("Wrong"))
    assert tool("k.py", "--fix", "--fail-level", "info").status == 0
    assert path.read_text().replace(f"{carets}\n", "") == page.example("Right")


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("  # tl: ignore[tail]", ""),
        ("  # tl: ignore[tail, ub-overflow]", "  # tl: ignore[ub-overflow]"),
        ("  # why  # tl: ignore[tail]", "  # why"),
        ("\n        # tl: ignore-file[tail]", ""),
    ],
)
def test_comments_that_ignore_nothing_are_removed(tool: Tool, comment: str, left: str) -> None:
    path = write("k.py", WIDE.replace("\n        T.copy", f"{comment}\n        T.copy"))
    tool("k.py", "--fix")
    assert path.read_text() == WIDE.replace("\n        T.copy", f"{left}\n        T.copy")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (f", pass_configs={{{AUTO}}}", f", pass_configs={{{AUTO}, {PLANNING}}}"),
        (f", pass_configs={{{AUTO},}}", f", pass_configs={{{AUTO}, {PLANNING},}}"),
    ],
)
def test_an_option_is_switched_on(tool: Tool, given: str, wanted: str) -> None:
    path = write("k.py", PLANNED.replace("{more}", given))
    assert tool("k.py").status == 1
    assert tool("k.py", "--fix").status == 0
    assert path.read_text() == PLANNED.replace("{more}", wanted)


def test_an_unsafe_repair_waits_to_be_asked_for(tool: Tool) -> None:
    path = write("k.py", PLANNED.replace("{more}", ""))
    assert "(unsafe)" in tool("k.py", "--fix").out
    assert path.read_text() == PLANNED.replace("{more}", "")
    assert tool("k.py", "--fix", "--unsafe-fixes").status == 0
    assert path.read_text() == PLANNED.replace("{more}", f", pass_configs={{{PLANNING}}}")


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


PRODUCT = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            {call}
            T.barrier_all()
            T.copy(c, C)
"""


LOOP = "for k in T.serial(2):\n"
NESTED = "                for j in T.serial(2):\n                    T.gemm_v0(a, a, c)"
STEP = "                T.gemm_v0(a, a, c{})\n"
BRANCH = (
    "                if {}:\n                    T.gemm_v0(a, a, c{})\n"
    "                else:\n                    T.gemm_v0(a, a, c{})\n"
)
BROKEN = "T.gemm_v0(a, a, (c){},  # )\n            )"


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("T.gemm_v0(a, a, c)", "T.gemm_v0(a, a, c, init=True)"),
        (BROKEN.format(""), BROKEN.format(", init=True")),
        ("T.gemm_v0(a, a, c, init=False)", "T.gemm_v0(a, a, c, init=True)"),
        (LOOP + STEP.format(", init=(k == 9)"), LOOP + STEP.format(", init=(k == 0)")),
        (LOOP + STEP.format(", init=( k == 9 )"), LOOP + STEP.format(", init=( k == 0 )")),
        (LOOP + STEP.format(", init=k == 9"), LOOP + STEP.format(", init=(k == 0)")),
        (
            LOOP + STEP.format(", False, False, (False)"),
            LOOP + STEP.format(", False, False, (k == 0)"),
        ),
        ("T.gemm_v0(A=a, B=a, C=c)", "T.gemm_v0(A=a, B=a, C=c, init=True)"),
        ("T.gemm_v0(*(a, a, c))", ""),
        (LOOP + NESTED, ""),
        (
            LOOP + STEP.format("") + STEP.format(""),
            LOOP + STEP.format(", init=(k == 0)") + STEP.format(""),
        ),
        ("if C[0, 0] == 0:\n                T.gemm_v0(a, a, c)", ""),
        (
            LOOP + BRANCH.format("k == 0", "", ""),
            LOOP + BRANCH.format("k == 0", ", init=(k == 0)", ""),
        ),
        (
            LOOP + BRANCH.format("k > 0", "", ""),
            LOOP + BRANCH.format("k > 0", "", ", init=(k == 0)"),
        ),
        (LOOP + BRANCH.format("C[k, 0] == 0", "", ""), ""),
    ],
)
def test_the_first_product_sets_the_accumulator(tool: Tool, call: str, wanted: str) -> None:
    path = write("k.py", PRODUCT.replace("{call}", call))
    tool("k.py", "--fix")
    assert path.read_text() == PRODUCT.replace("{call}", wanted or call)


NARROW = """import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((64, 126), "float32"), B: T.Tensor((64, 126), "float32"), S: T.Tensor((4,), "float32")
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, WIDTH), "float32")
        b = T.alloc_ub((4,), "float32")
        with T.Scope("V"):
            T.copy(A[0, 0], a)
            T.barrier_all()
            {use}
            T.barrier_all()
            T.copy(b, S)
"""


@pytest.mark.parametrize(
    ("width", "use"),
    [
        ("126", "T.reduce_sum(a, b, dim=-1)"),  # would add up the padding
        ("126", "T.copy(a[0, :], B[0, 0:126])"),
        ('len("a" * 126)', "T.copy(a, B[0, 0])"),  # no name for it
    ],
)
def test_a_pitch_is_left_where_more_hangs_on_it(tool: Tool, width: str, use: str) -> None:
    text = NARROW.replace("WIDTH", width).replace("{use}", use)
    path = write("k.py", text)
    assert "TL205" in tool("k.py", "--fix").out
    assert path.read_text() == text


NAMED = """import tilelang.language as T


def rows(N, dtype):
    @T.prim_func
    def main(A: T.Tensor((64, N), dtype), B: T.Tensor((64, N), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, {length}), dtype)
            with T.Scope("V"):
                T.copy(A[vid * 32, 0], a{part})
                T.barrier_all()
                T.tile.exp(a, a)
                T.barrier_all()
                T.copy(a{part}, B[vid * 32, 0])

    return main


rows(100, "float16")
rows(128, "float16")
"""


@pytest.mark.parametrize("length", ["N", "2 * (N // 2)"])
def test_a_pitch_that_has_a_name_is_padded_by_that_name(tool: Tool, length: str) -> None:
    path = write("k.py", NAMED.format(length=length, part=""))
    assert "TL205" in tool("k.py").out
    assert tool("k.py", "--fix").status == 0
    wide = f"T.ceildiv({length}, 16) * 16"
    assert path.read_text() == NAMED.format(length=wide, part=f"[:, 0:{length}]")


def test_a_diff_changes_nothing(tool: Tool) -> None:
    path = write("sub/k.py", MOVED.removesuffix("\n"))
    said = tool("sub", "--diff")
    assert said.status == 1 and path.read_text() == MOVED.removesuffix("\n")
    assert said.out.splitlines()[:2] == ["--- sub/k.py", "+++ sub/k.py"]
    assert "-        T.fill(a, 0.0)\n\\ No newline at end of file\n" in said.out
    write("sub/k.py", RIGHT)
    assert (tool("sub", "--diff").status, tool("sub", "--diff").out) == (0, "")


def test_ignored_findings_are_not_repaired(tool: Tool) -> None:
    path = write("k.py", MOVED)
    assert tool("k.py", "--fix", "--ignore", "TL104").status == 0
    assert path.read_text() == MOVED


@pytest.mark.parametrize(
    ("encode", "decode"),
    [
        (lambda t: codecs.BOM_UTF8 + t.encode(), "utf-8-sig"),
        (lambda t: t.replace("\n", "\r\n").encode(), "utf-8"),
        (lambda t: f"# -*- coding: latin-1 -*-\n# \xe9\n{t}".encode("latin-1"), "latin-1"),
        (lambda t: t.encode().removesuffix(b"\n"), "utf-8"),
    ],
)
def test_bytes_around_a_repair_stay(tool: Tool, encode: object, decode: str) -> None:
    data: bytes = encode(read("TL404").example("Wrong"))  # type: ignore[operator]
    Path("k.py").write_bytes(data)
    assert tool("k.py", "--fix").status == 0
    new = Path("k.py").read_bytes()
    kept = [line for line in data.splitlines(keepends=True)]
    lines = new.splitlines(keepends=True)
    assert [line for line in lines if line in kept] == [line for line in kept if line in lines]
    assert (b"\r\n" in data) == (b"\r\n" in new)
    assert b"\n" not in new.replace(b"\r\n", b"") or b"\r\n" not in data
    assert len(lines) == len(kept) + 4
    new.decode(decode)


def test_a_file_that_has_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("a = 1\n")
    original = read_original(str(path))
    path.write_text("a = 2\n")
    with pytest.raises(NotRewritten, match="changed"):
        rewrite(original, "a = 3\n")
    assert path.read_text() == "a = 2\n" and os.listdir(tmp_path) == ["k.py"]


def test_a_text_that_the_encoding_lacks_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_bytes(b"# coding: ascii\na = 1\n")
    with pytest.raises(NotRewritten, match="ascii"):
        rewrite(read_original(str(path)), "# coding: ascii\n\xe9 = 1\n")
    assert os.listdir(tmp_path) == ["k.py"]


def test_mode_and_link_of_a_file_stay(tool: Tool) -> None:
    path = write("real.py", MOVED)
    path.chmod(0o640)
    os.symlink("real.py", "link.py")
    assert tool("link.py", "--fix").status == 0
    assert Path("link.py").is_symlink() and path.read_text() == REPAIRED
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


# --- the machine behind it -----------------------------------------------------------------------


def result(text: str) -> FileResult:
    """A checker for which each `x` is a warning with a repair: `y`, which is an error, or nothing for
    every second."""
    found = [
        diagnostic("tail", at, Severity.WARNING, "y" if at % 2 else "")
        for at, char in enumerate(text)
        if char == "x"
    ]
    found += [diagnostic("copy-shape", at, Severity.ERROR) for at, c in enumerate(text) if c == "y"]
    return FileResult("k.py", tuple(found))


def diagnostic(name: str, at: int, severity: Severity, new: str | None = None) -> Diagnostic:
    place = Range("k.py", Position(1, at), Position(1, at + 1))
    fixes = () if new is None else (QuickFix(f"write {new!r}", (TextEdit(place, new),)),)
    rule = BY_NAME[name]
    return Diagnostic(place, severity, rule.code, name, "", fixes=fixes, fingerprint=str(at))


def test_a_repair_that_makes_an_error_is_dropped_and_the_others_are_done() -> None:
    fixed = fix_text("k.py", "x..x...x..x", result)
    assert fixed.text.count("x") < 4 and "y" not in fixed.text
    assert set(fixed.refused) <= {"write 'y'"} and "write ''" in fixed.applied


def test_a_repair_that_repairs_nothing_ends() -> None:
    def check(text: str) -> FileResult:
        place = Range("k.py", Position(1, 0), Position(1, 0))
        fix = QuickFix("again", (TextEdit(place, "#"),))
        found = Diagnostic(place, Severity.ERROR, "TL803", "tail", "", fixes=(fix,))
        return FileResult("k.py", (found,))

    fixed = fix_text("k.py", "text", check)
    assert (fixed.text, fixed.applied, fixed.refused) == ("text", (), ("again",))


def test_edits_are_applied_from_behind() -> None:
    edits = [
        TextEdit(Range("k.py", Position(row, 0), Position(row, 1)), new)
        for row, new in ((1, "aa"), (3, ""), (2, "bb\n"))
    ]
    assert edited("k.py", "1.\n2.\n3.", edits) == "aa.\nbb\n.\n."


def test_code_that_was_not_checked_may_show_new_errors(tool: Tool) -> None:
    text = HEAD + (
        '        a = T.alloc_ub((512, 512), "float32")\n        T.fill(a, 0.0)\n'
        "        T.copy(A, a[0:64, 0:64])\n"
    )
    path = write("k.py", text)
    said = tool("k.py", "--fix")
    assert said.status == 1 and "TL503" in said.out and "T.tile.fill" in path.read_text()


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
def test_a_flag_that_is_not_seen_to_do_is_not_put_in(tool: Tool, options: tuple[str, ...]) -> None:
    again = ["TL.copy(A[0, :], a)", "use(b, a)"]
    lines = [*MISSING[0][:3], *again, "TL.barrier_all()", *again]
    body = "\n".join(f"{' ' * 20}{line}" for line in lines)
    text = PIPES.replace("{body}", body).replace("@tilelang.jit", TWICE)
    path = write("k.py", text)
    before = path.read_text()
    found = json.loads(tool("k.py", "--format", "json").out)["diagnostics"]
    assert [fix["applicability"] for one in found for fix in one["fixes"]] == ["unsafe"]
    assert tool("k.py", "--fix", *options).status == 1
    assert path.read_text() == before
