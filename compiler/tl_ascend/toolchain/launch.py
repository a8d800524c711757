"""Launch a built program in the user's interpreter, in a child process, and read what it left."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tl_ascend.toolchain import child, launcher
from tl_ascend.toolchain.devices import Devices
from tl_ascend.toolchain.place import Open, Unreachable, Work

# What the runtime's error codes mean. Source: CANN, aclError.
CODES: dict[str, str] = {
    "107002": "there is no context: the device was not set",
    "207001": "the device has no memory left",
    "507011": "the model or kernel failed; the driver's log has the exception",
    "507014": "the AI core did not come to an end in time: a wait for a flag that is never set",
    "507015": "the AI core took an exception: an address outside of its memory, one that is not "
    "aligned, or an instruction that it does not have",
    "507016": "the AI core ended in a trap",
    "507018": "an exception in the AI CPU",
    "507034": "a vector core did not come to an end in time: a wait for a flag that is never set",
    "507035": "a vector core took an exception: an address outside of its memory, one that is not "
    "aligned, or an instruction that it does not have",
    "507036": "a vector core ended in a trap",
    "507046": "waiting for the stream took too long: the kernel hangs",
}


@dataclass(frozen=True, slots=True)
class Tensor:
    """The bytes of a tensor argument."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar argument, or a symbolic size. `ctype`: its type in ctypes."""

    value: int | float
    ctype: str


@dataclass(frozen=True, slots=True)
class Request:
    """What to launch. `function`: of the library, as emission names it."""

    library: Path
    function: str
    arguments: Sequence[Tensor | Number]
    device: int = 0
    warm_up: int = 3
    repeats: int = 10


@dataclass(frozen=True, slots=True)
class Launched:
    """What came of it. `after`: the tensors, None where the launch did not end well: `why` then says
    so. `device`: its name."""

    after: tuple[bytes, ...] | None
    milliseconds: tuple[float, ...]
    device: str
    why: str = ""
    output: str = ""

    @property
    def median(self) -> float | None:
        return statistics.median(self.milliseconds) if self.milliseconds else None


def launch(
    request: Request,
    python: str,
    environment: Mapping[str, str],
    seconds: float,
    place: Open,
    cancelled: Callable[[], bool] = lambda: False,
) -> Launched:
    """Run the launcher. It is ended after the time: what it had done by then is known."""
    quiet = {**environment, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONIOENCODING": "utf-8"}
    try:
        with place() as work:
            _write(work, request)
            command = [python, str(work.path("launcher.py")), str(work.path("."))]
            answer = work.run(command, seconds, quiet, cancelled)
            return _left(work, request, answer)
    except Unreachable as error:
        return Launched(None, (), "", str(error))


def _left(work: Work, request: Request, answer: child.Outcome) -> Launched:
    """What the launcher has left."""
    said = _progress(work.read("progress") or b"")
    device = str(said.get("device", ""))
    times = tuple(float(x) for x in said.get("milliseconds", ()))
    if not said.get("compared"):
        why = explain(answer, str(said.get("step", "start")))
        return Launched(None, (), device, why, answer.err)
    count = sum(isinstance(part, Tensor) for part in request.arguments)
    after = tuple(work.read(f"after-{at}") or b"" for at in range(count))
    why = "" if said.get("done") else explain(answer, str(said.get("step", "")))
    return Launched(after, times, device, why, answer.err)


def _write(work: Work, request: Request) -> None:
    parts: list[dict[str, Any]] = []
    for at, part in enumerate(request.arguments):
        if isinstance(part, Tensor):
            work.write(f"before-{at}", part.data)
            parts.append({"kind": "tensor", "file": f"before-{at}"})
        else:
            parts.append({"kind": "number", "value": part.value, "ctype": part.ctype})
    text = {
        "library": str(work.bring(request.library)),
        "function": request.function,
        "arguments": parts,
        "device": request.device,
        "warm_up": request.warm_up,
        "repeats": request.repeats,
    }
    work.write("request.json", json.dumps(text).encode())
    work.write("launcher.py", Path(launcher.__file__).read_bytes())


def _progress(told: bytes) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for line in told.decode("utf-8", "replace").splitlines():
        try:
            said.update(json.loads(line))
        except ValueError:
            break  # the process ended within this line
    return said


def explain(answer: child.Outcome, step: str) -> str:
    """One sentence about a launch that did not end well."""
    said = answer.err + answer.out
    codes = [code for code in re.findall(r"(?<!\d)(\d{6})(?!\d)", said) if code in CODES]
    if codes:
        return f"error {codes[0]} ({step}): {CODES[codes[0]]}"
    if answer.why.startswith("no answer") and step in ("launch", "measure"):
        return (
            f"the kernel was launched and does not end: {answer.why}. A wait for a flag that is never "
            "set hangs like this."
        )
    lines = [line for line in answer.err.strip().splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    why = answer.why or last or f"exit status {answer.status}"
    return f"{step}: {why}"


def least_busy(found: Devices) -> int | None:
    """The number of the device with the least work, then the least memory in use; None where nothing
    is known."""
    numbered = list(enumerate(found.devices))
    if not numbered:
        return None

    def load(entry: tuple[int, Any]) -> tuple[bool, int, int, int]:
        at, device = entry
        return (device.health not in ("OK", "Warning"), device.busy or 0, device.used or 0, at)

    return min(numbered, key=load)[0]


def with_simulator(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment in which a program that is linked with the simulator finds it."""
    old = environment.get("LD_LIBRARY_PATH", "")
    return {**environment, "LD_LIBRARY_PATH": f"{folder}:{old}" if old else str(folder)}
