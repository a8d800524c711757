"""Emitted Ascend C programs agree with the evaluation, in whatever order the twin runs them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.generated.examine import FAMILIES
from tests.proofs import ascendc, common, mutate
from tests.proofs.twin import Twin

from tl_ascend.driver.check import KernelReport

SEEDS = 20
EXAMPLES = sorted((support.HERE.parents[1] / "examples").glob("*.py"))
pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return Twin(tmp_path_factory.mktemp("twin"))


# --- kernels that agree -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, len(FAMILIES), 3))
def test_a_generated_kernel(seed: int, twin: Twin) -> None:
    for name, report in ascendc.generated(range(seed, min(seed + 3, len(FAMILIES)))):
        outcome = ascendc.proved(twin, name, report, SEEDS, least=-2)
        assert not outcome.wrong, (name, outcome.text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example(path: Path, twin: Twin) -> None:
    for name, report in ascendc.of_files([str(path)]):
        assert ascendc.proved(twin, name, report, SEEDS).text == "agrees"


# --- mistakes that show -----------------------------------------------------------------------------

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n@T.prim_func\n"
COPY = """
a = T.alloc_ub((8, 64), "float32")
with T.Scope("V"):
    T.copy(x, a)
    T.set_flag("mte2", "v", 0)
    T.wait_flag("mte2", "v", 0)
    T.tile.add(a, a, 1.0)
    T.set_flag("v", "mte3", 0)
    T.wait_flag("v", "mte3", 0)
    T.copy(a, y)
"""
MTE2_V = ('T.set_flag("mte2", "v", 0)', 'T.wait_flag("mte2", "v", 0)')


def report_of(body: str) -> KernelReport:
    """A kernel with two tensors."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    text = (
        f'{HEAD}def main(x: T.Tensor((8, 64), "float32"), y: T.Tensor((8, 64), "float32")):\n'
        f"    with T.Kernel(1, is_npu=True) as (cid, vid):\n{lines}\n"
    )
    (report,) = support.report("case.py", text).kernels
    return report


def outcome_of(twin: Twin, body: str) -> str:
    """What the seeds say of it."""
    report = report_of(body)
    trial = common.evaluated("case", report)
    program = mutate.emitted(report.lowered, report)
    return twin.prove(trial, program, SEEDS).text


def test_a_kernel_with_its_flags_agrees(twin: Twin) -> None:
    assert outcome_of(twin, COPY) == "agrees"


def test_a_missing_flag_shows_and_is_named(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    text = outcome_of(twin, body)
    assert text.startswith("differs")
    assert "Adds on V does not wait for block 0 vector core 0 DataCopyPad on MTE2" in text


def test_what_only_its_author_left_out_is_told_apart(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    outcome = ascendc.proved(twin, "case", report_of(body), SEEDS)
    assert outcome.text.startswith("unordered") and outcome.by_author


def test_a_deadlock_is_named(twin: Twin) -> None:
    text = outcome_of(twin, COPY.replace(f"    {MTE2_V[0]}\n", ""))
    assert "deadlock: block 0 vector core 0: V waits for flag MTE2_V 0" in text


def test_two_sets_without_a_wait_are_reported(twin: Twin) -> None:
    text = outcome_of(twin, COPY.replace(f"    {MTE2_V[0]}\n", f"    {MTE2_V[0]}\n" * 2))
    assert "flag MTE2_V 0 is set twice without a wait between" in text


def test_a_flag_that_stays_set_is_reported(twin: Twin) -> None:
    text = outcome_of(twin, COPY.replace(f"    {MTE2_V[1]}\n", ""))
    assert "flag MTE2_V 0 is left set" in text


def test_an_illegal_id_is_reported(twin: Twin) -> None:
    body = COPY.replace('"mte2", "v", 0', '"mte2", "v", 8')
    assert "SetFlag: id 8 is not from 0 to 7" in outcome_of(twin, body)


def test_a_missing_barrier_shows(twin: Twin) -> None:
    body = COPY.replace("    T.tile.add(a, a, 1.0)\n", "    T.tile.add(a, a, 1.0)\n" * 2)
    assert "Adds on V does not wait for block 0 vector core 0 Adds on V" in outcome_of(twin, body)
    fixed = body.replace("    T.tile.add(a, a, 1.0)\n", "", 1)
    both = '    T.tile.add(a, a, 1.0)\n    T.pipe_barrier("v")\n    T.tile.add(a, a, 1.0)\n'
    assert outcome_of(twin, fixed.replace("    T.tile.add(a, a, 1.0)\n", both)) == "agrees"


# --- mutants ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vector_add", "gemm_manual_flags", "elementwise_parallel"])
def test_no_flag_of_an_example_can_be_left_out_unseen(name: str, twin: Twin) -> None:
    path = next(path for path in EXAMPLES if path.stem == name)
    for kernel, report in ascendc.of_files([str(path)]):
        outcomes = mutate.mutated(twin, kernel, report, SEEDS)
        assert isinstance(outcomes, dict), outcomes
        assert not [what for what, text in outcomes.items() if text.startswith("survives")]
        assert len(outcomes) >= 2


# --- comparison -------------------------------------------------------------------------------------


def test_a_difference_is_seen() -> None:
    want = np.array([1, 2, np.nan], np.float32)
    assert common.difference(want, want) == ""
    assert "first at [1]" in common.difference(np.array([1, 2.1, np.nan], np.float32), want)
    assert "first at [2]" in common.difference(np.array([1, 2, 3], np.float32), want)


def test_what_cancels_is_as_exact_as_what_was_added() -> None:
    want = np.full(2000, 1000, np.float16)
    want[7] = 1
    found = want.copy()
    found[7] = 5
    assert common.difference(found, want) == ""
    want[7:13], found[7:13] = 1, 5  # too many of them
    assert "first at [7]" in common.difference(found, want)


def test_one_seed_is_one_order(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    assert outcome_of(twin, body) == outcome_of(twin, body)
