"""Kernels as TVMScript: a script parses back to the same function, and says where things stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.corpus.tir import exported
from tests.emit import support

import tl_ascend
from tl_ascend.cli.main import main
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.tir import difference, from_text, positions, tir_text, to_tir

EXAMPLES = sorted((support.HERE.parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", [*EXAMPLES, *support.KERNELS], ids=lambda p: p.stem)
def test_a_script_parses_back(path: Path) -> None:
    """As evaluated and as lowered, with the positions of all statements."""
    found = dict(exported(support.report(str(path))))
    assert found and {name: text for name, text in found.items() if text} == {}


def kernel(
    body: str, params: str = 'X: T.Tensor((64, 64), "float32")', blocks: str = "4"
) -> Kernel:
    return tl_ascend.load("case.py", text=support.kernel(body, params, blocks))


def again(made: Kernel) -> str:
    """The script, which parses back to the same function."""
    function = to_tir(made)
    script = tir_text(made)
    assert difference(function, from_text(script)) == ""
    return script


def test_control_flow() -> None:
    script = again(
        kernel(
            """
            x = T.alloc_ub((4, 64), "float32")
            at = T.alloc_var("int32", init=0)
            for i in T.serial(cid, cid + 3):
                if i > 4:
                    T.loop_break()
                T.copy(X[i, 0], x)
            while at < 3:
                at = at + 1
            for i in T.unroll(2):
                x[i, 0] = T.if_then_else(i == 0 or cid > 1, 1.5, X[0, i]) * 2
            """
        )
    )
    assert "T.break_loop()" in script and "while" in script and "T.unroll(2)" in script


def test_a_region_keeps_extents_of_one() -> None:
    script = again(kernel('x = T.alloc_ub((1, 1), "float32")\nT.copy(X[cid, 3:4], x)'))
    assert "T.tl.ascend_region(X[cid, 3], 1, 1)" in script


def test_sizes_that_no_tensor_has_are_parameters() -> None:
    text = support.HEAD + (
        "@tilelang.jit\ndef factory(blocks, width):\n    @T.prim_func\n"
        '    def main(X: T.Tensor((64, 64), "float32")):\n'
        "        with T.Kernel(blocks, is_npu=True) as (cid, vid):\n"
        '            x = T.alloc_ub((1, width), "float32")\n'
        "            T.copy(X[cid, 0], x)\n    return main\n"
    )
    (made,) = (k.kernel for k in support.report("case.py", text).kernels)
    assert "blocks: T.int32" in again(made) and "width: T.int32" in again(made)


def test_a_view_says_whose_it_is() -> None:
    body = 'x = T.alloc_ub((8, 64), "float32")\nflat = T.reshape(x, (512,))\nT.copy(X[0, 0], x)'
    assert "T.tl.ascend_view(T.tl.ascend_region(flat[0]," in again(kernel(body))


def test_a_difference_is_seen() -> None:
    one, other = (to_tir(kernel("T.barrier_all()", blocks=n)) for n in ("4", "5"))
    assert "extent" in difference(one, other)


def statements(node: Any) -> Iterator[Any]:
    """Statements but sequences, outer before inner."""
    if not hasattr(node, "seq"):
        yield node
    inner = [*getattr(node, "seq", ())]
    inner += [getattr(node, name, None) for name in ("body", "then_case", "else_case")]
    for part in inner:
        if part is not None:
            yield from statements(part)


def test_spans_are_the_positions_of_the_script() -> None:
    path = str(EXAMPLES[-1])
    report = support.report(path)
    function = to_tir(report.kernels[0].kernel, report.range_of)
    spans = [s.span for s in statements(function.body)]
    told = [f"{s.source_name.name}:{s.line}:{s.column}" if s else "?" for s in spans]
    assert told == list(positions(function)) == list(positions(from_text(str(function.script()))))
    rows = Path(path).read_text().splitlines()
    copies = [i for i, line in enumerate(rows, 1) if "T.copy(" in line]
    assert all(any(f":{row}:" in text for text in told) for row in copies)


def test_a_script_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing_like_that"):
        from_text("@T.prim_func\ndef main():\n    T.nothing_like_that()\n")


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES[0])
    assert main(["ir", path, "--tir", "--after", "front-end", "--positions"]) == 0
    head, _, script = capsys.readouterr().out.partition("\n")
    assert head.startswith("# ") and positions(from_text(script))[-1].startswith(path)


def test_a_kernel_that_is_not_lowered_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As TVMScript or not."""
    path = tmp_path / "kernel.py"
    path.write_text(
        "import tilelang.language as T\n\n\n@T.prim_func\n"
        'def main(A: T.Tensor((8,), "float32")):\n    T.barrier_all()\n'
    )
    for more in ([], ["--tir"]):
        assert main(["ir", str(path), *more]) == 1
        assert "# not lowered: the function has no T.Kernel" in capsys.readouterr().out
