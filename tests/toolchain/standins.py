"""Stand-ins for what no test machine has: packages that raise what the real ones raise, a folder that
looks like CANN, an npu-smi."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

TORCH = """
import os
__version__ = "{version}"
if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") != "0":
    raise RuntimeError("Failed to load the backend extension: torch_npu. You can disable extension "
                       "auto-loading with TORCH_DEVICE_BACKEND_AUTOLOAD=0.")
"""
# Devices in the memory of the host, as far as the launcher needs them.
TORCH_NPU = """
import ctypes, torch
__version__ = "{version}"
class _Tensor:
    def __init__(self, data):
        self.data = data
    def npu(self):
        return self
    def cpu(self):
        return self
    def numpy(self):
        return self
    def tobytes(self):
        return bytes(self.data)
    def data_ptr(self):
        return ctypes.addressof(ctypes.c_char.from_buffer(self.data))
class _Properties:
    name = "{name}"
class _Stream:
    npu_stream = 77
class _Npu:
    is_available = staticmethod(lambda: {count} > 0)
    device_count = staticmethod(lambda: {count})
    get_device_properties = staticmethod(lambda index: _Properties)
    current_stream = staticmethod(lambda: _Stream)
    synchronize = staticmethod(lambda: None)
    @staticmethod
    def set_device(index):
        if not 0 <= index < {count}:
            raise RuntimeError("Invalid device ID " + str(index) + " [ERROR] 107001")
torch.npu = _Npu
torch.uint8 = "uint8"
torch.frombuffer = lambda data, dtype: _Tensor(data)
"""
NO_LIBRARIES = """
raise ImportError("libhccl.so: cannot open shared object file: No such file or directory")
"""
# In front of a package that works: it does where the script of CANN was sourced.
NEEDS_LIBRARIES = """
import os
if "ascend-toolkit" not in os.environ.get("LD_LIBRARY_PATH", ""):
    raise ImportError("libhccl.so: cannot open shared object file: No such file or directory")
"""
TWO_ACCELERATORS = """
raise RuntimeError("Two accelerators cannot be used at the same time ... [ERROR] ERR00007")
"""
NPU_SMI = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.rc2                 Version: 24.1.rc2                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 93.6        41                0    / 0             |
| 0                         | 0000:C1:00.0  | 12          0    / 0          3304 / 65536         |
+===========================+===============+====================================================+
| 3     910B3               | Warning       | 90.1        40                0    / 0             |
| 0                         | 0000:C2:00.0  | 0           0    / 0          2800 / 65536         |
+===========================+===============+====================================================+
"""
NPU_SMI_A3 = """\
| npu-smi 25.2.1                   Version: 25.2.1                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip  Phy-ID              | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     Ascend910           | OK            | 178.4       36                0    / 0             |
| 0     0                   | 0000:9D:00.0  | 0           0    / 0          3412 / 65536         |
+------------------------------------------------------------------------------------------------+
| 0     Ascend910           | OK            | -           36                0    / 0             |
| 1     1                   | 0000:9F:00.0  | 0           0    / 0          3196 / 65536         |
+===========================+===============+====================================================+
"""


# Checks its arguments as Bisheng would and compiles for the host with the CPU twin of the API. Files in
# the folder of the tools say what it does besides: `fail`, `link`, `kill`, `noise`, `hang`, `wait`,
# `inject`; `quick`: the library is none; `machine`: it can be launched, since the machine of the twin is
# part of it.
BISHENG = """
import os, pathlib, subprocess, sys, time
here = pathlib.Path({tools!r})
arguments = sys.argv[1:]
if arguments == ["--version"]:
    print("stand-in for bisheng", (here / "version").read_text() if (here / "version").exists() else "1")
    sys.exit(0)
with open(here / "calls", "a") as calls:
    calls.write(repr(arguments) + "\\n")
for wanted in ("-O2", "-fPIC", "--shared", "-lruntime", "-lascendcl", "-o"):
    if wanted not in arguments and not (wanted == "-lruntime" and "-lruntime_camodel" in arguments):
        sys.exit("stand-in: no " + wanted)
if ("-xasc" in arguments) != ("--npu-arch=dav-2201" in arguments):
    sys.exit("stand-in: -xasc goes with --npu-arch")
output = arguments[arguments.index("-o") + 1]
source = arguments[arguments.index("-o") - 1]
text = pathlib.Path(source).read_text("utf-8")
if (here / "wait").exists():
    (here / "waiting").write_text("")
    while (here / "wait").exists():
        time.sleep(0.02)
if (here / "hang").exists():
    (here / "pid").write_text(str(os.getpid()))
    subprocess.run([sys.executable, "-c", "while True: input()"], stdin=os.pipe()[0])
if (here / "noise").exists():
    for at in range(1000):
        sys.stderr.write("warning: " + "x" * 100_000 + "\\n")
if (here / "fail").exists():
    wanted = (here / "fail").read_text()
    row = next(n for n, line in enumerate(text.splitlines(), 1) if wanted in line)
    print(f"{{source}}:{{row}}:5: error: no matching function for call to '{{wanted}}'", file=sys.stderr)
    print("common.h:12:3: note: candidate template ignored", file=sys.stderr)
    sys.exit(1)
if (here / "link").exists():
    print(f"{{source}}:1:1: warning: odd", file=sys.stderr)
    sys.exit("ld.lld: error: undefined symbol: rtFoo")
if (here / "kill").exists():
    os.kill(os.getpid(), 9)
if (here / "inject").exists():  # C++ at the beginning of the host function
    at = text.index("{{", text.rindex("call(")) + 1
    text = text[:at] + (here / "inject").read_text() + text[at:]
    head = "#include <cstdio>\\n#include <cstdlib>\\n#include <unistd.h>\\n"
    pathlib.Path(source).write_text(head + text, "utf-8")
if (here / "quick").exists():
    pathlib.Path(output).write_text(text, "utf-8")
    sys.exit(0)
folders = [a for a in arguments if a.startswith("-I") and "cann" not in a.lower()]
twin = pathlib.Path([a[2:] for a in folders][0]) / "cpu_twin"
machine = [str(p) for p in sorted((twin / "src").glob("*.cpp"))] if (here / "machine").exists() else []
done = subprocess.run(["{gxx}", "-std=c++17", "-O0", "-shared", "-fPIC", "-w", f"-I{{twin}}", *folders,
                       "-x", "c++", source, *machine, "-o", output])
sys.exit(done.returncode)
"""

