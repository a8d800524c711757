"""From a file to results: built by a stand-in of the compiler, loaded and launched by the code that
launches on a device, compared with numpy."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.emit import support
from tests.toolchain import standins

from tl_ascend.toolchain.launch import DOCTOR

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_sync": True})
def scaled(dtype="float16"):
    n = T.symbolic("n")

    @T.prim_func
    def main(A: T.Tensor((n, 64), dtype), B: T.Tensor((n, 64), dtype)):
        with T.Kernel(T.ceildiv(n, 8), is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), dtype)
            b = T.alloc_ub((8, 64), dtype)
            if vid == 0:
                T.copy(A[cid * 8, 0], a)
                T.tile.mul(b, a, FACTOR)
                T.copy(b, B[cid * 8, 0])

    return main


scaled()
"""


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    made = standins.Host(tmp_path)
    made.compiler()
    made.torch()
    made.torch_npu()
    made.npu_smi()
    (made.tools / "machine").write_text("")
    return made


def run(
    host: standins.Host, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command; its own modules must not be those of the user's interpreter."""
    command = [sys.executable, "-m", "tl_ascend.cli.main", "run"]
    python = host.tool("user-python", f'PYTHONPATH={host.packages} exec {sys.executable} -S "$@"')
    environment = {
        "TL_ASCEND_CACHE_DIR": str(host.folder / "cache"),
        **host.environment,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.run(
        [*command, "--python", str(python), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
    )


def test_a_kernel_runs_and_agrees(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "scaled.py"
    file.write_text(KERNEL.replace("FACTOR", "2.5"), "utf-8")
    done = run(host, str(file), "--size", "n=20", "--format", "json", "--repeats", "2")
    assert done.returncode == 0, done.stderr
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert (kernel["agrees"], kernel["compared"], kernel["why"]) == (True, True, "")
    (output,) = kernel["outputs"]
    assert (output["name"], output["shape"], output["unequal"]) == ("B", [20, 64], 0)
    assert len(kernel["milliseconds"]) == 2 and kernel["device"] == "Ascend910B3"
    assert (kernel["hit"], kernel["note"]) == (False, "first build")
    plain = run(host, str(file), "--size", "n=20")
    assert "  (hit: " in plain.stdout.splitlines()[0]
    assert "scaled.0 on Ascend910B3, median" in plain.stdout
    assert "B float16[20, 64]: agrees" in plain.stdout


def test_a_program_that_computes_something_else(host: standins.Host, tmp_path: Path) -> None:
    """The compiler translates another source than it was given."""
    file = tmp_path / "scaled.py"
    file.write_text(KERNEL.replace("FACTOR", "2.5"), "utf-8")
    script = host.folder / "bisheng.py"
    wrong = script.read_text().replace(
        'text = pathlib.Path(source).read_text("utf-8")',
        'text = pathlib.Path(source).read_text("utf-8").replace("2.5f", "3.5f")\n'
        'pathlib.Path(source).write_text(text, "utf-8")',
    )
    script.write_text(wrong)
    done = run(host, str(file))
    assert done.returncode == 1
    assert "B float16[64, 64]: DIFFERS in" in done.stdout


@pytest.mark.parametrize(
    ("value", "most"),
    [
        ('(float)__builtin_nan("")', "NaN"),
        ("-__builtin_inff()", "Infinity"),
    ],
)
def test_results_that_are_no_numbers_are_told_in_json(
    host: standins.Host, tmp_path: Path, value: str, most: str
) -> None:
    """The stand-in's inputs are on the host, so its host function can write them before the kernel
    reads."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    file = tmp_path / "scaled.py"
    text = KERNEL.replace("FACTOR", "2.5").replace("float16", "float32")
    file.write_text(text, "utf-8")
    (host.tools / "inject").write_text(f"((float*)A_handle)[5] = {value};")
    done = run(host, str(file), "--size", "n=8", "--format", "json")
    assert done.returncode == 1, done.stderr
    (kernel,) = json.loads(done.stdout, parse_constant=refuse)["kernels"]
    (output,) = kernel["outputs"]
    assert (output["most"], output["agrees"], output["unequal"]) == (most, False, 1)
    assert output["norm"] == most


def test_sizes_are_numbers(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "scaled.py"
    file.write_text(KERNEL.replace("FACTOR", "2.5"), "utf-8")
    done = run(host, str(file), "--size", "n")
    assert done.returncode == 2 and "--size takes NAME=NUMBER" in done.stderr
    (host.tools / "quick").write_text("")
    other = run(host, str(file), "--size", "m=3")
    assert other.returncode == 1
    assert "scaled.0: the kernel has no size or scalar 'm'; there are: n" in other.stderr


def test_what_is_not_there_is_told_with_the_next_step(host: standins.Host, tmp_path: Path) -> None:
    """Without an evaluation, which may take long."""
    file = tmp_path / "scaled.py"
    file.write_text(KERNEL.replace("FACTOR", "2.5"), "utf-8")
    (host.tools / "quick").write_text("")
    shutil.rmtree(host.packages / "torch")
    done = run(host, str(file))
    assert done.returncode == 1 and "evaluating" not in done.stderr
    assert "import torch: ModuleNotFoundError" in done.stderr and DOCTOR in done.stderr
    broken = run(host, str(file), "--python", "no/such python")
    assert "no/such python does not start" in broken.stderr and DOCTOR in broken.stderr


def test_the_simulator_of_cann(host: standins.Host, tmp_path: Path) -> None:
    """Paths of this folder, and no torch at all."""
    (tmp_path / "scaled.py").write_text(KERNEL.replace("FACTOR", "2.5"), "utf-8")
    root = host.folder / "home/Ascend/ascend-toolkit/latest"
    assert "no simulator library for A3" in run(host, "scaled.py", "--camodel", cwd=tmp_path).stderr
    host.simulator(root)
    host.environment["TL_ASCEND_CACHE_DIR"] = "kept"
    shutil.rmtree(host.packages / "torch")
    done = run(host, "scaled.py", "--camodel", "--python", "tools/python3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "scaled.0 on simulator Ascend910B1\n  B float16[64, 64]: agrees" in done.stdout
    assert "running on CANN's simulator" in done.stderr
