"""Ctrl-C while a command is still being imported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
signal.signal(signal.SIGINT, signal.default_int_handler)
from tl_ascend.cli import start
sys.exit(start.{command}())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of this kind are those of POSIX")
@pytest.mark.parametrize(
    ("command", "module"),
    [("tl_check", "tl_ascend.cli.check"), ("tl_ascend", "tl_ascend.cli.build")],
)
def test_ctrl_c_during_the_imports_is_quiet(command: str, module: str) -> None:
    program = PROGRAM.format(command=command, module=module)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")


def test_the_commands_are_those_of_their_modules() -> None:
    for command in ("tl_check", "tl_ascend"):
        program = f"from tl_ascend.cli import start; start.{command}()"
        line = [sys.executable, "-c", program, "--help"]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        assert done.stdout.startswith(f"usage: {command.replace('_', '-')} ")
