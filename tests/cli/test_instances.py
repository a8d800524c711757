"""Which kernels are checked and for what, from wherever tl-check is called."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.support import Tool, write

ROWS = """import tilelang
import tilelang.language as T
{above}

@tilelang.jit(out_idx=[1])
def rows(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 16, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, N), "float32")
            T.copy(A[cid * 16, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 16, 0])

    return main

{below}
"""
OWN = ROWS.format(above="", below="rows(64, 64)")
WIDE = "from kernels import rows\n\nrows(64, 8192)\n"


def test_a_call_of_its_own_leaves_those_of_other_files(tool: Tool) -> None:
    write("kernels.py", OWN)
    assert tool("kernels.py").status == 0
    write("use.py", WIDE)
    run = tool("kernels.py", "--format", "concise")
    assert run.status == 1 and run.out.startswith("kernels.py:10:17: error[TL503]")
    write("use.py", WIDE.replace("8192", "128"))
    run = tool("kernels.py")
    assert run.status == 0 and "2 kernel instances of 1 file" in run.out


def test_what_a_file_calls_is_checked_with_it_alone(tool: Tool) -> None:
    write("kernels.py", OWN)
    write("use.py", WIDE)
    alone = tool("use.py", "--format", "concise")
    assert alone.status == 1 and alone.out.startswith("kernels.py:10:17: error[TL503]")
    assert "1 kernel instance of 2 files" in alone.out
    both = tool("use.py", "kernels.py", "--format", "concise")
    assert both.out.count("TL503") == 1 and "2 kernel instances of 2 files" in both.out


def test_what_is_not_looked_at_has_not_gone(tool: Tool) -> None:
    write("kernels.py", ROWS.format(above="", below="rows(64, 8192)"))
    write("use.py", "from kernels import rows\n\nrows(64, 64)\n")
    tool(".", "--baseline", "known.json", "--write-baseline")
    run = tool("use.py", "--baseline", "known.json")
    assert run.status == 0 and "baseline" not in run.err


def test_comments_beside_a_kernel_hold_for_calls_elsewhere(tool: Tool) -> None:
    line = 'a = T.alloc_ub((16, N), "float32")'
    write("kernels.py", OWN.replace(line, f"{line}  # tl: ignore[ub-overflow]"))
    write("use.py", WIDE)
    assert tool("use.py").status == 0


def test_instances_of_all_files_together_have_the_limit(tool: Tool) -> None:
    Path("pyproject.toml").write_text("[tool.tl-ascend]\nmax-instances = 2\n")
    write("kernels.py", OWN)
    write("use.py", "from kernels import rows\n\nfor n in (8, 16, 24):\n    rows(64, n)\n")
    run = tool("kernels.py", "--format", "concise")
    assert "2 instances of this factory are checked, 2 more calls are not" in run.out


@pytest.mark.parametrize("folder", [".", "app"])
def test_imports_are_found_from_any_working_directory(tool: Tool, folder: str) -> None:
    write("pkg/sizes.py", "WIDTH = 8192\n")
    above, below = "from pkg.sizes import WIDTH", "rows(64, WIDTH)"
    write("app/kernels.py", ROWS.format(above=above, below=below))
    os.chdir(folder)
    path = "kernels.py" if folder == "app" else "app/kernels.py"
    run = tool(path, "--format", "concise")
    assert run.status == 1 and run.out.startswith(f"{path}:10:17: error[TL503]")


@pytest.mark.parametrize(
    ("asked", "status"),
    [((), 0), (("--platform", "A5"), 0), (("--platform", "A3"), 1)],
)
def test_a_kernel_names_its_platform(tool: Tool, asked: tuple[str, ...], status: int) -> None:
    text = ROWS.format(above="", below="rows(64, 3504)")
    write("kernels.py", text.replace("out_idx=[1]", 'out_idx=[1], target="pto", platform="A5"'))
    assert tool("kernels.py", *asked, "--ignore", "TL205").status == status
    Path("pyproject.toml").write_text('[tool.tl-ascend]\nplatform = "A2"\n')
    assert tool("kernels.py", *asked, "--ignore", "TL205").status == status
