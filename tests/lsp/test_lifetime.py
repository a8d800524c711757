"""How a server starts and ends."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lsp.session import FAKE, SERVER, Session

from tl_ascend import __version__

URI = "file:///project/kernel.py"
Start = Callable[..., Session]


@pytest.mark.parametrize("command", ["loop", "stubborn", "gate /nowhere"])
def test_shutdown_does_not_wait_for_work(start: Start, command: str) -> None:
    session = start()
    session.initialize()
    session.open("file:///project/first.py", "FAULT")
    session.diagnostics("file:///project/first.py", 1)
    session.open(URI, f"#! {command}\n")
    document = {"textDocument": {"uri": URI}}
    waiting = session.begin("textDocument/diagnostic", document)
    session.text(URI)
    began = time.monotonic()
    assert session.leave() == 0
    assert time.monotonic() - began < 1.0
    assert session.reply(waiting)["error"]["code"] == -32800


def test_shutdown_while_the_compiler_loads(start: Start) -> None:
    session = start(SERVER)
    session.initialize()
    session.open(URI, "x = 1\n")
    assert session.leave() == 0
    assert "Traceback" not in session.stderr


def test_end_of_input_ends_the_process(start: Start) -> None:
    session = start()
    session.initialize()
    session.open(URI, "#! loop\n")
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert session.process.wait(10) == 1


def test_end_of_input_before_anything(start: Start) -> None:
    session = start()
    assert session.process.stdin is not None
    session.process.stdin.close()
    assert session.process.wait(10) == 1
    assert "Traceback" not in session.stderr


def test_termination(own: Session) -> None:
    own.open(URI, "#! loop\n")
    own.text(URI)
    own.process.terminate()
    assert own.process.wait(10) == 1


def test_a_client_that_dies_takes_the_server_along(start: Start) -> None:
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    session = start()
    session.initialize(processId=client.pid)
    assert session.hints(URI) == []
    client.kill()
    client.communicate()
    assert session.process.wait(10) == 1


def test_a_client_that_was_never_seen_is_in_another_container(start: Start) -> None:
    client = subprocess.Popen([sys.executable, "-c", ""])
    client.wait()
    session = start()
    session.initialize(processId=client.pid)
    assert session.leave() == 0


def test_tcp(cache: dict[str, str]) -> None:
    command = (*FAKE, "--tcp", "127.0.0.1:0")
    with Session(command, cache) as session:
        while (found := re.search(r"listening on 127\.0\.0\.1:(\d+)", session.stderr)) is None:
            assert session.process.poll() is None, session.stderr
        with socket.create_connection(("127.0.0.1", int(found[1])), timeout=30) as connection:
            connection.sendall(
                b"Content-Length: 75\r\n\r\n"
                b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
            )
            assert b'"serverInfo"' in connection.recv(1 << 16)
        assert session.process.wait(10) == 1


def test_options() -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*SERVER, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert run("--version").stdout == f"tl-ascend-server {__version__}\n"
    assert run("--tcp", "nowhere").returncode == 2
    assert run("--log-level", "loud").returncode == 2


def test_a_compiler_that_cannot_be_loaded_is_one_message(start: Start) -> None:
    session = start(env={"FAKE_BROKEN": "1"})
    session.initialize()
    for version in (1, 2):
        session.open(URI, "import tilelang.language as T\nT.", version)
        (found,) = session.diagnostics(URI, version)
        assert found["code"] == "TL901" and "cannot be loaded" in found["message"]
    place = {"textDocument": {"uri": URI}, "position": {"line": 1, "character": 2}}
    assert session.ask("textDocument/completion", place)["items"]
    assert session.leave() == 0
    assert session.stderr.count("Traceback") == 1


def test_a_cache_that_cannot_be_written_is_no_obstacle(start: Start, tmp_path: Path) -> None:
    occupied = tmp_path / "occupied"
    occupied.write_text("a file, not a folder")
    session = start(env={"XDG_CACHE_HOME": str(occupied)})
    session.initialize()
    session.open(URI, "FAULT")
    assert len(session.diagnostics(URI, 1)) == 1
    assert session.leave() == 0
