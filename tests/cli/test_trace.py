"""`tl-ascend trace`: every stage, what it changes, slow ones, three formats."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tl_ascend.backends.ascendc import BACKEND
from tl_ascend.cli.main import main
from tl_ascend.passes.pipeline import STAGES

EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "elementwise_parallel.py")
NAMES = ["front-end", *(stage.name for stage in STAGES), "emit"]


def traced(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["trace", EXAMPLE, *arguments]) == 0
    return capsys.readouterr().out


def test_every_stage_is_there_with_what_it_changed(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(traced(capsys, "--format", "json"))["kernels"]
    assert [stage["name"] for stage in kernel["stages"]] == NAMES
    by_name = {stage["name"]: stage for stage in kernel["stages"]}
    changed = by_name["vectorise-parallel"]["diff"]
    assert any(line.startswith("-") and "parallel" in line for line in changed)
    assert any(line.startswith("+") and "exp" in line for line in changed)
    for before, after in zip(kernel["stages"], kernel["stages"][1:-1], strict=False):
        assert bool(after["diff"]) == (before["text"] != after["text"])


def test_a_diff_leads_from_one_text_to_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(traced(capsys, "--format", "json"))["kernels"]
    for before, after in zip(kernel["stages"], kernel["stages"][1:-1], strict=False):
        old, new = before["text"].splitlines(), after["text"].splitlines()
        went = [line[1:] for line in after["diff"] if line.startswith("-")]
        came = [line[1:] for line in after["diff"] if line.startswith("+")]
        assert len(old) - len(went) == len(new) - len(came)
        assert set(went) <= set(old) and set(came) <= set(new)


def test_text_shows_changes_or_all(capsys: pytest.CaptureFixture[str]) -> None:
    short, full = traced(capsys), traced(capsys, "--full", "--positions")
    assert [line.split()[1] for line in short.splitlines() if line.startswith("== ")] == NAMES
    assert len(full) > len(short) and "no change" in short


class Balanced(HTMLParser):
    """Fails on a tag that is not closed in its place; collects what is loaded from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_is_whole_and_needs_nothing_else(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "trace.html"
    assert traced(capsys, "--format", "html", "-o", str(path)) == ""
    text = path.read_text(encoding="utf-8")
    parser = Balanced()
    parser.feed(text)
    assert parser.open == [] and parser.loads == [] and "<script" not in text
    assert all(f"<b>{name}</b>" in text for name in NAMES)


def test_slow_stages_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", EXAMPLE, "--slow", "0"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert len(told) == len(NAMES) and all("more than 0 ms" in line for line in told)
    assert main(["trace", EXAMPLE, "--slow", "1e9"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("limit", ["-3", "nan", "soon"])
def test_a_limit_is_a_time(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    with pytest.raises(SystemExit):
        main(["trace", EXAMPLE, f"--slow={limit}"])
    assert "--slow" in capsys.readouterr().err


def test_slow_stages_are_marked_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    def out(*arguments: str) -> str:
        main(["trace", EXAMPLE, *arguments])
        return capsys.readouterr().out

    for limit, count in (("0", len(NAMES)), ("1e9", 0)):
        (kernel,) = json.loads(out("--slow", limit, "--format", "json"))["kernels"]
        assert sum(stage["slow"] for stage in kernel["stages"]) == count
        assert out("--slow", limit, "--format", "html").count('class="slow') == count
        heads = [line for line in out("--slow", limit).splitlines() if line.startswith("== ")]
        assert sum(", slow" in line for line in heads) == count


def test_the_program_comes_last(capsys: pytest.CaptureFixture[str]) -> None:
    (kernel,) = json.loads(traced(capsys, "--format", "json"))["kernels"]
    last = kernel["stages"][-1]
    assert "AscendC::Exp" in last["text"] and last["diff"] is None and last["ms"] > 0
    assert BACKEND.title in last["reason"]
    assert kernel["stages"][0]["ms"] > 0
    assert "AscendC::Exp" in traced(capsys) and "AscendC::Exp" in traced(capsys, "--format", "html")


def test_what_stands_in_the_way_of_a_program_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "kernel.py"
    text = Path(EXAMPLE).read_text().replace("swish(2048, 512, 16)", "swish(2048, 512, 64)")
    path.write_text(text)
    assert main(["trace", str(path), "--format", "json"]) == 1
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    last = kernel["stages"][-1]
    assert last["text"] == "" and "UB" in last["findings"][0]


def test_the_route_is_that_of_the_jit_if_none_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "kernel.py"
    text = Path(EXAMPLE).read_text()
    path.write_text(text.replace("@tilelang.jit(", '@tilelang.jit(target="pto", '))
    assert path.read_text() != text
    assert main(["trace", str(path)]) == 0
    assert "route pto" in capsys.readouterr().out


def test_routes_are_chosen_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert "route ascendc" in traced(capsys, "--target", "ascendc")
    assert main(["trace", EXAMPLE, "--target", "none"]) == 2
    assert "there are: ascendc" in capsys.readouterr().err


def test_colours_are_for_terminals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "\x1b[" in traced(capsys, "--color", "always")
    plain = traced(capsys)
    assert "\x1b[" not in plain
    path = tmp_path / "trace.txt"
    traced(capsys, "--color", "always", "-o", str(path))
    assert "\x1b[" not in path.read_text(encoding="utf-8")


def test_a_kernel_that_is_not_known_whole_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "kernel.py"
    path.write_text("import tilelang.language as T\n\n@T.prim_func\ndef main(): pass\n")
    assert main(["trace", str(path)]) == 1
    assert "is not lowered: the function has no T.Kernel" in capsys.readouterr().err
