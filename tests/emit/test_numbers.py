"""Emitted programs, run on the CPU twin, against numpy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.emit import support
from tests.emit.machine import machine_object

from tl_ascend.backends.manifest import Emitted

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


@dataclass(frozen=True)
class Run:
    """Arguments of a program, in order: arrays for tensors, numbers for scalars and dimensions.
    `want`: what the last tensor must hold afterwards."""

    arguments: list[Any]
    want: np.ndarray
    tolerance: float = 0.0


def draw(*shape: int, seed: int = 1, dtype: Any = np.float32) -> np.ndarray:
    """Small whole numbers, which every type holds exactly."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def product() -> Run:
    a, b = draw(64, 128, dtype=np.float16), draw(128, 96, seed=2, dtype=np.float16)
    want = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    return Run([a, b, np.zeros_like(want)], want)


def ragged_product() -> Run:
    a, b = draw(50, 100, dtype=np.float16), draw(30, 100, seed=2, dtype=np.float16)
    want = np.maximum(a.astype(np.float32) @ b.astype(np.float32).T, 0)
    return Run([a, b, np.zeros_like(want)], want)


def product_in_l0() -> Run:
    a, b = draw(96, 32, dtype=np.float16), draw(48, 96, seed=2, dtype=np.float16)
    once = a.astype(np.float32).T @ b.astype(np.float32).T
    want = np.stack([once, once])
    return Run([a, b, np.zeros_like(want)], want)


def softmax() -> Run:
    x = draw(24, 50)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    want = powers / powers.sum(axis=1, keepdims=True)
    return Run([x, np.zeros_like(x)], want, 1e-6)


def symbolic_sizes() -> Run:
    x = draw(37, 300)
    want = x.copy()
    want[:, :256] *= 3  # count is 2: two steps of 128 columns
    return Run([2, x, 3.0, draw(300), np.zeros_like(x), 37, 300], want)


def cut_tiles() -> Run:
    x = draw(20, 40)
    tile = np.ones((2, 16, 64), np.float32)
    tile[1, :10, 32:] = x[10:20, 0:32]
    tile[1, 10:, 32:] = 0
    tile[0, :, :32] = (tile[1, :, 32:] + tile[0, :, :32]) * 0.25
    want = np.zeros_like(x)
    want[10:20, :32] = tile[0, :10, :32]
    want[0:2, :32] = tile[0, :2, :32]
    return Run([x, np.zeros_like(x)], want)


def swizzled() -> Run:
    x = draw(256, 256, dtype=np.float16)
    want = x.reshape(4, 2, 32, 256).copy()
    want[:, 1] = 0  # the second vector core writes the lower half of each tile
    return Run([x, np.ones_like(x)], want.reshape(x.shape))


def one_vector_core() -> Run:
    x = draw(64, 1)
    return Run([x, np.zeros_like(x)], x * x)


def outside() -> Run:
    x = draw(130, 64, dtype=np.float16)
    blocks = [x[at : at + 64].astype(np.float32) for at in range(0, 130, 64)]
    padded = [np.pad(b, ((0, 64 - len(b)), (0, 0))) for b in blocks]
    want = np.concatenate([p @ p for p in padded])[:130]
    return Run([x, np.zeros_like(want), 130], want)


def masked_sum() -> Run:
    x, y = draw(20, 64), draw(20, 64, seed=2)
    return Run([x, y, np.zeros_like(x)], np.where(x < y, x + y, -1))


