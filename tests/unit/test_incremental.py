"""What an edit costs, counted in calls evaluated and kernels lowered, not in time."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tl_ascend.driver.check import Checker
from tl_ascend.driver.files import Files
from tl_ascend.source.budget import Cancelled

KERNELS = dedent(
    """\
    import tilelang
    import tilelang.language as T
    from helper import width

    FACTOR = 2.0
    UNUSED = 1


    @tilelang.jit(out_idx=[-1])
    def scale(n):
        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64,), "float32")
                T.copy(A[0], a)
                T.barrier_all()
                T.tile.mul(a, a, FACTOR)
                T.barrier_all()
                T.copy(a, B[0])

        return main


    @tilelang.jit(out_idx=[-1])
    def shift(n):
        w = width()

        @T.prim_func
        def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((w,), "float32")
                T.copy(A[0], a)
                T.barrier_all()
                T.tile.add(a, a, 1.0)
                T.barrier_all()
                T.copy(a, B[0])

        return main


    scale(256)
    scale(512)
    shift(256)
    """
)
HELPER = "def width():\n    return 64\n"


class Session:
    """One file and its helper, checked again and again."""

    def __init__(self, folder: Path) -> None:
        self.path, self.helper = str(folder / "kernels.py"), str(folder / "helper.py")
        self.files = Files(str(folder))
        (folder / "pyproject.toml").write_text("")
        self.checker = Checker(self.files)
        self.cost(KERNELS, HELPER)

    def cost(self, text: str, helper: str = HELPER) -> tuple[int, int]:
        """Calls of factories that were evaluated, and kernels that were lowered."""
        self.files.set_text(self.path, text)
        self.files.set_text(self.helper, helper)
        before = self.checker.evaluations.evaluated, self.checker.lowered_count
        report = self.checker.check(self.path)
        assert [k.status for k in report.kernels] == ["checked"] * 3
        after = self.checker.evaluations.evaluated, self.checker.lowered_count
        return after[0] - before[0], after[1] - before[1]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "cost"),
    [
        ("FACTOR = 2.0", "# a comment\nFACTOR = 2.0", (0, 0)),
        ("    w = width()", "    # inside a factory\n\n    w = width()", (0, 0)),
        ("T.tile.add(a, a, 1.0)", "T.tile.add(a,   a, 1.0)  # layout only", (0, 0)),
        ("UNUSED = 1", "UNUSED = 2", (0, 0)),
        ("shift(256)\n", "print('host code')\nshift(256)\n", (0, 0)),
        ("scale(256)\nscale(512)", "scale(512)\nscale(256)", (0, 0)),
        ("T.tile.add(a, a, 1.0)", "T.tile.add(a, a, 3.0)", (1, 1)),
        ("FACTOR = 2.0", "FACTOR = 4.0", (2, 2)),
        ("scale(512)", "scale(1024)", (1, 1)),
        ("out_idx=[-1])\ndef shift", "out_idx=[1])\ndef shift", (1, 1)),
    ],
    ids=[
        "comment outside",
        "comment inside",
        "layout inside",
        "unread global",
        "host code",
        "order of calls",
        "this kernel",
        "read global",
        "one call",
        "options of one factory",
    ],
)
def test_an_edit_recomputes_what_it_touches(
    session: Session, old: str, new: str, cost: tuple[int, int]
) -> None:
    assert old in KERNELS
    assert session.cost(KERNELS.replace(old, new, 1)) == cost
    assert session.cost(KERNELS) == (0, 0), "going back costs nothing"


def test_an_edit_of_a_helper_recomputes_those_that_call_it(session: Session) -> None:
    assert session.cost(KERNELS, HELPER.replace("64", "128")) == (1, 1)
    assert session.cost(KERNELS, "# comment\n" + HELPER.replace("64", "128")) == (0, 0)


def test_a_broken_line_elsewhere_recomputes_nothing(session: Session) -> None:
    assert session.cost(KERNELS.replace("UNUSED = 1", "UNUSED = (")) == (0, 0)


def test_stale_work_stops(tmp_path: Path) -> None:
    files = Files(str(tmp_path))
    path = str(tmp_path / "kernels.py")
    files.set_text(path, KERNELS.replace("from helper import width", "width = lambda: 64"))
    checker = Checker(files)
    looks = iter(range(1_000_000))
    with pytest.raises(Cancelled):
        checker.check(path, cancelled=lambda: next(looks) > 3)
    assert checker.lowered_count < 3


INSIDE = KERNELS.replace("from helper import width\n", "").replace(
    "    w = width()\n", "    {line}\n    w = {value}\n"
)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("from helper import width", "width()"),
        ("import helper", "helper.width()"),
        ("import helper as h", "h.width()"),
    ],
)
def test_what_a_factory_imports_itself_is_part_of_it(tmp_path: Path, line: str, value: str) -> None:
    path = tmp_path / "kernels.py"
    helper = tmp_path / "helper.py"
    (tmp_path / "pyproject.toml").write_text("")
    path.write_text(INSIDE.replace("{line}", line).replace("{value}", value))
    checker = Checker(Files(str(tmp_path)))

    def widths() -> tuple[set[str], int, bool]:
        before = checker.evaluations.evaluated
        report = checker.check(str(path))
        values = [v for k in report.kernels for _, name, v in k.values if name == "a"]
        cost = checker.evaluations.evaluated - before
        return {str(v.shape[0]) for v in values}, cost, str(helper) in report.files

    unknown = {k.status for k in checker.check(str(path)).kernels}
    assert unknown == {"checked", "skipped"}  # there is no such module yet
    for size in ("64", "128"):
        helper.write_text(f"def width():\n    return {size}  # {size}\n")
        assert widths() == ({"64", size}, 1, True)
        assert widths() == ({"64", size}, 0, True), "and is not evaluated again"
    helper.unlink()
    assert "skipped" in {k.status for k in checker.check(str(path)).kernels}


def test_a_variable_that_is_set_elsewhere_is_no_default_any_more(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    (tmp_path / "pyproject.toml").write_text("")
    value = 'int(os.environ.get("WIDTH", "64"))'
    text = "import os\n" + INSIDE.replace("{line}", "").replace("{value}", value)
    checker = Checker(Files(str(tmp_path)))

    def states() -> set[str]:
        return {kernel.status for kernel in checker.check(str(path)).kernels}

    path.write_text(text)
    assert states() == {"checked"}
    path.write_text(f'{text}\nos.environ["WIDTH"] = "32"\n')
    assert "skipped" in states()
    path.write_text(text)
    assert states() == {"checked"}
