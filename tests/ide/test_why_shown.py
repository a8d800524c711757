"""Where reasons are shown: hover, tooltips, the command."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ide.asked import FIRST, GEMM, VECTORS, at, opened, text_of

from tl_ascend.cli.main import main
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.hints import hints
from tl_ascend.ide.hover import Index
from tl_ascend.ide.why import as_markdown, lines, why
from tl_ascend.ir.reasons import Reason
from tl_ascend.passes.pipeline import STAGES


def test_hover_and_command_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, position = opened(at(GEMM, "k * 64], a"))
    facts = Facts(report, report.kernels[0])
    found, hover = why(facts, position), Index(report).at(position)
    assert found is not None and hover is not None
    assert as_markdown(facts, found.reasons) in hover.markdown
    path = tmp_path / "case.py"
    path.write_text(report.file.source.text, encoding="utf-8")
    assert main(["ir", f"{path}:factory", "--why", f"{position.row}:{position.column + 1}"]) == 0
    out = capsys.readouterr().out
    assert all(text in out for _, text in lines(facts, found.reasons))


def test_hover_on_a_call_tells_operation_and_reasons() -> None:
    report, position = opened(at(GEMM, "T.cop"))
    hover = Index(report).at(position)
    assert hover is not None
    assert "T.copy(" in hover.markdown and "WAR on a" in hover.markdown


def test_tooltips_name_no_lines() -> None:
    """They stay the same while lines move, or every new line would make all hints new."""
    report, _ = opened(text_of(GEMM))
    moved, _ = opened("\n\n" + text_of(GEMM))
    before, after = ([h.tooltip for h in hints(r)] for r in (report, moved))
    assert before == after and any("operand A of T.gemm" in text for text in before)


def test_nothing_there_is_one_line_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.py"
    path.write_text(text_of(GEMM), encoding="utf-8")
    assert main(["ir", str(path), "--why", "1:1"]) == 1
    assert capsys.readouterr().out == "nothing that lowering decides about stands at 1:1\n"
    for wrong in ("7", "0:1", "a:b", "1:2:3"):
        assert main(["ir", str(path), "--why", wrong]) == 2
    assert main(["ir", f"{path}:nobody", "--why", "1:1"]) == 2
    assert main(["ir", str(path), "--instance", "9", "--why", "1:1"]) == 2


LINE = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((8, size), "float32")
    y = T.alloc_ub((8, size), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0], x)  # in
        T.tile.exp(y, x); T.copy(y, Y[0, 0])
"""


def test_beside_the_statements_of_a_line_they_are_meant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = text_of(LINE, params=VECTORS)
    path = tmp_path / "case.py"
    path.write_text(text, encoding="utf-8")
    row = next(n for n, line in enumerate(text.splitlines(), 1) if "T.copy(X" in line)

    def shown(place: str) -> str:
        assert main(["ir", f"{path}:factory", "--why", place]) == 0
        return capsys.readouterr().out

    at_call = shown(f"{row}:{text.splitlines()[row - 1].index('T.') + 1}")
    assert "copy_gm_to_ub" in at_call
    assert shown(f"{row}:1") == shown(f"{row}:200") == at_call
    both = shown(f"{row + 1}:1")
    assert both.count(f", at {row + 1}:") == 2
    assert both.index("Exp(y, x)") < both.index("copy_ub_to_gm(y")
    assert "address" in shown(f"{row - 3}:1")  # a declaration: its buffer


def test_an_instance_is_explained_by_its_own_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, size), "float32")
        with T.Scope("V"):
            T.copy(X[0, 0], x)
    """
    path = tmp_path / "case.py"
    path.write_text(text_of(body, params=VECTORS) + "\n\nfactory(32)\nfactory(64)\n", "utf-8")
    for instance, size in (("0", "1 KiB"), ("1", "2 KiB")):
        place = f"{FIRST + 2}:13"
        assert main(["ir", str(path), "--instance", instance, "--why", place]) == 0
        assert f"size     {size} of " in capsys.readouterr().out


def test_stages_need_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ir", "--stages"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == [s.name for s in STAGES]
    assert all(stage.reason in out for stage in STAGES)
    assert main(["ir"]) == 2


def test_what_markdown_would_read_as_its_own_is_made_plain() -> None:
    report, _ = opened(text_of(GEMM))
    facts = Facts(report, report.kernels[0])
    reason = Reason("core", facts.kernel.span, "_x_ of a*b, `c` <d> copy_gm_to_l1 k * 64")
    shown = as_markdown(facts, [reason])
    assert shown == r"Core: \_x\_ of a\*b, \`c\` \<d> copy_gm_to_l1 k * 64"
