"""Launching a library in a child process: what it computes, how long, and every way to fail."""

from __future__ import annotations

import struct
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.emit import support
from tests.toolchain import standins

from tl_ascend.driver import trial
from tl_ascend.toolchain import cann, child, launch, launcher
from tl_ascend.toolchain.devices import Device, Devices, parse
from tl_ascend.toolchain.launch import Number, Request, Tensor
from tl_ascend.toolchain.place import Here

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

HERE = partial(Here, {})
PROGRAM = """
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
extern "C" void call(uint8_t* a, uint8_t* b, float scale, int64_t n, void* stream) {{
  {before}
  auto x = reinterpret_cast<float*>(a);
  auto y = reinterpret_cast<float*>(b);
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * scale;
  if (reinterpret_cast<uint64_t>(stream) != 77) y[0] = -1;
}}
"""


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    made = standins.Host(tmp_path)
    made.torch()
    made.torch_npu(name="Ascend910B3")
    return made


def library(folder: Path, before: str = "") -> Path:
    source = folder / "program.cpp"
    source.write_text(PROGRAM.format(before=before), "utf-8")
    out = folder / "program.so"
    subprocess.run([support.GXX, "-shared", "-fPIC", source, "-o", out], check=True)
    return out


def started(
    host: standins.Host,
    folder: Path,
    before: str = "",
    seconds: float = 300,
    heard: Callable[[str], None] = lambda _: None,
    **more: Any,
) -> launch.Launched:
    arguments = [Tensor(struct.pack("4f", 1, 2, 3, 4)), Tensor(bytes(16)), Number(2.5, "c_float")]
    request = Request(library(folder, before), "call", [*arguments, Number(4, "c_int64")], **more)
    python = str(host.tools / "python3")
    return launch.launch(request, python, host.environment, seconds, HERE, heard=heard)


def test_results_come_back(host: standins.Host, tmp_path: Path) -> None:
    done = started(host, tmp_path, repeats=5)
    assert done.why == "" and done.after is not None
    assert struct.unpack("4f", done.after[0]) == (1, 2, 3, 4)
    assert struct.unpack("4f", done.after[1]) == (2.5, 5, 7.5, 10)
    assert len(done.milliseconds) == 5 and done.median is not None
    assert done.device == "Ascend910B3"


def test_a_kernel_that_hangs(host: standins.Host, tmp_path: Path) -> None:
    marker = tmp_path / "running"
    before = f'fclose(fopen("{marker}", "w")); for (;;) usleep(1000);'
    request = Request(library(tmp_path, before), "call", [Tensor(bytes(4))] * 2)
    python = str(host.tools / "python3")
    done = launch.launch(request, python, host.environment, 300, HERE, marker.exists)
    assert (done.after, done.why) == (None, "launch: cancelled")
    late = child.Outcome(None, "", "", "no answer within 5 s")
    text = launch.explain(late, "launch")
    assert text.startswith("the kernel was launched and does not end: no answer within 5 s")
    before = launch.explain(late, "import torch_npu")
    assert before == f"import torch_npu: no answer within 5 s. {launch.DOCTOR}."


def test_measuring_that_is_cut_off(host: standins.Host, tmp_path: Path) -> None:
    """The first launch and two of those that are timed end: that is told, and is no hang."""
    marker = tmp_path / "running"
    wait = f'fclose(fopen("{marker}", "w")); for (;;) usleep(1000);'
    before = f"static int launches = 0; if (launches++ == 3) {{ {wait} }}"
    arguments = [Tensor(struct.pack("4f", 1, 2, 3, 4)), Tensor(bytes(16)), Number(2.5, "c_float")]
    request = Request(
        library(tmp_path, before), "call", [*arguments, Number(4, "c_int64")], warm_up=0
    )
    python = str(host.tools / "python3")
    done = launch.launch(request, python, host.environment, 300, HERE, marker.exists)
    assert done.after is not None and struct.unpack("4f", done.after[1]) == (2.5, 5, 7.5, 10)
    assert (len(done.milliseconds), done.why) == (2, "measure: cancelled")
    text = launch.explain(child.Outcome(None, "", "", "no answer within 5 s"), "measure")
    assert text.startswith("measuring was cut off: no answer within 5 s") and "does not" not in text
    assert all(option in text for option in ("--repeats", "--warm-up", "--timeout"))


def test_a_later_launch_that_hangs(host: standins.Host, tmp_path: Path) -> None:
    """Its sixth, the third of those that are timed, is no slow one; what is known stays."""
    marker = tmp_path / "running"

    class Late(Here):
        """Its time is over as soon as the kernel hangs."""

        def run(self, command: Any, seconds: Any, environment: Any = None, *_: Any) -> Any:
            ended = super().run(command, 600, environment, marker.exists)
            return replace(ended, why=f"{child.LATE} {seconds:g} s")

    wait = f'fclose(fopen("{marker}", "w")); for (;;) usleep(1000);'
    before = f"static int launches = 0; if (++launches == 6) {{ {wait} }}"
    arguments = [Tensor(struct.pack("4f", 1, 2, 3, 4)), Tensor(bytes(16)), Number(2.5, "c_float")]
    request = Request(
        library(tmp_path, before), "call", [*arguments, Number(4, "c_int64")], warm_up=2
    )
    python, place = str(host.tools / "python3"), partial(Late, {})
    done = launch.launch(request, python, host.environment, 9000, place)
    assert done.after is not None and len(done.milliseconds) == 2
    assert done.why.startswith("launch 6 does not end, after launches of at most ")
    assert "no answer within 9000 s" in done.why and "A wait for a flag" in done.why
    assert "--repeats" not in done.why


