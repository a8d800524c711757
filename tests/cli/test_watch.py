"""tl-check --watch, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.support import RIGHT, WIDE


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
