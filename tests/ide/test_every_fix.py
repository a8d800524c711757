"""Every repair of every page and case: what it leaves has no finding that was not there before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.harness.compare import analyse
from tests.harness.expectations import parse
from tests.harness.pages import FOLDER, Page, read

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.fixing import edited
from tl_ascend.ide.workspace import Analysis

CASES = sorted(Path(__file__).parents[1].glob("check/*.py"))
PAGES = [
    page for page in (read(path.stem) for path in sorted(FOLDER.glob("TL*.md"))) if page.has_example
]
PATH = "/case/kernel.py"
PITCH = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_sync": True})
def rows(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), C: T.Tensor((M, 20), "float16")):
        with T.Kernel(M // 32, is_npu=True) as (cid, vid):
            row = (cid * 2 + vid) * 16
            a = T.alloc_ub((16, 20), "float16")
            T.copy(A[row%s, 0:20], a)
            T.tile.exp(a, a)
            T.copy(a, C[row, 0])

    return main


rows(1024, 256)
"""


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_repair_of_a_case_leaves_nothing_new(path: Path) -> None:
    text = path.read_bytes().decode("utf-8-sig", "replace")
    case = parse(text)
    _try(text, case.targets[0], case.upstream)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if not page.of_settings], ids=lambda page: page.code
)
def test_a_repair_of_a_page_leaves_nothing_new(page: Page) -> None:
    _try(page.example("Wrong"), "A3", "snapshot")


@pytest.mark.parametrize("more", ["", ":row + 16"])
def test_a_part_is_named_where_the_other_side_has_as_many_rows(more: str) -> None:
    text = PITCH % more
    found = [one for one in analyse(PATH, text, "A3").diagnostics if one.code == "TL205"]
    assert [bool(one.fixes) for one in found] == [bool(more)]
    _try(text, "A3", "snapshot")


def _try(text: str, target: str, upstream: str) -> None:
    before = analyse(PATH, text, target, upstream)
    for one in before.diagnostics:
        for fix in one.fixes:
            if any(edit.range.path != PATH for edit in fix.edits):
                continue
            after = analyse(PATH, edited(PATH, text, fix.edits), target, upstream)
            new = _told(after) - _told(before)
            # On its line a mistake may have hidden another one.
            assert not new - _told(after, one.range.start.row), (one.code, fix.title)


def _told(analysis: Analysis, row: int | None = None) -> Counter[str]:
    return Counter(
        one.code
        for one in analysis.diagnostics
        if one.severity >= Severity.WARNING and row in (None, one.range.start.row)
    )
