"""Runs on another host, for `remote.There`: sent there as text, needs Python 3.7 and nothing else.

Messages both ways are a line of JSON and then as many bytes as its `size` says. What runs ends with
the input: when the connection is closed or lost, processes are killed and the folder is removed.
"""

from __future__ import annotations

import glob
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, BinaryIO

MAGIC = b"tl-ascend agent 1\n"
MAX_OUTPUT = 1 << 20
POLL = 0.05
SOURCED = '. "$1" >/dev/null 2>&1; exec "$2" -ESc "$3"'
ENVIRONMENT = """import os, sys
sys.stdout.buffer.write(b"\\0".join(n + b"=" + v for n, v in os.environb.items()))"""


class Agent:
    """One connection. Requests are answered in order; `stop` ends the command that runs."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self.source, self.target = source, target
        self.requests: queue.Queue[Any] = queue.Queue()
        self.stopped, self.gone = threading.Event(), threading.Event()
        self.writing = threading.Lock()
        self.folder = ""
        self.failed = ""

    def listen(self) -> None:
        """Take in requests until the input ends."""
        while True:
            line = self.source.readline()
            head = json.loads(line) if line else {}
            size = int(head.get("size", 0))
            data = self.source.read(size)
            if not line or len(data) < size:
                break
            if head["do"] == "stop":
                self.stopped.set()
            else:
                self.requests.put((head, data))
        self.gone.set()
        self.requests.put(None)

    def say(self, data: bytes = b"", **what: Any) -> None:
        """Send a message."""
        head = json.dumps(dict(what, size=len(data))).encode()
        try:
            with self.writing:
                self.target.write(head + b"\n" + data)
                self.target.flush()
        except OSError:
            self.gone.set()

    def serve(self) -> None:
        """Answer everything, then leave nothing behind."""
        threading.Thread(target=self.listen, daemon=True).start()
        try:
            while True:
                request = self.requests.get()
                if request is None:
                    return
                self.answer(*request)
        finally:
            shutil.rmtree(self.folder or "/nonexistent", ignore_errors=True)

    def answer(self, head: dict[str, Any], data: bytes) -> None:
        """Do one thing. What fails is told with the next answer: files are not answered."""
        try:
            getattr(self, "do_" + head["do"])(head, data)
        except (OSError, ValueError) as error:
            self.failed = self.failed or str(error)
        if head["do"] != "write" and self.failed:
            self.say(failed=self.failed)

    def do_open(self, head: dict[str, Any], data: bytes) -> None:
        """Make the folder."""
        base = os.path.expanduser(head["base"]) or tempfile.gettempdir()
        os.makedirs(base, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="tl-ascend-", dir=base)
        self.say(folder=self.folder, python=sys.executable)

    def do_write(self, head: dict[str, Any], data: bytes) -> None:
        """Make a file in the folder."""
        path = os.path.join(self.folder, head["name"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def do_read(self, head: dict[str, Any], data: bytes) -> None:
        """Send a file of the folder."""
        path = os.path.join(self.folder, head["name"])
        if not os.path.isfile(path):
            self.say(found=False)
            return
        with open(path, "rb") as file:
            self.say(file.read(), found=True)

    def do_look(self, head: dict[str, Any], data: bytes) -> None:
        """Say where CANN is, and what its environment is."""
        environment, looked = dict(os.environ), []
        root, named = "", False
        for name in head["variables"]:
            value = environment.get(name, "")
            looked.append("$" + name + (" = " + value if value else " (not set)"))
            if not root and value and os.path.isdir(value):
                root, named = value, True
        for place in () if root else map(os.path.expanduser, head["places"]):
            looked.append(place)
            root = root or (place if os.path.isdir(place) else "")
        scripts = [os.path.join(root, "set_env.sh"), os.path.join(root, "..", "set_env.sh")]
        script = next((s for s in scripts if root and os.path.exists(s)), "")
        if script and not named:
            environment = sourced(script, environment)
        compilers = [p for pattern in head["compilers"] for p in found(root, pattern)]
        usable = (p for p in compilers if os.access(p, os.X_OK))
        compiler = shutil.which("bisheng", path=environment.get("PATH", "")) or next(usable, "")
        self.say(
            root=root,
            looked=looked,
            script=script,
            environment=environment,
            compiler=compiler,
            info=[text_of(path) for path in found(root, head["info"])],
            simulators=found(root, head["simulator"]),
        )

    def do_run(self, head: dict[str, Any], data: bytes) -> None:
        """Run a command and send what it prints as it comes."""
        self.stopped.clear()
        try:
            process = subprocess.Popen(
                head["command"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=head["environment"],
                cwd=self.folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", "") or str(error)
            self.say(status=None, why=head["command"][0] + " does not start: " + reason)
            return
        pumps = [
            threading.Thread(target=self.pump, args=(name, stream), daemon=True)
            for name, stream in (("out", process.stdout), ("err", process.stderr))
        ]
        for pump in pumps:
            pump.start()
        status, why = self.wait(process, head["seconds"])
        end(process)
        for pump in pumps:
            pump.join(2)
        self.say(status=status, why=why)

    def wait(self, process: subprocess.Popen[bytes], seconds: float) -> tuple[int | None, str]:
        """Until it ends, or has to be ended."""
        last = time.monotonic() + seconds
        while not self.gone.is_set() and not self.stopped.is_set():
            if time.monotonic() > last:
                return None, f"no answer within {seconds:g} s"
            try:
                return process.wait(POLL), ""
            except subprocess.TimeoutExpired:
                continue
        return None, "cancelled"

    def pump(self, name: str, stream: BinaryIO) -> None:
        """Send the first part of a stream and drop the rest: enough to say what happened."""
        left = MAX_OUTPUT
        while True:
            block = os.read(stream.fileno(), 1 << 16)
            if not block:
                return
            if left > 0:
                self.say(block[:left], stream=name)
                left -= len(block)


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def sourced(script: str, environment: dict[str, str]) -> dict[str, str]:
    """The environment after a script; the one before where that fails."""
    shell = shutil.which("bash") or "/bin/sh"
    command = [shell, "-c", SOURCED, "sh", script, sys.executable, ENVIRONMENT]
    try:
        said = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment, timeout=60
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return environment
    pairs = [os.fsdecode(part).partition("=") for part in said.split(b"\0") if b"=" in part]
    return {name: value for name, _, value in pairs} or environment


def found(root: str, pattern: str) -> list[str]:
    """The paths under a folder that match."""
    return sorted(glob.glob(os.path.join(glob.escape(root), pattern))) if root else []


def text_of(path: str) -> str:
    """The text of a small file."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 16)
    except OSError:
        return ""


def main() -> None:
    """Serve the connection on the standard streams."""
    target = sys.stdout.buffer
    target.write(MAGIC)
    target.flush()
    Agent(sys.stdin.buffer, target).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
