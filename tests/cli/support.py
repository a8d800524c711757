"""tl-check in this process, and small kernels with faults."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tl_ascend.cli import check

HEAD = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
"""
RIGHT = HEAD + '        a = T.alloc_ub((64, 64), "float32")\n        T.copy(A, a)\n'
WIDE = HEAD + '        a = T.alloc_ub((512, 512), "float32")\n        T.copy(A, a[0:64, 0:64])\n'
MOVED = HEAD + '        a = T.alloc_ub((64, 64), "float32")\n        T.fill(a, 0.0)\n'


@dataclass(frozen=True)
class Said:
    """What a run gave."""

    status: int
    out: str
    err: str


Tool = Callable[..., Said]


@pytest.fixture
def tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Tool]:
    """Run tl-check in a folder of its own."""
    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        try:
            status = check.main([*arguments, "--jobs", "1"])
        except SystemExit as stopped:  # argparse
            status = int(str(stopped.code))
        return Said(status, *capsys.readouterr())

    yield run
    sys.setrecursionlimit(limit)
    threading.stack_size(stack)


def write(name: str, text: str) -> Path:
    """A file of the working directory."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path
