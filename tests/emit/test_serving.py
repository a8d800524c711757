"""The examples that serve models: emitted, evaluated and run, against their own numpy references."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.emit import support
from tests.emit.serving import CASES, Case, reports
from tests.passes.cores import SIDES, code_of, disorder
from tests.passes.happens_before import races
from tests.proofs.twin import Twin, the_twin

import tl_ascend
from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.nodes import Buffer

TITLES = [case.title for case in CASES]
LONGEST = 6  # loop of these instances
SEEDS = 5  # orders of a program


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
def twin() -> Twin:
    return the_twin()


@pytest.mark.skipif(not support.GXX, reason="needs g++")
@pytest.mark.parametrize("case", CASES, ids=TITLES)
def test_its_program_computes_in_any_order(case: Case, twin: Twin) -> None:
    trial = case.trial()
    with twin.built(trial, program(case)) as built:
        assert not isinstance(built, str), built
        outcome = built.run(SEEDS)
        assert outcome.text == "agrees"
        for found in built.outputs():
            close(case, found[len(case.inputs())])


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