def test_the_start_of_the_interpreter_is_no_launch() -> None:
    """What it took, however long, is not counted for a launch."""
    since = time.monotonic() - launcher.BEGUN
    assert since < launcher.age() < time.monotonic()


def test_the_second_launch_that_hangs() -> None:
    said = launch._progress(b'{"ended": 1, "took": 2.5, "at": 3.0}\n{"step": "measure"}\n')
    assert launch.stuck(said, 10).startswith("launch 2 does not end, after launches of at most 2.5")


def test_launches_that_are_only_slow_do_not_hang() -> None:
    slow = {"ended": 4, "at": 100.0, "took": [900.0, 25_000.0, 30.0]}
    assert launch.stuck(slow, 120) == ""
    assert launch.stuck({"ended": 1, "at": 100.0, "took": []}, 120) == ""
    quick = {"ended": 4000, "at": 119.5, "took": [90.0, 0.01]}
    assert launch.stuck(quick, 120) == "" and launch.stuck({**quick, "took": [0.01]}, 120) == ""
    short = {"ended": 4, "at": 100.0, "took": [90.0, 25.0]}
    assert launch.stuck(short, 120).startswith("launch 5 does not end")


def test_an_interpreter_that_does_nothing(host: standins.Host, tmp_path: Path) -> None:
    request = Request(tmp_path / "nothing.so", "call", [])
    done = launch.launch(request, "/bin/true", host.environment, 300, HERE)
    assert done.why.startswith("start: the interpreter") and "no Python" in done.why


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("_exit(3);", "launch: exit status 3"),
        ("abort();", "launch: ended by SIGABRT"),
        (
            'fprintf(stderr, "rtStreamSynchronize failed: 507015\\n"); _exit(1);',
            "error 507015 (launch)",
        ),
        ('fprintf(stderr, "[ERROR] 507034\\n"); abort();', "error 507034 (launch)"),
    ],
)
def test_a_crash(host: standins.Host, tmp_path: Path, before: str, why: str) -> None:
    done = started(host, tmp_path, before)
    assert done.after is None and done.why.startswith(why)


def test_a_crash_after_the_first_launch_is_no_success(host: standins.Host, tmp_path: Path) -> None:
    done = started(host, tmp_path, "static int launches = 0; if (launches++ == 1) abort();")
    assert done.after is not None and done.why == "measure: ended by SIGABRT"
    assert not trial.Trial(done, ()).agrees


def test_what_could_not_be_compared_does_not_agree() -> None:
    done = launch.Launched((b"",), (), "")
    assert not trial.Trial(done, (), "its evaluation takes too long").agrees
    assert trial.Trial(done, (), "not asked for", asked=False).agrees


@pytest.mark.parametrize("code", sorted(launch.CODES))
def test_every_code_is_explained(code: str) -> None:
    answer = child.Outcome(1, "", f"EZ9999: Inner Error!\nerror code is {code}\n")
    assert launch.explain(answer, "launch") == f"error {code} (launch): {launch.CODES[code]}"


def test_the_simulator(tmp_path: Path) -> None:
    """Its own runtime has the memory and the stream; neither torch nor a device is needed."""
    host = standins.Host(tmp_path)
    root = host.cann()
    host.simulator(root)
    folder = cann.find(host.environment).simulator("A3")
    assert folder == root / "tools/simulator/Ascend910B1/lib"
    heard: list[str] = []
    done = started(host, tmp_path, simulator=folder, heard=heard.append)
    assert (done.why, done.device) == ("", "simulator Ascend910B1") and done.after is not None
    assert struct.unpack("4f", done.after[1]) == (2.5, 5, 7.5, 10)
    assert "load the simulator\n" in "".join(heard) and "launch\n" in "".join(heard)
    (folder / "libruntime_camodel.so").write_text("")
    broken = started(host, tmp_path, simulator=folder)
    assert broken.why.startswith("load the simulator: OSError")


def test_a_device_that_is_not_there(host: standins.Host, tmp_path: Path) -> None:
    done = started(host, tmp_path, device=7)
    assert done.after is None and done.why.startswith("error 107001 (open the device): there is no")
    assert "Invalid device ID 7" in done.output


def test_a_program_that_does_not_load(host: standins.Host, tmp_path: Path) -> None:
    request = Request(tmp_path / "nothing.so", "call", [])
    done = launch.launch(request, str(host.tools / "python3"), host.environment, 300, HERE)
    assert done.after is None and done.why.startswith("load the program: OSError")


