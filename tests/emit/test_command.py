"""`tl-ascend emit`: files, exit status, messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.emit import support

from tl_ascend.cli.main import main

TWO = (
    support.HEAD
    + """

@tilelang.jit(out_idx=[-1])
def add(size):
    @T.prim_func
    def main(x: T.Tensor((size,), "float"), y: T.Tensor((size,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((size,), "float")
            T.copy(x, a)
            T.barrier_all()
            T.copy(a, y)

    return main


@T.prim_func
def alone(x: T.Tensor((64,), "float")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        T.barrier_all()


add(64)
add(128)
"""
)


@pytest.fixture
def two(tmp_path: Path) -> Path:
    path = tmp_path / "two.py"
    path.write_text(TWO)
    return path


def run(*arguments: object) -> int:
    return main(["emit", *map(str, arguments)])


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.glob("*.cpp"))


def test_first_of_each_factory(two: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    assert run(two, "-o", out) == 0
    assert names(out) == ["add.cpp", "alone.cpp"]
    assert "(64, 0)" in (out / "add.cpp").read_text()


def test_all_instances(two: Path, tmp_path: Path) -> None:
    assert run(two, "--instance", "all", "-o", tmp_path) == 0
    assert names(tmp_path) == ["add.0.cpp", "add.1.cpp", "alone.0.cpp"]
    assert "(128, 0)" in (tmp_path / "add.1.cpp").read_text()


def test_one_instance_of_one_factory(two: Path, tmp_path: Path) -> None:
    assert run(f"{two}:add", "--instance", 1, "--target", "ascendc", "-o", tmp_path) == 0
    assert names(tmp_path) == ["add.1.cpp"]


def test_files_of_one_kernel(two: Path, tmp_path: Path) -> None:
    run(f"{two}:add", "-o", tmp_path)
    report = json.loads((tmp_path / "add.report.json").read_text())
    assert set(report) == {"memory", "sync", "operations", "blocks"}
    assert report["memory"] == {"UB": 256}
    assert report["operations"] == ["copy_gm_to_ub", "copy_ub_to_gm"]
    lines = (tmp_path / "add.cpp").read_text().splitlines()
    source = two.read_text().splitlines()
    for row, (line, column) in json.loads((tmp_path / "add.map.json").read_text()).items():
        assert lines[int(row) - 1].strip()
        assert source[line - 1][column - 1 :].strip()


MACRO = """
import tilelang.language as T


@T.macro
def doubled(a):
    T.tile.add(a, a, a)
"""


def test_lines_of_a_macro_elsewhere_name_its_file(two: Path, tmp_path: Path) -> None:
    other = tmp_path / "macros.py"
    other.write_text(MACRO)
    text = TWO.replace("import tilelang\n", "import tilelang\nfrom macros import doubled\n", 1)
    two.write_text(text.replace("            T.barrier_all()\n", "            doubled(a)\n", 1))
    assert run(f"{two}:add", "-o", tmp_path) == 0
    lines = (tmp_path / "add.cpp").read_text().splitlines()
    places = json.loads((tmp_path / "add.map.json").read_text())
    (row,) = [row for row in places if "Add(" in lines[int(row) - 1]]
    assert places[row] == [7, 5, str(other)]
    assert {len(place) for place in places.values()} == {2, 3}


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.py"],
        ["{two}:nothing"],
        ["{two}", "--instance", "9"],
        ["{two}", "--instance", "first"],
        ["{two}", "--instance=-1"],
        ["{two}", "--target", "cuda"],
        ["{two}", "-o", "{two}"],
        ["{two}", "-o", "{two}/below"],
        ["{folder}"],
    ],
)
def test_wrong_use(
    arguments: list[str], two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = [a.format(two=two, folder=tmp_path) for a in arguments]
    assert run(*filled) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ") and "Traceback" not in error


def test_unknown_factory_names_the_known(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(f"{two}:nothing")
    assert "alone, add" in capsys.readouterr().err


def test_a_colon_in_the_path(tmp_path: Path) -> None:
    odd = tmp_path / "a:b"
    odd.mkdir()
    path = odd / "c:d.py"
    path.write_text(TWO)
    assert run(path, "-o", tmp_path) == 0
    assert run(f"{path}:alone", "-o", tmp_path) == 0
    assert names(tmp_path) == ["add.cpp", "alone.cpp"]


def test_a_refused_kernel_is_located(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.py"
    path.write_text(TWO.replace("T.copy(a, y)", "a[0] = T.exp(a[1])"))
    assert run(path, "-o", tmp_path) == 1
    error = capsys.readouterr().err
    row = next(n for n, line in enumerate(path.read_text().splitlines(), 1) if "T.exp" in line)
    assert f"{path}:{row}:" in error and "error[TL601] not-lowered: " in error
    assert names(tmp_path) == ["alone.cpp"], "the others are emitted"


def test_a_kernel_that_is_wrong_is_not_emitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.py"
    path.write_text(TWO.replace("add(64)", "add(1000000)"))
    assert run(f"{path}:add", "-o", tmp_path) == 1
    assert "ub-overflow" in capsys.readouterr().err


def test_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def f(:\n")
    assert run(path, "-o", tmp_path) == 1
    assert "syntax-error" in capsys.readouterr().err


def test_same_name_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, factory = TWO.split("\n\n\n", 1)
    factory = factory.split("@T.prim_func\ndef alone")[0]
    path = tmp_path / "twice.py"
    path.write_text(head + "\n\n\n" + factory + "add(64)\n\n\n" + factory + "add(128)\n")
    assert run(path, "-o", tmp_path) == 0
    assert names(tmp_path) == ["add.cpp"]
    assert "add also stands for a kernel in line" in capsys.readouterr().err
    assert run(path, "-o", tmp_path / "all", "--instance", "all") == 0
    assert names(tmp_path / "all") == ["add.0.cpp", "add.1.cpp"]


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    path = tmp_path / "cases.py"
    path.write_text(TWO.replace("def alone", "def Add"))
    assert run(path, "-o", tmp_path) == 0
    assert names(tmp_path) == ["Add.1.cpp", "add.cpp"] or names(tmp_path) == [
        "Add.cpp",
        "add.1.cpp",
    ]


def test_platform_without_programs(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(two, "--platform", "A5") == 1
    assert "A5" in capsys.readouterr().err
