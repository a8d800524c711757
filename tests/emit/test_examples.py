"""The examples, emitted and run on the CPU twin, against their numpy references. (tests/proofs asks
whether their flags suffice.)"""

from __future__ import annotations

import numpy as np
import pytest
from tests.emit import support
from tests.emit.serving import CASES, reference_of
from tests.emit.test_numbers import Run, draw, executed

from tl_ascend.backends.manifest import Emitted

EXAMPLES = support.HERE.parents[1] / "examples"
pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


def program(name: str, call: str, smaller: str) -> Emitted:
    """An example in a smaller instance."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(call) == 1
    (outcome,) = support.outcomes(f"{name}.py", text.replace(call, smaller))
    return support.emitted(outcome)


def reference(name: str, *inputs: np.ndarray) -> np.ndarray:
    """What an example says of itself."""
    made: np.ndarray = reference_of(EXAMPLES / f"{name}.py")(*inputs)
    return made


def vector_add() -> tuple[Emitted, Run]:
    a, b = draw(64, 128), draw(64, 128, seed=2)
    emitted = program("vector_add", "vector_add(1024, 1024, 8)", "vector_add(64, 128, 8)")
    return emitted, Run([a, b, np.zeros_like(a)], reference("vector_add", a, b))


def elementwise_parallel() -> tuple[Emitted, Run]:
    x = draw(64, 64)
    emitted = program("elementwise_parallel", "swish(2048, 512, 16)", "swish(64, 64, 16)")
    return emitted, Run([x, np.zeros_like(x)], reference("elementwise_parallel", x), 1e-6)


def gemm() -> tuple[Emitted, Run]:
    a, b = draw(100, 130, dtype=np.float16), draw(130, 200, seed=2, dtype=np.float16)
    call = "gemm(sizes.m, sizes.n, sizes.k, 128, 256, 64)"
    want = reference("gemm", a, b)
    emitted = program("gemm", call, "gemm(100, 200, 130, 64, 128, 64)")
    return emitted, Run([a, b, np.zeros_like(want)], want)


def gemm_manual_flags() -> tuple[Emitted, Run]:
    a, b = draw(64, 192, dtype=np.float16), draw(192, 128, seed=2, dtype=np.float16)
    call = "gemm_pingpong(1024, 1024, 1024, 128, 128, 64)"
    want = reference("gemm_manual_flags", a, b)
    emitted = program("gemm_manual_flags", call, "gemm_pingpong(64, 128, 192, 32, 64, 64)")
    return emitted, Run([a, b, np.zeros_like(want)], want)


def online_softmax() -> tuple[Emitted, Run]:
    x = draw(32, 256)
    want = reference("online_softmax", x)
    call = "online_softmax(512, 8192, 8, 1024)"
    emitted = program("online_softmax", call, "online_softmax(32, 256, 8, 64)")
    return emitted, Run([x, np.zeros_like(x)], want, 1e-5)


MAKE = (vector_add, elementwise_parallel, gemm, gemm_manual_flags, online_softmax)
NAMES = [f.__name__ for f in MAKE]


def test_every_example_is_held_against_its_reference() -> None:
    named = {path.stem for path in EXAMPLES.glob("*.py")}
    assert named == {*NAMES, *(case.name for case in CASES)}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, np.ndarray]]:
    """All examples, built and run once."""
    folder = tmp_path_factory.mktemp("examples")
    made = {f.__name__: f() for f in MAKE}
    programs = {name: emitted for name, (emitted, _) in made.items()}
    runs = {name: run for name, (_, run) in made.items()}
    return executed(folder, programs, runs)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_computes(name: str, results: dict[str, tuple[Run, np.ndarray]]) -> None:
    run, found = results[name]
    np.testing.assert_allclose(found, run.want, rtol=run.tolerance, atol=run.tolerance)
