"""What the user's Python has: torch, torch_npu, devices, packages named tilelang. Asked in a child
process that says each thing as soon as it knows it, so that a crash or a hang loses only the rest."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tl_ascend.toolchain import child
from tl_ascend.toolchain.place import Work

SECONDS = 60

# Writes to the file that it is given, since packages print what they like. Imports only the standard
# library until its last steps.
_SCRIPT = r"""
import importlib.metadata as metadata, importlib.util as util, json, os, sys
from urllib.parse import unquote
def say(**what):
    with open(sys.argv[1], "a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")
def version(name):
    try:
        return metadata.version(name)
    except Exception:
        return ""
say(python=sys.version.split()[0], executable=sys.executable)
def found(name):
    try:
        return util.find_spec(name) is not None
    except Exception:
        return False
def owners(name):
    seen = []
    for item in metadata.distributions():
        try:
            files = item.files or []
            if any(f.parts and f.parts[0] == name for f in files):
                seen.append(str(item.metadata["Name"]) + " " + str(item.version))
        except Exception:
            pass
    return sorted(set(seen))
say(has_torch=found("torch"), has_torch_npu=found("torch_npu"))
say(torch=version("torch"), torch_npu=version("torch_npu"), tilelang=owners("tilelang"))
def folder(name):
    try:
        spec = util.find_spec(name)
        where = os.path.dirname(spec.origin or list(spec.submodule_search_locations)[0] + "/x")
    except Exception:
        return "", False
    installed = False
    for item in metadata.distributions():
        try:
            text = item.read_text("direct_url.json") or ""
            local = unquote(json.loads(text).get("url", "")) if text else ""
            editable = local.startswith("file://") and where.startswith(local[7:].rstrip("/") + "/")
            here = os.path.realpath(str(item.locate_file(name))) == os.path.realpath(where)
            files = any(f.parts and f.parts[0] == name for f in item.files or ())
            installed = installed or editable or (here and files)
        except Exception:
            pass
    return where, installed
where, installed = folder("tilelang")
say(tilelang_at=where, tilelang_installed=installed)
def attempt(name):
    say(doing="importing " + name)
    try:
        module = __import__(name)
    except BaseException as error:
        say(**{name + "_error": type(error).__name__ + ": " + str(error)})
        return None
    say(**{name + "_imported": str(getattr(module, "__version__", ""))})
    return module
if found("torch") and attempt("torch") and found("torch_npu") and attempt("torch_npu"):
    import torch
    def call(name, *arguments):
        say(doing="calling torch.npu." + name)
        return getattr(torch.npu, name)(*arguments)
    try:
        say(available=bool(call("is_available")))
        count = int(call("device_count"))
        say(count=count)
        say(names=[str(call("get_device_properties", i).name) for i in range(count)])
    except BaseException as error:
        say(npu_error=type(error).__name__ + ": " + str(error))
    say(doing="calling get_cann_version")
    try:
        from torch_npu.npu.utils import get_cann_version
        say(cann=str(get_cann_version("CANN")))
    except BaseException:
        pass
say(done=True)
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """`said`: what the probe told, by name; `why`: why it did not come to its end, and where."""

    path: str
    said: Mapping[str, Any] = field(default_factory=dict)
    why: str = ""

    @property
    def late(self) -> bool:
        """Whether its time was over; else it crashed."""
        return self.why.startswith(child.LATE)

    @property
    def sees_devices(self) -> bool:
        """Whether torch has said of each device what it is, and that they are available."""
        named = bool(self.said.get("names"))
        return named and bool(self.said.get("available")) and "npu_error" not in self.said

    def version(self, package: str) -> str:
        """What a package says itself, else what was installed."""
        return self.text(f"{package}_imported") or self.text(package)

    def text(self, name: str) -> str:
        return str(self.said.get(name, "") or "")


def default(environment: Mapping[str, str]) -> str:
    """The interpreter of the active environment, else the first on the path."""
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        place = environment.get(variable, "")
        candidate = Path(place) / "bin/python"
        if place and os.access(candidate, os.X_OK):
            return str(candidate)
    for name in ("python3", "python"):
        found = shutil.which(name, path=environment.get("PATH", ""))
        if found:
            return os.path.abspath(found)
    return ""


def named(path: str, environment: Mapping[str, str]) -> str:
    """An interpreter as the user writes it, as processes in any folder find it."""
    path = os.path.expanduser(path)
    if os.sep in path:
        return os.path.abspath(path)
    return shutil.which(path, path=environment.get("PATH", "")) or path


def ask(
    path: str, work: Work, environment: Mapping[str, str], seconds: float = SECONDS
) -> Interpreter:
    """Probe an interpreter. Torch's autoload is off: with torch_npu and no CANN, `import torch` alone
    would fail. Errors: OSError, Unreachable."""
    if not path:
        return Interpreter("", {}, "no python3 on the path")
    quiet = {**environment, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "PYTHONIOENCODING": "utf-8"}
    said: dict[str, Any] = {}
    command = [path, "-c", _SCRIPT, str(work.path("told"))]
    answer = work.run(command, seconds, quiet)
    for line in (work.read("told") or b"").decode("utf-8", "replace").splitlines():
        said.update(_parsed(line))
    if said.get("done"):
        return Interpreter(path, said)
    if answer.ok and not said:
        return Interpreter(path, {}, "it is no Python: it ends well and does nothing")
    errors = answer.err.strip().splitlines()
    why = answer.why or (errors[-1] if errors else f"exit status {answer.status}")
    at = f" while {said['doing']}" if "doing" in said else ""
    return Interpreter(path, said, f"{why}{at}")


def _parsed(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
