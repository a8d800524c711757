"""One wrong call among flags that a loop hands on: it is told where it stands, and each repair that is
offered mends it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.harness.compare import analyse

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.fixing import edited
from tl_ascend.ide.model import Diagnostic

PATH = "/case/kernel.py"


def _told(text: str) -> list[Diagnostic]:
    found = analyse(PATH, text, "A3").diagnostics
    return [one for one in found if one.severity >= Severity.WARNING]


# Flags of two slots, back and forth, with priming sets and last waits.
RING = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 128), "float32"), C: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 8, 128), "float32")
        with T.Scope("V"):
            T.set_flag("v", "mte2", 0)
            T.set_flag("v", "mte2", 1)
            T.set_flag("mte3", "v", 0)
            T.set_flag("mte3", "v", 1)
            for i in T.serial(8):
                T.wait_flag("v", "mte2", i % 2)
                T.copy(A[i * 8, 0], x[i % 2, :, :])
                T.set_flag("mte2", "v", i % 2)
                T.wait_flag("mte2", "v", i % 2)
                T.wait_flag("mte3", "v", i % 2)
                T.tile.exp(x[i % 2, :, :], x[i % 2, :, :])
                T.set_flag("v", "mte3", i % 2)
                T.wait_flag("v", "mte3", i % 2)
                T.copy(x[i % 2, :, :], C[i * 8, 0])
                T.set_flag("mte3", "v", i % 2)
                T.set_flag("mte3", "mte2", i % 2)
                T.wait_flag("mte3", "mte2", i % 2)
                T.set_flag("v", "mte2", i % 2)
            T.wait_flag("v", "mte2", 0)
            T.wait_flag("v", "mte2", 1)
            T.wait_flag("mte3", "v", 0)
            T.wait_flag("mte3", "v", 1)
"""
# Each branch sets a flag that is waited for behind both.
BRANCHES = """import tilelang.language as T

F = "float32"


@T.prim_func
def main(A: T.Tensor((64, 128), F), B: T.Tensor((64, 128), F), C: T.Tensor((64, 128), F)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), "float32")
        row = (cid * 2 + vid) * 8
        with T.Scope("V"):
            if cid % 2 == 0:
                T.copy(A[row, 0], x)
                T.set_flag("mte2", "v", 0)
            else:
                T.copy(B[row, 0], x)
                T.set_flag("mte2", "v", 0)
            T.wait_flag("mte2", "v", 0)
            if vid == 0:
                T.tile.exp(x, x)
                T.set_flag("v", "mte3", 1)
            else:
                T.tile.abs(x, x)
                T.set_flag("v", "mte3", 1)
            T.wait_flag("v", "mte3", 1)
            T.copy(x, C[row, 0])
"""
# Blocks go around a loop differently often; flags lead both ways between the same pipes.
PERSISTENT = """import tilelang.language as T

F = "float32"


@T.prim_func
def main(A: T.Tensor((80, 128), F), B: T.Tensor((80, 128), F), C: T.Tensor((80, 128), F)):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), "float32")
        y = T.alloc_ub((8, 128), "float32")
        with T.Scope("V"):
            T.set_flag("v", "mte2", 0)
            T.set_flag("mte3", "v", 0)
            for i in T.serial(3 - cid):
                T.wait_flag("v", "mte2", 0)
                T.copy(A[((i * 2 + cid) * 2 + vid) * 8, 0], x)
                T.copy(B[((i * 2 + cid) * 2 + vid) * 8, 0], y)
                T.set_flag("mte2", "v", 0)
                T.wait_flag("mte2", "v", 0)
                T.wait_flag("mte3", "v", 0)
                T.tile.add(x, x, y)
                T.set_flag("v", "mte3", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(x, C[((i * 2 + cid) * 2 + vid) * 8, 0])
                T.set_flag("mte3", "v", 0)
                T.set_flag("mte3", "mte2", 0)
                T.wait_flag("mte3", "mte2", 0)
                T.set_flag("v", "mte2", 0)
            T.wait_flag("v", "mte2", 0)
            T.wait_flag("mte3", "v", 0)
"""
# The first turns wait for nothing; ids do not begin at 0.
LATE = """import tilelang.language as T

F = "float32"


@T.prim_func
def main(A: T.Tensor((64, 128), F), C: T.Tensor((64, 128), F)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 128), F)
        y = T.alloc_ub((2, 8, 128), F)
        with T.Scope("V"):
            for i in T.serial(8):
                T.copy(A[i * 8, 0], x)
                T.set_flag("mte2", "v", 0)
                if i >= 2:
                    T.wait_flag("mte3", "v", i % 2 + 2)
                T.wait_flag("mte2", "v", 0)
                T.tile.exp(y[i % 2, :, :], x)
                T.set_flag("v", "mte3", 0)
                T.set_flag("v", "mte2", 0)
                T.wait_flag("v", "mte3", 0)
                T.copy(y[i % 2, :, :], C[i * 8, 0])
                T.set_flag("mte3", "v", i % 2 + 2)
                T.wait_flag("v", "mte2", 0)
            for i in T.serial(2):
                T.wait_flag("mte3", "v", i + 2)
"""
Site = tuple[str, int, str, str, str, str]


def _sites() -> Iterator[Site]:
    for text in (RING, BRANCHES, PERSISTENT, LATE):
        for row, line in enumerate(text.splitlines(), 1):
            match = re.search(r'T.(set|wait)_flag\("(\w+)", "(\w+)", (.*)\)', line)
            if match:
                yield text, row, match[1], match[2], match[3], match[4]


def _changed(site: Site, change: str) -> str:
    text, row, name, source, target, number = site
    other = {"0": "1", "1": "0"}.get(number, number.replace("i", "(i + 1)"))
    new = (target, source, number) if change == "swapped" else (source, target, other)
    lines = text.splitlines()
    indent = lines[row - 1][: -len(lines[row - 1].lstrip())]
    lines[row - 1] = f'{indent}T.{name}_flag("{new[0]}", "{new[1]}", {new[2]})'
    if change == "deleted":
        del lines[row - 1]
    return "\n".join(lines) + "\n"


def test_they_are_right() -> None:
    for text in (RING, BRANCHES, PERSISTENT, LATE):
        assert not _told(text)


@pytest.mark.parametrize("site", list(_sites()), ids=lambda site: f"{len(site[0])}-{site[1]}")
@pytest.mark.parametrize("change", ["swapped", "renumbered"])
def test_a_wrong_call_is_told_there_and_its_repair_mends(site: Site, change: str) -> None:
    text, row = _changed(site, change), site[1]
    (found,) = _told(text)
    assert row in {found.range.start.row, *(one.range.start.row for one in found.related)}
    for fix in found.fixes:
        assert not _told(edited(PATH, text, fix.edits))


@pytest.mark.parametrize("site", list(_sites()), ids=lambda site: f"{len(site[0])}-{site[1]}")
def test_what_is_offered_for_a_call_that_is_gone_mends(site: Site) -> None:
    text = _changed(site, "deleted")
    (found,) = _told(text)
    for fix in found.fixes:
        assert not _told(edited(PATH, text, fix.edits))