def scalars() -> Run:
    x, h = draw(64), draw(64, seed=2, dtype=np.float16)
    picks = np.arange(64, dtype=np.int32) % 8 + 1
    tile, total = x.copy(), np.float32(0.5)
    for i in range(4):
        pick = int(picks[i])
        total = np.float32(total + tile[pick % 8] * 2)
        tile[(i - 3) // 4 + 1] = min(total, max(tile[i], np.float32(1)))
        tile[(i - 3) % 5] = 1.0 if pick // 3 > 2 else tile[i]
    want = np.zeros((64, 64), np.float32)
    want[picks[5]] = tile
    return Run([x, h, picks, np.zeros_like(want)], want)


def unsigned_numbers() -> Run:
    """Modulo 2**32 in each operation, as numpy's arrays do it."""
    u = lambda number: np.uint32([number])  # noqa: E731
    x = (250_000_001 * np.arange(16) % 2**32).astype(np.uint32)
    x[:8] = np.arange(8)
    want, state = np.zeros(48, np.uint32), u(12345)
    for i, a in enumerate(x.reshape(16, 1)):
        state = state * u(1664525) + u(1013904223)
        want[i] = ((a * u(2654435761) ^ state) >> u(7))[0]
        want[16 + i] = ((a - u(3)) // u(1000) % u(77))[0]
        want[32 + i] = min((a - u(5))[0], 9) if (a - u(3))[0] < 5 else 99
    return Run([x, np.zeros(48, np.uint32)], want)


def scalar_functions() -> Run:
    """Also of what is no number, infinite, or whole because it is large."""
    odd = [np.nan, np.inf, -np.inf, -0.0, 0.49999997, -0.3, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5]
    odd += [8388607.5, -8388607.5, 8388609.0, -1e30, 16777215.0]
    x = np.array([*odd, *np.linspace(-4, 4, 32 - len(odd))], np.float32)
    n = (250_000_001 * np.arange(32) % 2**32).astype(np.uint32).astype(np.int32)
    n[:4] = 0, 1, -1, -(2**31)
    half_away = np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x)
    whole = [np.floor(x), np.ceil(x), half_away, np.trunc(x), np.rint(x)]
    bits = [int(k) % 2**32 for k in n]
    count = [value.bit_count() for value in bits]
    zeros = [32 - value.bit_length() for value in bits]
    wide = [64 - (int(k) % 2**64).bit_length() + (int(k) % 256).bit_count() for k in n]
    told = [np.where(found(x), 1, 0.5) for found in (np.isnan, np.isinf, np.isfinite)]
    with np.errstate(over="ignore"):
        want = np.stack([*whole, *told, count, zeros, wide, x * x, n % 100]).astype(np.float32)
    return Run([x, n, np.zeros_like(want)], want)


def partial_moves() -> Run:
    odd, even = draw(10, 5), draw(12, 8, seed=2)
    want = np.zeros((24, 8), np.float32)
    want[0:12] = -1
    want[2:7] = even[:5]
    want[12] = [*odd[9, 1:5], 7, 7, 7, 7]
    want[13:18] = odd[0:8].reshape(5, 8)
    return Run([5, odd, even, np.zeros_like(want)], want)


def row_values() -> Run:
    x, factors = draw(16, 256), draw(16, seed=2)
    want = x * factors[:, None]
    want[:, 128:] -= factors[:, None]
    want *= factors[:, None]
    return Run([x, factors, np.zeros_like(x)], want)


def choices() -> Run:
    a, b = draw(32, 64), draw(32, 64, seed=2)
    h, w = draw(64, 32, seed=3, dtype=np.float16), draw(32, 128, seed=4, dtype=np.int32) * 3
    i, j = np.indices((32, 64))
    want = np.zeros((10, 32, 64), np.float32)
    want[0] = np.where(a > b, a, 2 - b)
    want[1] = np.where(a > 0, b + 1, 0.5)
    want[2] = np.where(j + 7 > i, -100, a)
    want[3] = np.where(a >= -1, np.where(b != 2, 8 / (b - 8), 64), want[2])
    want[4] = a + (3 * j - 2 * i)
    want[5] = h.T * 2
    want[6] = w[:, 1::2] // 4
    want[7] = a * 2
    want[8] = np.where(~(a < 1) | (b == -3), b * b, a)
    want[9] = np.trunc(a / 4)
    return Run([a, b, h, w, np.zeros_like(want)], want, 1e-6)


RUNS: dict[str, Callable[[], Run]] = {
    f.__name__: f
    for f in (
        product,
        ragged_product,
        product_in_l0,
        softmax,
        symbolic_sizes,
        cut_tiles,
        swizzled,
        one_vector_core,
        outside,
        masked_sum,
        scalars,
        unsigned_numbers,
        scalar_functions,
        partial_moves,
        row_values,
        choices,
    )
}


def main_text(programs: dict[str, Emitted], runs: dict[str, Run]) -> str:
    """The host program: reads the tensors of each run, calls it, writes them back."""
    parts = ["int main() {"]
    for at, name in enumerate(programs):
        arrays = [a for a in runs[name].arguments if isinstance(a, np.ndarray)]
        sizes = ", ".join(str(a.nbytes) for a in arrays)
        passed, tensor = [], 0
        for argument in runs[name].arguments:
            if isinstance(argument, np.ndarray):
                passed.append(f"tensors[{tensor}].data()")
                tensor += 1
            else:
                passed.append(repr(argument))
        parts.append(f'  {{ auto tensors = files::read("{name}.in", {{{sizes}}});')
        parts.append(f"  unit_{at}::call_{at}({', '.join(passed)}, nullptr);")
        parts.append(f'  files::write("{name}.out", tensors); }}')
    return "\n".join([*parts, "}"]) + "\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, np.ndarray]]:
    """All programs, built and run once."""
    programs = {name: support.first(support.HERE / "kernels" / f"{name}.py") for name in RUNS}
    runs = {name: make() for name, make in RUNS.items()}
    return executed(tmp_path_factory.mktemp("run"), programs, runs)


def executed(
    folder: Path, programs: dict[str, Emitted], runs: dict[str, Run]
) -> dict[str, tuple[Run, np.ndarray]]:
    """Build programs into one, run it, and read the last tensor of each."""
    for name, run in runs.items():
        arrays = [a for a in run.arguments if isinstance(a, np.ndarray)]
        (folder / f"{name}.in").write_bytes(b"".join(a.tobytes() for a in arrays))
    built_and_run(folder, programs, runs)
    return {name: (run, _last(folder / f"{name}.out", run)) for name, run in runs.items()}


def built_and_run(folder: Path, programs: dict[str, Emitted], runs: dict[str, Run]) -> None:
    """One program of all, which reads what is in the folder and writes its results there."""
    source = folder / "all.cpp"
    text = support.together(programs) + main_text(programs, runs)
    source.write_text('#include "files.h"\n' + text, encoding="utf-8")
    program = folder / "all"
    data = f"-I{support.HERE / 'data'}"
    built = support.compile_cpp(data, source, machine_object(), "-o", program)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout


def _last(path: Path, run: Run) -> np.ndarray:
    """The last tensor that was written back."""
    data = path.read_bytes()
    return np.frombuffer(data[-run.want.nbytes :], run.want.dtype).reshape(run.want.shape)


@pytest.mark.parametrize("name", RUNS)
def test_program_computes(name: str, results: dict[str, tuple[Run, np.ndarray]]) -> None:
    run, found = results[name]
    np.testing.assert_allclose(found, run.want, rtol=run.tolerance, atol=run.tolerance)


def test_whole_numbers_keep_the_sign_of_zero(results: dict[str, tuple[Run, np.ndarray]]) -> None:
    run, found = results["scalar_functions"]
    zero = run.want[:5] == 0
    np.testing.assert_array_equal(np.signbit(found[:5][zero]), np.signbit(run.want[:5][zero]))
