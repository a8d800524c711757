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
from tl_ascend.toolchain.cann import RUNTIME
from tl_ascend.toolchain.devices import Devices
from tl_ascend.toolchain.place import Open, Unreachable, Work

# What the runtime's error codes mean. Source: CANN, aclError; the runtime's rt_error_codes.h.
_BAD_ADDRESS = (
    "an address outside of its memory, one that is not aligned, or an instruction that it "
    "does not have"
)
_NO_FLAG = "a wait for a flag that is never set"
# Source: CANN, log reference.
_LOG = "its log in ~/ascend/log/debug/plog, or where ASCEND_PROCESS_LOG_PATH points, says more"
CODES: dict[str, str] = {
    "107001": "there is no device of that number; ASCEND_RT_VISIBLE_DEVICES hides some",
    "107002": "there is no context: the device was not set",
    "107003": "the stream belongs to another context",
    "107019": "the task took too long",
    "207000": "the device does not have this feature",
    "207001": "the device has no memory left",
    "207003": "an operation of the AI core overflows",
    "207004": "the device is not available",
    "207006": "no permission for the device: see groups of this user and the device files",
    "207018": "the device has no memory left",
    "507000": f"an internal error of the runtime: {_LOG}",
    "507008": "the runtime does not know this device: driver and CANN do not belong together",
    "507010": "the device no longer answers: it hangs since earlier, and may need a reset",
    "507011": f"the model or kernel failed: {_LOG}",
    "507013": "a transfer by system DMA failed",
    "507014": f"the AI core did not come to an end in time: {_NO_FLAG}",
    "507015": f"the AI core took an exception: {_BAD_ADDRESS}",
    "507016": "the AI core ended in a trap",
    "507017": "the AI CPU did not come to an end in time",
    "507018": "an exception in the AI CPU",
    "507033": "the device does not start",
    "507034": f"a vector core did not come to an end in time: {_NO_FLAG}",
    "507035": f"a vector core took an exception: {_BAD_ADDRESS}",
    "507036": "a vector core ended in a trap",
    "507042": "the AI core ended in a trap: it read outside of its memory",
    "507043": "the AI core ended in a trap: it wrote outside of its memory",
    "507044": "a vector core ended in a trap: it read outside of its memory",
    "507045": "a vector core ended in a trap: it wrote outside of its memory",
    "507046": "waiting for the stream took too long: the kernel hangs",
    "507047": "waiting for an event took too long",
    "507048": f"cube and vector cores together did not come to an end in time: {_NO_FLAG}",
    "507049": f"cube and vector cores together took an exception: {_BAD_ADDRESS}",
    "507050": "cube and vector cores together ended in a trap",
    "507053": "the device's memory has an error that cannot be corrected",
    "507054": "the device's memory has several errors that cannot be corrected",
    "507899": f"an internal error of the driver: {_LOG}",
    "507901": "the connection to the device was closed",
}
# Codes of the runtime (parameters, resources, internal errors), as it and torch_npu write them. A word
# that is said of other numbers as well counts only where nothing is counted by the number.
_NUMBER = r"[^\w\n]{0,3}(?:(?:is|with)\W{1,2})?([125]07\d{3})(?!\d|\.\d)"
_CODES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:(?:err(?:or)?|ret(?:urn)?)[ _]?(?:code|no)|acl_?error|rt_?error){_NUMBER}",
        rf"(?:\b(?:error|ret|result|status|fails|failed)\b|\[error\]){_NUMBER}"
        r"(?!\W{1,2}(?!is\b|was\b|has\b)[a-z]+s\b)",
    )
)
_OFTEN = 100  # times as long as every launch before: no launch of the same kernel
_LEAST = 1.0  # second: what starting and stopping the process may take
# Where the fault is not the kernel's.
_BEFORE = ("start", "import torch", "import torch_npu", "open the device", "load the simulator")
LAUNCH, MEASURE = "launch", "measure"
DOCTOR = "`tl-ascend doctor` says what is missing and what to do"


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
    """What to launch. `function`: of the library, as emission names it; `simulator`: the folder of
    CANN's, to run without a device."""

    library: Path
    function: str
    arguments: Sequence[Tensor | Number]
    device: int = 0
    warm_up: int = 3
    repeats: int = 10
    simulator: Path | None = None


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
    heard: Callable[[str], None] = lambda _: None,
) -> Launched:
    """Run the launcher. It is ended after the time: what it had done by then is known."""
    quiet = {**environment, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONIOENCODING": "utf-8"}
    try:
        with place() as work:
            _write(work, request)
            command = [python, str(work.path("launcher.py")), str(work.path("."))]
            answer = work.run(command, seconds, quiet, cancelled, heard)
            return _left(work, request, answer, seconds)
    except (Unreachable, OSError) as error:
        return Launched(None, (), "", str(error))


def _left(work: Work, request: Request, answer: child.Outcome, seconds: float) -> Launched:
    """What the launcher has left."""
    said = _progress(work.read("progress") or b"")
    device = str(said.get("device", ""))
    times = tuple(said["milliseconds"])
    if not said.get("compared"):
        why = explain(answer, str(said.get("step", "start")))
        return Launched(None, (), device, why, answer.err)
    count = sum(isinstance(part, Tensor) for part in request.arguments)
    after = tuple(work.read(f"after-{at}") or b"" for at in range(count))
    why = (
        "" if said.get("done") else explain(answer, str(said.get("step", "")), stuck(said, seconds))
    )
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
        "simulator": str(request.simulator / RUNTIME) if request.simulator is not None else "",
    }
    work.write("request.json", json.dumps(text).encode())
    work.write("launcher.py", Path(launcher.__file__).read_bytes())