# The runtime of CANN's simulator, with memory of the host.
CAMODEL = """
#include <cstdint>
#include <cstdlib>
#include <cstring>
static bool set = false;
extern "C" {
int rtSetDevice(int32_t device) { set = device == 0; return set ? 0 : 107001; }
int rtStreamCreate(void** stream, int32_t) { *stream = (void*)77; return set ? 0 : 107002; }
int rtMalloc(void** place, uint64_t size, int kind, uint16_t) {
  *place = kind == 2 ? malloc(size) : nullptr;
  return *place ? 0 : 207001;
}
int rtMemcpy(void* to, uint64_t room, const void* from, uint64_t size, int kind) {
  if (size > room || (kind != 1 && kind != 2)) return 107000;
  memcpy(to, from, size);
  return 0;
}
int rtStreamSynchronize(void* stream) { return stream == (void*)77 ? 0 : 107003; }
}
"""


def until(true: Callable[[], bool]) -> None:
    """Waits for something that another process does."""
    for _ in range(3000):
        if true():
            return
        threading.Event().wait(0.02)
    raise AssertionError("waited in vain")


def ended(pid: int) -> bool:
    """Whether a process is gone; one that nobody has asked after yet counts as gone."""
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True


class Host:
    """A machine made of folders: `environment` is what a user's shell there would have."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / "packages"
        self.tools = folder / "tools"
        for path in (self.packages, self.tools, folder / "home"):
            path.mkdir()
        self.environment = {
            "PATH": str(self.tools),
            "HOME": str(folder / "home"),
            "PYTHONPATH": str(self.packages),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.tool("python3", f'exec {sys.executable} -S "$@"')

    def tool(self, name: str, script: str) -> Path:
        """A program on the path, as a shell script."""
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
        return path

    def package(self, name: str, version: str, text: str, owner: str = "") -> None:
        """An installed package with its metadata."""
        folder = self.packages / name
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(textwrap.dedent(text), "utf-8")
        info = self.packages / f"{owner or name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {owner or name}\nVersion: {version}\n", "utf-8"
        )
        (info / "RECORD").write_text(f"{name}/__init__.py,,\n", "utf-8")

    def torch(self, version: str = "2.8.0") -> None:
        self.package("torch", version, TORCH.format(version=version))

    def torch_npu(
        self, version: str = "2.8.0", count: int = 2, name: str = "Ascend910B3", before: str = ""
    ) -> None:
        text = TORCH_NPU.format(version=version, count=count, name=name)
        self.package("torch_npu", version, before + text)

    def cann(self, version: str = "8.3.RC1", active: bool = True, bisheng: bool = True) -> Path:
        """CANN in the home folder of the user; `active`: its set_env.sh was sourced."""
        root = self.folder / "home/Ascend/ascend-toolkit/latest"
        (root / "x86_64-linux").mkdir(parents=True)
        info = root / "x86_64-linux/ascend_toolkit_install.info"
        info.write_text(f"package_name=Ascend-cann-toolkit\nversion={version}\n", "utf-8")
        script = f"export ASCEND_HOME_PATH='{root}'\nexport LD_LIBRARY_PATH='{root}/lib64'\n"
        (root.parent / "set_env.sh").write_text(script, "utf-8")
        if bisheng:
            place = root / "bin/bisheng"
            place.parent.mkdir()
            place.write_text("#!/bin/sh\n", "utf-8")
            place.chmod(0o755)
        if active:
            self.environment["ASCEND_HOME_PATH"] = str(root)
        return root

    def compiler(self) -> Path:
        """CANN with a compiler that works."""
        root = self.cann(bisheng=False)
        script = self.folder / "bisheng.py"
        gxx = shutil.which("g++")
        script.write_text(BISHENG.format(tools=str(self.tools), gxx=gxx), "utf-8")
        place = root / "bin/bisheng"
        place.parent.mkdir()
        path = os.environ["PATH"]  # for what g++ starts
        place.write_text(
            f"#!/bin/sh\nPATH='{path}' exec {sys.executable} '{script}' \"$@\"\n", "utf-8"
        )
        place.chmod(0o755)
        return root

    def simulator(self, root: Path, name: str = "Ascend910B1") -> None:
        """CANN's simulator in its folder."""
        folder = root / "tools/simulator" / name / "lib"
        folder.mkdir(parents=True)
        source = self.folder / "camodel.cpp"
        source.write_text(CAMODEL, "utf-8")
        out = str(folder / "libruntime_camodel.so")
        line = [str(shutil.which("g++")), "-shared", "-fPIC", str(source), "-o", out]
        subprocess.run(line, check=True)

    def npu_smi(self, text: str = NPU_SMI) -> None:
        (self.folder / "smi.txt").write_text(text, "utf-8")
        cat = next(p for p in ("/bin/cat", "/usr/bin/cat") if os.access(p, os.X_OK))
        self.tool("npu-smi", f"exec {cat} '{self.folder / 'smi.txt'}'")
