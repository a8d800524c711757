"""Emitted Ascend C programs agree with the evaluation, in whatever order the twin runs them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.emit import support
from tests.proofs import ascendc, common, mutate
from tests.proofs.twin import Race, Twin, the_twin

from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import Outcome, emit_kernel

SEEDS = 20
GENERATED, TOGETHER = 40, 20  # kernels, at least one of each family
EXAMPLES = sorted((support.HERE.parents[1] / "examples").glob("*.py"))
pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


@pytest.fixture(scope="module")
def twin() -> Twin:
    return the_twin()


# --- kernels that agree -----------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, GENERATED, TOGETHER))
def test_generated_kernels(first: int, twin: Twin) -> None:
    kernels = list(ascendc.generated(range(first, first + TOGETHER)))
    for name, _, outcome in ascendc.proved_all(twin, kernels, SEEDS, least=-2):
        assert outcome.text == "agrees", (name, outcome.text)


def test_an_example(twin: Twin) -> None:
    kernels = list(ascendc.of_files(list(map(str, EXAMPLES))))
    outcomes = {name: o.text for name, _, o in ascendc.proved_all(twin, kernels, SEEDS)}
    assert len(outcomes) >= len(EXAMPLES) and set(outcomes.values()) == {"agrees"}, outcomes


@pytest.mark.parametrize(
    "name", ["each_half_alone", "tiles_from_below", "from_the_turn_before", "without_scope"]
)
def test_halves_that_are_meant_alone(twin: Twin, name: str) -> None:
    """The evaluation and the flags of the compiler know alike what a read above a write means; code of
    both cores, of which each does what concerns its memories."""
    path = support.HERE / "kernels" / f"{name}.py"
    ((_, report),) = ascendc.of_files([str(path)])
    assert ascendc.proved(twin, "case", report, SEEDS).text == "agrees"


@pytest.mark.parametrize(
    "name", ["slots_of_part_fractals", "meeting_of_vectors", "functions_of_sizes"]
)
def test_kernels_that_numbers_must_confirm(twin: Twin, name: str) -> None:
    """Each version of a tile has whole fractals, as transfers and products touch them; vector cores do
    not wait for cube cores that have left."""
    path = support.HERE / "kernels" / f"{name}.py"
    ((_, report),) = ascendc.of_files([str(path)])
    assert ascendc.proved(twin, "case", report, SEEDS).text == "agrees"


def test_a_smaller_instance_is_compiled_as_the_larger_one(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of the compiler says how, and is made for the larger one only."""
    monkeypatch.chdir(tmp_path)
    Path("case.py").write_text(COMPILED, encoding="utf-8")
    ((_, report),) = ascendc.of_files(["case.py"])
    assert "1024" not in report.instance
    assert ascendc.proved(twin, "case", report, SEEDS).text == "agrees"


COMPILED = """
import tilelang
import tilelang.language as T


def doubled(M, N):
    @T.prim_func
    def main(x: T.Tensor((M, N), "float32"), y: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 32, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, N), "float32")
            T.copy(x[cid * 32 + vid * 16, 0], a)
            T.tile.add(a, a, a)
            T.copy(a, y[cid * 32 + vid * 16, 0])

    return main


def run(M):
    func = doubled(M, 256)
    options = {"tl.ascend_auto_sync": True, "tl.ascend_auto_cv_combine": True}
    return tilelang.compile(func, out_idx=[-1], pass_configs=options)


run(1024)
"""

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


def kernel_text(body: str) -> str:
    """A file with a kernel with two tensors."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return (
        f'{HEAD}def main(x: T.Tensor((8, 64), "float32"), y: T.Tensor((8, 64), "float32")):\n'
        f"    with T.Kernel(1, is_npu=True) as (cid, vid):\n{lines}\n"
    )


def report_of(body: str) -> KernelReport:
    (report,) = support.report("case.py", kernel_text(body)).kernels
    return report


def outcome_of(twin: Twin, body: str) -> str:
    """What the seeds say of it."""
    report = report_of(body)
    trial = common.evaluated("case", report)
    program = mutate.emitted(report.lowered, report)
    return twin.prove(trial, program, SEEDS).text


def test_a_kernel_with_its_flags_agrees(twin: Twin) -> None:
    assert outcome_of(twin, COPY) == "agrees"


CHOICE = """
a = T.alloc_ub((8, 64), "float32")
b = T.alloc_ub((8, 64), "float32")
mask = T.alloc_ub((64,), "uint8")
with T.Scope("V"):
    T.copy(x, a)
    T.barrier_all()
    T.tile.mul(b, a, -1.0)
    T.barrier_all()
    T.tile.compare(mask, a, b, "GT")
    T.barrier_all()
    T.tile.select(a, mask, a, b, "{mode}")
    T.barrier_all()
    T.copy(a, y)
