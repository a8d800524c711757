"""Runs in the user's interpreter, with torch and torch_npu: loads a built program and launches it.

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
from typing import Any


def main(folder: str) -> None:
    """Do what the request says."""
    with open(os.path.join(folder, "request.json"), encoding="utf-8") as file:
        request = json.load(file)
    progress = open(os.path.join(folder, "progress"), "a", encoding="utf-8")

    def say(**what: Any) -> None:
        progress.write(json.dumps(what) + "\n")
        progress.flush()

    say(step="import torch")
    import torch

    say(step="import torch_npu")
    import torch_npu  # noqa: F401  (it gives torch its devices)

    say(step="open the device")
    torch.npu.set_device(request["device"])
    say(device=str(torch.npu.get_device_properties(request["device"]).name))
    say(step="load the program")
    library = ctypes.CDLL(request["library"])
    say(step="copy the tensors to the device")
    tensors = [
        load(torch, folder, part) for part in request["arguments"] if part["kind"] == "tensor"
    ]
    say(step="launch")
    launch(torch, library, request, tensors)
    torch.npu.synchronize()
    say(step="copy the tensors back")
    for at, tensor in enumerate(tensors):
        with open(os.path.join(folder, f"after-{at}"), "wb") as out:
            out.write(tensor.cpu().numpy().tobytes())
    say(compared=True)
    if request["repeats"]:
        say(step="measure")
        say(milliseconds=measure(torch, library, request, tensors))
    say(done=True)


def load(torch: Any, folder: str, part: dict[str, Any]) -> Any:
    """A tensor of bytes on the device."""
    with open(os.path.join(folder, part["file"]), "rb") as file:
        data = bytearray(file.read())
    return torch.frombuffer(data, dtype=torch.uint8).npu()


def launch(torch: Any, library: Any, request: dict[str, Any], tensors: list[Any]) -> None:
    """The arguments in the order of the kernel, then the stream, explicitly."""
    left = iter(tensors)
    values = []
    for part in request["arguments"]:
        if part["kind"] == "tensor":
            values.append(ctypes.c_void_p(next(left).data_ptr()))
        else:
            values.append(getattr(ctypes, part["ctype"])(part["value"]))
    stream = torch.npu.current_stream().npu_stream
    getattr(library, request["function"])(*values, ctypes.c_void_p(stream))


def measure(torch: Any, library: Any, request: dict[str, Any], tensors: list[Any]) -> list[float]:
    """Milliseconds of each launch, after those that warm up."""
    for _ in range(request["warm_up"]):
        launch(torch, library, request, tensors)
    torch.npu.synchronize()
    found = []
    for _ in range(request["repeats"]):
        start = time.perf_counter()
        launch(torch, library, request, tensors)
        torch.npu.synchronize()
        found.append((time.perf_counter() - start) * 1e3)
    return found


if __name__ == "__main__":
    main(sys.argv[1])
