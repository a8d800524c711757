"""The examples that serve models: emitted, evaluated and run, against their own numpy references."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.emit.serving import CASES, Case, reports
from tests.emit.test_numbers import Run, built_and_run
from tests.passes.cores import SIDES, code_of, disorder
from tests.passes.happens_before import races

import tl_ascend
from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.nodes import Buffer

TITLES = [case.title for case in CASES]
LONGEST = 6  # loop of these instances
AT_ONCE = [case for case in CASES if not case.concurrent]


def program(case: Case) -> Emitted:
    return support.emitted(emit_kernel(case.report(), registry.backend("ascendc")))


def close(case: Case, found: np.ndarray) -> None:
    np.testing.assert_allclose(found, case.want(), rtol=case.tolerance, atol=case.tolerance)


@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_it_evaluates_to_its_reference(case: Case) -> None:
    kernel = case.report().kernel
    found = tl_ascend.evaluate(kernel, *(a.copy() for a in case.inputs()))
    close(case, found)


@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_all_of_its_instances_are_emitted(case: Case) -> None:
    """The one for a model, too."""
    for kernel in reports(case.path):
        assert support.emitted(emit_kernel(kernel, registry.backend("ascendc"))).operations
    assert {kernel.origin for kernel in reports(case.path)} == {"call", "stated"}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """The programs, built into one and run once."""
    folder = tmp_path_factory.mktemp("serving")
    programs = {case.title: program(case) for case in AT_ONCE}
    runs = {case.title: Run(case.arguments(), case.want()) for case in AT_ONCE}
    for name, run in runs.items():
        (folder / f"{name}.in").write_bytes(b"".join(a.tobytes() for a in run.arguments))
    built_and_run(folder, programs, runs)
    return {case.title: written(folder / f"{case.title}.out", case) for case in AT_ONCE}


def written(path: Path, case: Case) -> np.ndarray:
    """The output, which stands behind the inputs."""
    data, before = path.read_bytes(), sum(a.nbytes for a in case.inputs())
    want = case.want()
    return np.frombuffer(data[before : before + want.nbytes], want.dtype).reshape(want.shape)


@pytest.mark.skipif(not support.GXX, reason="needs g++")
@pytest.mark.parametrize("case", AT_ONCE, ids=[case.title for case in AT_ONCE])
def test_its_program_computes(case: Case, results: dict[str, np.ndarray]) -> None:
    close(case, results[case.title])


@pytest.mark.skipif(not support.GXX, reason="needs g++")
@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_its_program_compiles(case: Case, tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(program(case).text, encoding="utf-8")
    built = support.compile_cpp("-fsyntax-only", source)
    assert built.returncode == 0, built.stderr[:4000]


@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_its_output_follows_its_inputs(case: Case) -> None:
    """What `written` and the callers of the kernel take for granted."""
    kernel = case.report().kernel
    at = len(case.inputs())
    out = kernel.params[at].value
    assert isinstance(out, Buffer) and kernel.options.out_idx in ((at,), (at - len(kernel.params),))


@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_nothing_meets_unordered(case: Case) -> None:
    """Neither the pipes of a core nor the two kinds of core."""
    lowered = case.report().lowered
    assert lowered is not None
    for core in SIDES:
        assert races(replace(lowered, body=code_of(lowered.body, core))) == []
    assert disorder(lowered, most=LONGEST) == []