"""


@pytest.mark.parametrize("mode", ["VSEL_CMPMASK_SPR", "VSEL_TENSOR_TENSOR_MODE"])
def test_each_way_to_choose_by_bits(twin: Twin, mode: str) -> None:
    """By the mask register: each repeat takes the same bits."""
    assert outcome_of(twin, CHOICE.format(mode=mode)) == "agrees"


def test_a_missing_flag_shows_and_is_named(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    text = outcome_of(twin, body)
    assert text.startswith("differs")
    assert "Adds on V does not wait for block 0 vector core 0 DataCopyPad on MTE2" in text


def test_what_only_its_author_left_out_is_told_apart(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    outcome = ascendc.proved(twin, "case", report_of(body), SEEDS)
    assert outcome.kind == "unordered"
    assert outcome.reason.startswith("TL406 a: V reads it here, MTE2 writes it in T.copy")


def test_calls_of_one_pipe_without_a_barrier_are_told_apart(twin: Twin) -> None:
    body = COPY.replace("T.tile.add(a, a, 1.0)", "T.tile.add(a, a, 1.0)\n    T.tile.exp(a, a)")
    body = body.replace("    T.copy(a, y)", "    if vid == 0:\n        T.copy(a, y)")
    outcome = ascendc.proved(twin, "case", report_of(body), SEEDS)
    assert outcome.kind == "unordered"
    assert outcome.reason.startswith("only calls of one pipe")


def test_a_wrong_id_of_its_author_is_told_apart(twin: Twin) -> None:
    outcome = ascendc.proved(
        twin, "case", report_of(COPY.replace('"mte2", "v", 0', '"mte2", "v", 8')), SEEDS
    )
    assert outcome.kind == "unordered" and outcome.reason.startswith("TL402 ")


def test_a_wrong_id_beside_flags_of_the_compiler_is_its_authors(twin: Twin) -> None:
    text = kernel_text(COPY.replace('"mte2", "v", 0', '"mte2", "v", 8'))
    text = text.replace(
        "@T.prim_func", "@tilelang.jit(pass_configs={'tl.ascend_auto_sync': True})\n@T.prim_func"
    )
    (report,) = support.report("case.py", text).kernels
    outcome = ascendc.proved(twin, "case", report, SEEDS)
    assert outcome.kind == "unordered" and outcome.reason.startswith("TL402 ")


def test_a_flag_between_cores_that_one_core_forgets_is_its_authors(twin: Twin) -> None:
    """Both vector cores get it."""
    wait = "    if vid == 0:\n        T.wait_cross_flag(1)\n"
    body = COPY.replace("    T.copy(a, y)", f"{wait}    T.copy(a, y)")
    body += 'with T.Scope("C"):\n    T.set_cross_flag("FIX", 1)\n'
    outcome = ascendc.proved(twin, "case", report_of(body), SEEDS)
    assert outcome.kind == "unordered"
    assert "vector core 1: flag 1 between cores is left set" in outcome.reason


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


@pytest.mark.parametrize(
    "name", ["vector_add", "gemm_manual_flags", "gemm", "elementwise_parallel"]
)
def test_no_flag_of_an_example_can_be_left_out_unseen(name: str, twin: Twin) -> None:
    path = next(path for path in EXAMPLES if path.stem == name)
    for kernel, report in ascendc.of_files([str(path)]):
        outcomes = mutate.mutated(twin, kernel, report, SEEDS)
        assert isinstance(outcomes, dict), outcomes
        assert not [what for what, text in outcomes.items() if text.startswith("survives")]
        assert len(outcomes) >= 2


def races_of(twin: Twin, body: str) -> list[Race]:
    report = report_of(body)
    trial = common.evaluated("case", report)
    with twin.built(trial, mutate.emitted(report.lowered, report)) as built:
        return built.disorder()


ADD = "    T.tile.add(a, a, 1.0)\n"
FILL = '    T.pipe_barrier("v")\n    T.tile.fill(a, 2.0)\n'
FILLS = FILL * 2


def test_what_writes_the_same_again_needs_no_barrier(twin: Twin) -> None:
    """The sum reads 2.0 with the second fill or without it."""
    for first, harms in (("2.0", False), ("3.0", True)):
        found = races_of(twin, COPY.replace(ADD, FILLS.replace("2.0", first, 1) + ADD))
        race = next(r for r in found if r.text.endswith("core 0 Duplicate on V"))
        assert race.text.startswith("RAW: block 0 vector core 0 Adds on V") and race.harms == harms


FAR = """
a = T.alloc_ub((8, 64), "float32")
with T.Scope("V"):
    T.copy(x, a)
    T.set_flag("mte2", "v", 0)
    T.wait_flag("mte2", "v", 0)
    for i in T.serial(8):
        T.tile.add(a[i, :], a[i, :], 1.0)
    T.pipe_barrier("v")
    for i in T.serial(8):
        T.tile.mul(a[i, :], a[i, :], 2.0)
    T.set_flag("v", "mte3", 0)
    T.wait_flag("v", "mte3", 0)
    T.copy(a, y)
