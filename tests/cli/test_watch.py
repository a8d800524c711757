"""tl-check --watch, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.support import RIGHT, WIDE

from tl_ascend.cli.watch import _watched as watched_folders


def test_a_change_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(WIDE)
    command = [sys.executable, "-m", "tl_ascend.cli.check", str(tmp_path), "--watch", "--no-cache"]
    with subprocess.Popen(
        [*command, "--format", "concise"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        try:
            assert "TL503" in process.stdout.readline()
            assert process.stdout.readline().startswith("1 error")
            path.write_text(RIGHT)
            assert process.stdout.readline().startswith("0 errors")
            process.terminate()
            assert "watching for changes" in process.stderr.read()
        finally:
            process.kill()


def test_of_a_file_all_folders_are_watched_that_it_may_import_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("app/kernel.py", "pkg/deep/sizes.py", "texts/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path / "app")
    watched = {(tmp_path / "app" / folder).resolve() for folder in watched_folders(["kernel.py"])}
    assert watched == {tmp_path / "app", tmp_path / "pkg" / "deep"}
