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
HALF_OUTPUT = 1 << 19
POLL = 0.05
SOURCE_SECONDS = 30
SOURCED = '. "$1" >/dev/null 2>&1; exec "$2" -ESc "$3"'
ENVIRONMENT = """import os, sys
sys.stdout.buffer.write(b"\\0".join(n + b"=" + v for n, v in os.environb.items()))"""


class Agent:
    """One connection. Requests are answered in order; `stop` ends the last command that was asked for,
    begun or not."""

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
                continue
            if head["do"] == "run":
                self.stopped.clear()
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
        base = os.path.join(os.path.expanduser("~"), os.path.expanduser(head["base"]))
        base = base if head["base"] else tempfile.gettempdir()
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
            is_folder = bool(value) and os.path.isdir(value)
            state = "" if is_folder else head["no_folder"]
            looked.append("$" + name + (" = " + value + state if value else " (not set)"))
            if not root and is_folder:
                root, named = value, True
        for place in () if root else map(os.path.expanduser, head["places"]):
            looked.append(place)
            root = root or (place if os.path.isdir(place) else "")
        scripts = [os.path.join(root, "set_env.sh"), os.path.join(root, "..", "set_env.sh")]
        script = next((s for s in scripts if root and os.path.exists(s)), "")
        problem = ""
        if script and not named:
            environment, problem = sourced(script, environment)
        compilers = [p for pattern in head["compilers"] for p in found(root, pattern)]
        usable = (p for p in compilers if os.access(p, os.X_OK))
        compiler = shutil.which("bisheng", path=environment.get("PATH", "")) or next(usable, "")
        self.say(
            root=root,
            looked=looked,
            script=script,
            problem=problem,
            named=named,
            environment=environment,
            compiler=compiler,
            info=[text_of(path) for path in found(root, head["info"])],
            simulators=found(root, head["simulator"]),
        )

    def do_run(self, head: dict[str, Any], data: bytes) -> None:
        """Run a command and send what it prints as it comes."""
        if self.stopped.is_set():
            self.say(status=None, why="cancelled")
            return
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
        """Send the beginning of a stream as it comes, and its end at the end."""
        kept = Kept()
        while True:
            block = os.read(stream.fileno(), 1 << 16)
            if not block:
                break
            first = kept.add(block)
            if first:
                self.say(first, stream=name)
        last = kept.last()
        if last:
            self.say(last, stream=name)


class Kept:
    """Beginning and end of what a process says: enough to say what happened."""

    def __init__(self, half: int = HALF_OUTPUT) -> None:
        self.half = half
        self.first, self.end, self.dropped = bytearray(), bytearray(), 0

    def add(self, block: bytes) -> bytes:
        """Keep more; returns what of it belongs to the beginning."""
        room = self.half - len(self.first)
        first = block[:room] if room > 0 else b""
        self.first += first
        self.end += block[room:] if room > 0 else block
        over = len(self.end) - self.half
        if over > 0:
            del self.end[:over]
            self.dropped += over
        return first

    def last(self) -> bytes:
        """What comes after the beginning."""
        mark = b"\n[%d bytes are left out]\n" % self.dropped if self.dropped else b""
        return mark + bytes(self.end)

    def data(self) -> bytes:
        """All that is kept."""
        return bytes(self.first) + self.last()


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def sourced(script: str, environment: dict[str, str]) -> tuple[dict[str, str], str]:
    """The environment after a script; the one before, and why, where that fails."""
    shell = shutil.which("bash") or "/bin/sh"
    command = [shell, "-c", SOURCED, "sh", script, sys.executable, ENVIRONMENT]
    try:
        done = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        return environment, shell + " does not start: " + str(error.strerror)
    try:
        said = done.communicate(timeout=SOURCE_SECONDS)[0]
    except subprocess.TimeoutExpired:
        return environment, f"it does not end within {SOURCE_SECONDS} s"
    finally:
        end(done)
    pairs = [os.fsdecode(part).partition("=") for part in said.split(b"\0") if b"=" in part]
    if not pairs:
        return environment, f"it ends the shell with status {done.returncode}"
    return {name: value for name, _, value in pairs}, ""


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