"""


def test_a_barrier_between_calls_that_are_far_apart_is_needed(twin: Twin) -> None:
    """Seeds may miss it: seven calls must end before the eighth does. That one is held back."""
    report = report_of(FAR)
    outcomes = mutate.mutated(twin, "case", report, 1)
    assert isinstance(outcomes, dict)
    assert outcomes['V: pipe_barrier("v") no. 1'].startswith("shows: ")


OVERWRITTEN = """
a = T.alloc_ub((64,), "float32")
b = T.alloc_ub((64,), "float32")
with T.Scope("V"):
    T.copy(x[0, :], a)
    T.set_flag("mte2", "v", 0)
    T.wait_flag("mte2", "v", 0)
    T.tile.add(b, a, 1.0)
    T.pipe_barrier("v")
    T.tile.fill(a, 2.0)
    T.set_flag("v", "mte3", 0)
    T.wait_flag("v", "mte3", 0)
    T.copy(b, y[0, :])
"""


def test_a_barrier_between_a_read_and_the_next_write_of_the_vector_unit_is_needed(
    twin: Twin,
) -> None:
    outcomes = mutate.mutated(twin, "case", report_of(OVERWRITTEN), SEEDS)
    assert isinstance(outcomes, dict)
    shown = outcomes['V: pipe_barrier("v") no. 1']
    assert shown.startswith("shows: ") and "WAR: " in shown


def test_disorder_of_early_blocks_is_not_forgotten(twin: Twin) -> None:
    """More blocks than are there at a time: what the first ones do is told, too."""
    body = FAR.replace('    T.pipe_barrier("v")\n', "")
    body = body.replace(
        "    for i in T.serial(8):\n        T.tile.mul",
        "    if cid == 0:\n" + " " * 8 + "T.tile.mul",
    )
    body = body.replace("a[i, :], a[i, :], 2.0", "a, a, 2.0")
    text = kernel_text(body).replace("T.Kernel(1,", "T.Kernel(40,")
    (report,) = support.report("case.py", text).kernels
    trial = common.evaluated("case", report)
    with twin.built(trial, mutate.emitted(report.lowered, report)) as built:
        assert any("block 0 vector core 0 Muls on V" in race for race in built.races())


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


def test_a_program_that_does_not_compile_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def damaged(*arguments: object) -> Outcome:
        made = emit_kernel(*arguments)
        text = made.emitted.text.replace("AscendC::Add(", "AscendC::Ad(")
        return replace(made, emitted=replace(made.emitted, text=text))

    monkeypatch.setattr(ascendc, "emit_kernel", damaged)
    body = 'a = T.alloc_ub((64, 64), "float")\nT.copy(x, a)\nT.tile.add(a, a, a)\nT.copy(a, x)'
    path = tmp_path / "case.py"
    path.write_text(support.kernel(body, blocks="1"), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["ascendc", str(path), "--seeds", "1"])
    assert ascendc.main() == 1
    assert "main: does not compile: " in capsys.readouterr().out


def test_one_seed_is_one_order(twin: Twin) -> None:
    body = COPY.replace(f"    {MTE2_V[0]}\n", "").replace(f"    {MTE2_V[1]}\n", "")
    assert outcome_of(twin, body) == outcome_of(twin, body)