def test_no_torch_npu(tmp_path: Path) -> None:
    host = standins.Host(tmp_path)
    host.torch()
    host.package("torch_npu", "2.8.0", standins.NO_LIBRARIES)
    done = started(host, tmp_path)
    assert done.after is None and "import torch_npu" in done.why and "libhccl.so" in done.why


@pytest.mark.parametrize(
    "said",
    [
        *("error code is 507999", "Error Code: 507999.", "aclrtSynchronizeStream ret=507999"),
        *(
            "[ERROR] 507999",
            "runtime result = 507999",
            "RuntimeError: of the simulator fails: 507999",
        ),
        *("ErrCode=507999", "error_code: 507999", "aclError: 507999", "runtime error 507999"),
        *(
            "status 507999",
            "[ERROR]507999",
            "error=507999",
            "rtFoo failed (507999)",
            "errno: 507999",
        ),
        *("ret is 507999, device 0", "retCode = 507999 of 3 launches", "error 507999 is told"),
        *("E39999 error code is 507999[507999]", "failed with 507999", "return code:507999"),
    ],
)
def test_a_code_that_is_not_known_points_to_the_log(said: str) -> None:
    why = launch.explain(child.Outcome(1, "", said), "launch")
    assert why.startswith("error 507999 (launch)") and "plog" in why and "not known" in why


def test_codes_are_read_only_as_numbers_of_their_own() -> None:
    for said in (
        *("at 0x1507015f", "error code is 5079990", "took 507999 us", "ret=407999"),
        *("my result: 107123 elements differ", "allocated 207001 bytes", "[ERROR] 207001 bytes"),
        *("11:08:12.207001", "[ERROR] 2026-11-30 11:08:12.207001 x", "error at 12.507015"),
        *("result: 507015 values", "error 507015.5", "seed 507015", "507015", "results 507015"),
        *("status: 107001 rows", "error: 507015 items are off"),
    ):
        answer = child.Outcome(1, "", said)
        assert launch.explain(answer, "launch") == f"launch: {said}"


def test_the_least_busy_device() -> None:
    assert launch.least_busy(parse(standins.NPU_SMI)) == 1
    assert launch.least_busy(Devices((), "")) is None
    sick = Device(0, 0, "910B3", "Alarm", 0, 0, 65536)
    busy = Device(1, 0, "910B3", "OK", 90, 10, 65536)
    assert launch.least_busy(Devices((sick, busy), "")) == 1


@pytest.mark.parametrize(
    ("visible", "number"),
    [("", 2), ("2", 0), ("0,2", 1), ("2,0", 0), ("0,1", 1), ("7", 2), ("x", 2)],
)
def test_devices_are_numbered_as_torch_does(visible: str, number: int) -> None:
    """Some may be hidden, and the others are numbered in the order in which they are named."""
    devices = tuple(Device(at, 0, "910B3", "OK", 90 - 10 * at, 0, 0) for at in range(3))
    assert launch.least_busy(Devices(devices, ""), visible) == number


def arguments_of(parameters: str, **sizes: float) -> list[Any]:
    text = support.kernel("a = T.alloc_ub((8, 8), 'float')\nT.tile.fill(a, 1.0)", parameters)
    (found,) = support.report("kernel.py", text).kernels
    return trial.inputs(found.kernel, sizes, 0)


def test_what_cannot_be_made_or_passed_is_told() -> None:
    tensor = 'x: T.Tensor((8, 8), "float")'
    with pytest.raises(ValueError, match="no size or scalar 'm'; it has none"):
        arguments_of(tensor, m=3)
    with pytest.raises(ValueError, match="no size or scalar 'm'; there are: s"):
        arguments_of(f"{tensor}, s: T.int32", m=3)
    with pytest.raises(ValueError, match="s is a float16: ctypes cannot pass one by value"):
        arguments_of(f"{tensor}, s: T.float16")
    with pytest.raises(ValueError, match="do not fit into the memory"):
        arguments_of('x: T.Tensor((10000000, 10000000), "float")')
    with pytest.raises(ValueError, match="s is a int32, and cannot be inf"):
        arguments_of(f"{tensor}, s: T.int32", s=float("inf"))
    _, scale = arguments_of(f"{tensor}, s: T.float32", s=2.5)
    assert scale == 2.5


def test_differences() -> None:
    want = np.array([1.0, 2.0, np.nan, np.inf], np.float32)
    assert trial.difference("C", "float32", want.copy(), want).agrees
    near = want * np.float32(1.0001)
    assert trial.difference("C", "float32", near, want).agrees
    wrong = np.array([1.0, 2.5, np.nan, np.inf], np.float32)
    found = trial.difference("C", "float32", wrong, want)
    assert (found.unequal, found.most, found.agrees) == (1, 0.5, False)
    lost = np.array([1.0, np.nan, np.nan, np.inf], np.float32)
    assert not trial.difference("C", "float32", lost, want).agrees
    whole = np.array([1, 2], np.int32)
    assert not trial.difference("C", "int32", whole + 1, whole).agrees