def stuck(said: Mapping[str, Any], seconds: float) -> str:
    """Which launch has run until the time was over, far longer than every one before; empty where the
    launches are only many or slow."""
    waited, before = seconds - float(said.get("at", seconds)), said["took"]
    if not before or waited < _LEAST or waited * 1e3 < _OFTEN * max(before):
        return ""
    number, most = int(said["ended"]) + 1, max(before)
    return f"launch {number} does not end, after launches of at most {most:.3g} ms"


def _progress(told: bytes) -> dict[str, Any]:
    """What it has told, in lists `milliseconds` of each launch that counts, and what each one `took`."""
    said: dict[str, Any] = {"milliseconds": []}
    took: list[float] = []
    for line in told.decode("utf-8", "replace").splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            break  # the process ended within this line
        said["milliseconds"] += [float(found[one]) for one in found if one == "millisecond"]
        took += [float(found[one]) for one in found if one == "took"]
        said.update(found)
    return {**said, "took": took}


def explain(answer: child.Outcome, step: str, stuck: str = "") -> str:
    """What came of a launch that did not end well, and what to do next. `stuck`: of the launch that did
    not end, where that is known."""
    said = answer.err + answer.out
    codes = [code for pattern in _CODES for code in pattern.findall(said)]
    for code in codes:
        if code in CODES:
            return f"error {code} ({step}): {CODES[code]}"
    if codes:
        return f"error {codes[0]} ({step}) of the runtime is not known here: {_LOG}"
    if answer.late and step == LAUNCH:
        return (
            f"the kernel was launched and does not end: {answer.why}. {_NO_FLAG.capitalize()} hangs "
            "like this."
        )
    if answer.late and step == MEASURE and stuck:
        return f"{stuck}: {answer.why}. {_NO_FLAG.capitalize()} hangs like this."
    if answer.late and step == MEASURE:
        return (
            f"measuring was cut off: {answer.why}. The first launch ended and its results came back. "
            "Measure less (--repeats, --warm-up) or longer (--timeout)."
        )
    lines = [line for line in answer.err.strip().splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    why = answer.why or last or f"exit status {answer.status}"
    if step == "start" and answer.ok:
        why = "the interpreter ends well and does nothing, so it is no Python"
    return f"{step}: {why}. {DOCTOR}." if step in _BEFORE else f"{step}: {why}"


def least_busy(found: Devices, visible: str = "") -> int | None:
    """The number of the device with the least work, then the least memory in use, as torch numbers it;
    None where nothing is known. `visible`: of ASCEND_RT_VISIBLE_DEVICES, which hides and orders."""
    chosen = [int(part) for part in visible.split(",") if part.strip().isdecimal()]
    order = [at for at in chosen if at < len(found.devices)] or range(len(found.devices))
    numbered = [(number, found.devices[at]) for number, at in enumerate(order)]
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
