"""tl-check as a process: what only a process has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.robust.inputs import DEEP, FAULT, Input, kernel

COMMAND = [sys.executable, "-m", "tl_ascend.cli.check"]


def run(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    environment = dict(os.environ, **more)
    return subprocess.run(
        [*COMMAND, *arguments], cwd=cwd, capture_output=True, timeout=120, env=environment
    )


def test_status_and_text(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(FAULT)
    (tmp_path / "good.py").write_text(kernel())
    good = run("good.py", cwd=tmp_path)
    assert (good.returncode, good.stderr) == (0, b"")
    assert good.stdout == b"0 errors, 0 warnings in 1 kernel instance of 1 file\n"
    bad = run("bad.py", "good.py", "--format", "concise", cwd=tmp_path)
    assert bad.returncode == 1
    assert bad.stdout.startswith(b"bad.py:10:16: error[TL202] copy-shape: ")


def test_a_missing_path_is_one_line(tmp_path: Path) -> None:
    gone = run("gone.py", cwd=tmp_path)
    assert (gone.returncode, gone.stdout) == (2, b"")
    assert gone.stderr == b"error: gone.py: no such file or folder\n"


def test_a_wrong_option_is_status_2(tmp_path: Path) -> None:
    wrong = run("--format", "poem", "x.py", cwd=tmp_path)
    assert wrong.returncode == 2
    assert b"Traceback" not in wrong.stderr


@pytest.mark.parametrize("item", DEEP, ids=lambda i: i.name)
def test_deep_nesting_does_not_overflow_the_stack(item: Input, tmp_path: Path) -> None:
    (tmp_path / "deep.py").write_bytes(item.data)
    done = run("deep.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (item.status, b"")


def test_a_reader_that_leaves_early(tmp_path: Path) -> None:
    lines = [f"T.copy(A[0, 0, {i}], a)" for i in range(3000)]
    (tmp_path / "many.py").write_text(kernel(*lines))
    with subprocess.Popen(
        [*COMMAND, "many.py"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait(timeout=120)


def test_a_terminal_that_knows_ascii_only(tmp_path: Path) -> None:
    text = FAULT.replace("a = T", "größe = T").replace("], a)", "], größe)  # 𝄞")
    (tmp_path / "k.py").write_text(text.replace("(A, a)", "(A, größe)"), encoding="utf-8")
    done = run("k.py", cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C")
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
