"""Runs in the user's interpreter: loads a built program and launches it, on a device through torch and
torch_npu or on CANN's simulator through its runtime.

`python launcher.py FOLDER`: `request.json` there says what to do, files of bytes hold the tensors.
What is known is written to `progress` line by line, so that a hang or a crash loses only the rest.
Needs nothing of tl-ascend.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

BEGUN = time.monotonic()
HUGE_PAGES, TO_DEVICE, TO_HOST = 2, 1, 2  # of CANN's runtime: rtMemType_t, rtMemcpyKind_t


def main(folder: str) -> None:
    """Do what the request says."""
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    progress = open(os.path.join(folder, "progress"), "a", encoding="utf-8")

    def say(**what: Any) -> None:
        progress.write(json.dumps(what) + "\n")
        progress.flush()
        if "step" in what:
            sys.stdout.write("tl-ascend: " + what["step"] + "\n")
            sys.stdout.flush()

    os.environ.setdefault("CAMODEL_LOG_PATH", folder)  # the simulator writes what it does
    device: Any = (Simulator if request["simulator"] else Npu)(request, say)
    say(device=device.name, step="load the program")
    library = ctypes.CDLL(request["library"])
    say(step="copy the tensors to the device")
    parts = [part for part in request["arguments"] if part["kind"] == "tensor"]
    tensors = [device.put(contents(os.path.join(folder, part["file"]))) for part in parts]
    say(step="launch")
    say(ended=1, took=timed(device, library, request, tensors), at=age())
    say(step="copy the tensors back")
    for at, tensor in enumerate(tensors):
        with open(os.path.join(folder, f"after-{at}"), "wb") as out:
            out.write(device.get(tensor))
    say(compared=True)
    if request["repeats"]:
        say(step="measure")
        measure(device, library, request, tensors, say)
    say(done=True)


class Npu:
    """A device, through torch_npu."""

    def __init__(self, request: dict[str, Any], say: Callable[..., None]) -> None:
        say(step="import torch")
        import torch

        say(step="import torch_npu")
        import torch_npu  # noqa: F401  (it gives torch its devices)

        say(step="open the device")
        torch.npu.set_device(request["device"])
        self.torch: Any = torch
        self.name = str(torch.npu.get_device_properties(request["device"]).name)
        self.stream = torch.npu.current_stream().npu_stream

    def put(self, data: bytes) -> Any:
        """A tensor of bytes on the device."""
        return self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8).npu()

    def address(self, tensor: Any) -> Any:
        """Where it lies."""
        return tensor.data_ptr()

    def get(self, tensor: Any) -> Any:
        """Its bytes."""
        return tensor.cpu().numpy().tobytes()

    def wait(self) -> None:
        """Until everything that was launched has ended."""
        self.torch.npu.synchronize()


class Simulator:
    """CANN's simulator. torch_npu knows devices only, so memory and stream are its runtime's."""

    def __init__(self, request: dict[str, Any], say: Callable[..., None]) -> None:
        say(step="load the simulator")
        self.name = "simulator " + request["simulator"].split("/")[-3]
        self.runtime = ctypes.CDLL(request["simulator"], mode=ctypes.RTLD_GLOBAL)
        self.call("rtSetDevice", ctypes.c_int32(0))
        stream = ctypes.c_void_p()
        self.call("rtStreamCreate", ctypes.byref(stream), ctypes.c_int32(0))
        self.stream = stream.value

    def call(self, name: str, *values: Any) -> None:
        """A function of the runtime. Errors: RuntimeError."""
        status = getattr(self.runtime, name)(*values)
        if status:
            raise RuntimeError(f"{name} of the simulator fails: {status}")

    def put(self, data: bytes) -> tuple[int | None, int]:
        """Memory of the simulator."""
        place, size = ctypes.c_void_p(), ctypes.c_uint64(len(data))
        kind, module = ctypes.c_int(HUGE_PAGES), ctypes.c_uint16(0)
        self.call("rtMalloc", ctypes.byref(place), size, kind, module)
        self.call("rtMemcpy", place, size, ctypes.c_char_p(data), size, ctypes.c_int(TO_DEVICE))
        return place.value, len(data)

    def address(self, tensor: tuple[int | None, int]) -> int | None:
        """Where it lies."""
        return tensor[0]

    def get(self, tensor: tuple[int | None, int]) -> bytes:
        """Its bytes."""
        data, size = ctypes.create_string_buffer(tensor[1]), ctypes.c_uint64(tensor[1])
        place = ctypes.c_void_p(tensor[0])
        self.call("rtMemcpy", data, size, place, size, ctypes.c_int(TO_HOST))
        return data.raw

    def wait(self) -> None:
        """Until everything that was launched has ended."""
        self.call("rtStreamSynchronize", ctypes.c_void_p(self.stream))


def contents(path: str) -> bytes:
    """What is in a file."""
    with open(path, "rb") as file:
        return file.read()


def launch(device: Any, library: Any, request: dict[str, Any], tensors: list[Any]) -> None:
    """The arguments in the order of the kernel, then the stream, explicitly."""
    left = iter(tensors)
    values = []
    for part in request["arguments"]:
        if part["kind"] == "tensor":
            values.append(ctypes.c_void_p(device.address(next(left))))
        else:
            values.append(getattr(ctypes, part["ctype"])(part["value"]))
    getattr(library, request["function"])(*values, ctypes.c_void_p(device.stream))


def measure(
    device: Any,
    library: Any,
    request: dict[str, Any],
    tensors: list[Any],
    say: Callable[..., None],
) -> None:
    """Tell the milliseconds of each launch, after those that warm up, as soon as they are known; and of
    each, the first one before included, how many have ended and when."""
    for number in range(request["warm_up"] + request["repeats"]):
        took = timed(device, library, request, tensors)
        what = {"millisecond": took} if number >= request["warm_up"] else {}
        say(ended=number + 2, took=took, at=age(), **what)


def timed(device: Any, library: Any, request: dict[str, Any], tensors: list[Any]) -> float:
    """The milliseconds of one launch, to its end."""
    start = time.perf_counter()
    launch(device, library, request, tensors)
    device.wait()
    return (time.perf_counter() - start) * 1e3


def age() -> float:
    """The seconds since this process began, the start of the interpreter included."""
    try:
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, IndexError, ValueError):  # another system
        return time.monotonic() - BEGUN


if __name__ == "__main__":
    main(sys.argv[1])
