"""Ways out that notes propose."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.compare import analyse

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.fixing import edited

THROUGH = """import tilelang
import tilelang.language as T

P = tilelang.PassConfigKey


@tilelang.jit(pass_configs={
    P.TL_ASCEND_AUTO_CV_SYNC: True, P.TL_ASCEND_AUTO_CV_COMBINE: True, P.TL_ASCEND_AUTO_SYNC: True
})
def through(n):
    @T.prim_func
    def main(
        A: T.Tensor((n, 64), "float16"),
        first: T.Tensor((n, 64), "float32"),
        second: T.Tensor((n, 64), "float32"),
        THIRD: T.Tensor((n, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            T.copy(A[0, 0], a)
            T.gemm_v0(a, a, c, init=True)
            T.copy(c, first[0, 0])
            T.copy(c, second[0, 0])
            T.copy(first[vid * 32, 0], u)
            T.tile.exp(u, u)
            T.copy(u, THIRD[vid * 32, 0])
            T.copy(second[vid * 32, 0], u)
            T.tile.exp(u, u)
            T.copy(u, THIRD[vid * 32, 0])

    return main


through(64)
"""


@pytest.mark.parametrize(("third", "wanted"), [("C", "12"), ("workspace_1", "23")])
def test_each_workspace_gets_a_name_of_its_own(third: str, wanted: str) -> None:
    found = analyse("/case/kernel.py", THROUGH.replace("THIRD", third), "A3").diagnostics
    notes = [note for one in found if one.code == "TL403" for note in one.notes]
    assert [note.split(",")[0] for note in notes] == [f"Call it workspace_{n}" for n in wanted]


@pytest.mark.parametrize("on", [True, False])
def test_a_round_trip_waits_for_a_flag_where_there_is_one(on: bool) -> None:
    text = THROUGH.replace("AUTO_CV_SYNC: True", f"AUTO_CV_SYNC: {on}")
    text = text.replace("T.copy(c, first[0, 0])", "T.copy(c, u)").replace("THIRD", "C")
    found = analyse("/case/kernel.py", text, "A3").diagnostics
    (one,) = [one for one in found if one.code == "TL816"]
    assert ("waits for a flag" in one.notes[0]) is on
    assert ("no flag makes it wait" in one.notes[0]) is not on


RING = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((2, 64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            for t in T.serial(4):
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.wait_cross_flag(2 + t % 2)
                T.copy(c, W[t % 2, 0, 0])
                SET
        with T.Scope("V"):
            for s in T.serial(2):
                T.set_cross_flag("MTE2", 2 + s)
            for t in T.serial(4):
                WAIT
                T.copy(W[t % 2, vid * 32, 0], u)
                T.barrier_all()
                T.set_cross_flag("MTE2", 2 + t % 2)
            T.wait_cross_flag(9)
        with T.Scope("C"):
            T.set_cross_flag("FIX", 9)
"""


@pytest.mark.parametrize(
    ("signal", "wait", "wanted"),
    [
        ('T.set_cross_flag("MTE2", t % 2)', "T.wait_cross_flag(t % 2)", 'write "FIX"'),
        ('T.set_cross_flag("mte2", 1)', "T.wait_cross_flag(1)", 'write "FIX"'),
        ("T.barrier_all()", "T.barrier_all()", 'Add T.set_cross_flag("FIX", 0) behind T.copy'),
        (
            'T.barrier_all(); T.set_cross_flag("FIX", t % 2)',
            "T.barrier_all()",
            "Add T.wait_cross_flag(t % 2) before this: the flag is set",
        ),
    ],
)
def test_a_set_that_is_there_is_named_and_else_a_free_flag(
    signal: str, wait: str, wanted: str
) -> None:
    text = RING.replace("SET", signal).replace("WAIT", wait)
    found = analyse("/case/kernel.py", text, "A3").diagnostics
    (race,) = [one for one in found if one.code == "TL407"]
    assert wanted in race.notes[0]


SLOTS = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((2, 64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            for t in T.serial(6):
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.wait_cross_flag(2 + t % 2)
                T.copy(c, W[t % 2, 0, 0])
                T.set_cross_flag("FIX", t % 2)
                T.barrier_all()
            for s in T.serial(2):
                T.wait_cross_flag(2 + s)
        with T.Scope("V"):
            for s in T.serial(2):
                T.set_cross_flag("MTE2", 2 + s)
            for t in T.serial(6):
                T.wait_cross_flag(t % 2)
                T.copy(W[t % 2, vid * 32, 0], u)
                T.set_cross_flag("MTE2", 2 + t % 2)
                T.barrier_all()
"""


@pytest.mark.parametrize(
    ("old", "new", "where", "wanted"),
    [
        (
            "T.wait_cross_flag(2 + t % 2)\n",
            "T.barrier_all()\n",
            "FIX of the cube core writes",
            "Add T.wait_cross_flag(2 + t % 2) before this: the flag is set",
        ),
        (
            "T.wait_cross_flag(t % 2)\n",
            "T.barrier_all()\n",
            "MTE2 of a vector core reads",
            "Add T.wait_cross_flag(t % 2) before this: the flag is set",
        ),
        (
            "T.copy(W[t % 2,",
            "T.copy(W[0,",
            "FIX of the cube core writes",
            'Add T.set_cross_flag("MTE2", 4) behind T.copy and T.wait_cross_flag(4) before this. '
            "Set it once before the loop there, too, and wait for it once behind the loop here.",
        ),
        (
            'T.set_cross_flag("MTE2", 2 + s)\n',
            'T.set_cross_flag("MTE2", 2 + s)\n                T.set_cross_flag("MTE2", 2 + s)\n',
            "FIX of the cube core writes",
            "take one set away",
        ),
    ],
)
def test_what_orders_two_cores_is_tried(old: str, new: str, where: str, wanted: str) -> None:
    assert old in SLOTS
    found = analyse("/case/kernel.py", SLOTS.replace(old, new), "A3").diagnostics
    (race,) = [one for one in found if one.code == "TL407"]
    assert where in race.message
    assert wanted in race.notes[0]


# The cube core is two turns ahead at most: no flag is set before the loops.
AHEAD = SLOTS.replace("T.wait_cross_flag(2 + t % 2)", "if t >= 2: T.wait_cross_flag(2)")
AHEAD = AHEAD.replace("T.wait_cross_flag(2 + s)", "T.wait_cross_flag(2)")
AHEAD = AHEAD.replace('T.set_cross_flag("MTE2", 2 + s)', "pass")
AHEAD = AHEAD.replace('T.set_cross_flag("MTE2", 2 + t % 2)', 'T.set_cross_flag("MTE2", 2)')


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        (
            "    T.wait_cross_flag(t % 2)",
            "    if vid == 0: T.wait_cross_flag(t % 2)",
            "before the branch",
        ),
        ("t >= 2", "t > 2", "The condition of T.wait_cross_flag(2) keeps it from waiting"),
        (
            "if t >= 2: T.wait_cross_flag(2)",
            "pass",
            "Add `if t >= 2: T.wait_cross_flag(2)` before this: the flag is set",
        ),
        ('T.set_cross_flag("MTE2", 2)', 'T.set_cross_flag("V", 2)', 'write "MTE2"'),
    ],
)
def test_a_flag_that_only_some_wait_for_goes_before_a_new_one(
    old: str, new: str, wanted: str
) -> None:
    assert not [
        one for one in analyse("/case/kernel.py", AHEAD, "A3").diagnostics if one.severity >= 3
    ]
    found = analyse("/case/kernel.py", AHEAD.replace(old, new), "A3").diagnostics
    (race,) = [one for one in found if one.severity >= Severity.ERROR]
    assert race.code == "TL407"
    assert wanted in race.notes[0]


@pytest.mark.parametrize("kernel", [SLOTS, AHEAD], ids=["each", "one"])
@pytest.mark.parametrize("copy", ["T.copy(c, W[t % 2, 0, 0])", "T.copy(W[t % 2, vid * 32, 0], u)"])
def test_a_set_that_comes_too_early_is_named(kernel: str, copy: str) -> None:
    lines = kernel.splitlines()
    at = next(number for number, line in enumerate(lines) if copy in line)
    call = lines[at + 1].strip()
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    found = analyse("/case/kernel.py", "\n".join(lines), "A3").diagnostics
    (race,) = [one for one in found if one.code == "TL407"]
    assert race.notes[0].startswith(f"{call} stands before T.copy")
    assert race.notes[0].endswith("move it behind T.copy.")


def test_the_slots_are_in_order() -> None:
    found = analyse("/case/kernel.py", SLOTS, "A3").diagnostics
    assert not [one for one in found if one.code in ("TL405", "TL407")]


def test_a_set_that_nobody_waits_for_is_the_cause_wherever_it_shows() -> None:
    text = Path("examples/flash_attention.py").read_text()
    assert text.count("T.wait_cross_flag(WEIGHTS)\n") == 1
    text = text.replace("T.wait_cross_flag(WEIGHTS)\n", "pass\n")
    (race,) = analyse("/case/kernel.py", text, "A3").diagnostics
    assert race.notes[0] == (
        "Add T.wait_cross_flag(1) before T.copy: the flag is set, and nobody waits for it."
    )


TURNS = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 16), "float32"), I: T.Tensor((16,), "int32"), B: T.Tensor((4, 16), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 16), "float32")
        i = T.alloc_ub((16,), "int32")
        y = T.alloc_ub((4, 16), "float32")
        with T.Scope("V"):
            T.copy(I, i)
            T.barrier_all()
            for s in T.serial(2):
                T.set_flag("v", "mte2", s + 1)
            for t in T.serial(4):
                T.wait_flag("v", "mte2", t % 2 + 1)
                T.copy(A[t, :], x[t % 2, :])
                T.set_flag("mte2", "v", t % 2)
                T.wait_flag("mte2", "v", t % 2)
                T.tile.exp(y[t, :], x[t % 2, :])
                T.set_flag("v", "mte2", t % 2 + 1)
            for s in T.serial(2):
                T.wait_flag("v", "mte2", s + 1)
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            T.copy(y, B)
"""


@pytest.mark.parametrize(
    ("lost", "wanted"),
    [
        (
            ('T.set_flag("v", "mte3", 0)\n', 'T.wait_flag("v", "mte3", 0)\n'),
            'Add T.set_flag("v", "mte3", 0) behind the loop around T.tile.exp and '
            'T.wait_flag("v", "mte3", 0) before this.',
        ),
        (
            ('                T.set_flag("v", "mte2", t % 2 + 1)\n',),
            'Add T.set_flag("v", "mte2", t % 2 + 1) behind what has to be done before.',
        ),
    ],
)
def test_a_flag_is_as_often_set_as_waited_for(lost: tuple[str, ...], wanted: str) -> None:
    text = TURNS
    for call in lost:
        assert text.count(call) == 1
        text = text.replace(call.lstrip(), "pass\n")
    (found,) = analyse("/case/kernel.py", text, "A3").diagnostics
    assert found.notes[0].startswith(wanted)


@pytest.mark.parametrize(
    "call", ['T.set_flag("v", "mte2", t % 2 + 1)', 'T.set_flag("v", "mte3", 0)']
)
def test_a_set_that_is_missing_is_put_back(call: str) -> None:
    assert not analyse("/case/kernel.py", TURNS, "A3").diagnostics
    text = TURNS.replace(call + "\n", "pass\n")
    (found,) = analyse("/case/kernel.py", text, "A3").diagnostics
    (fix,) = found.fixes
    assert fix.safe
    assert [edit.new_text.strip() for edit in fix.edits] == [call]


LOADS = """import tilelang.language as T

D = "float32"


@T.prim_func
def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32"), C: T.Tensor((4, 64), D)):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 64), "float32")
        b = T.alloc_ub((4, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(B, b)
            T.tile.exp(a, a)
            T.pipe_barrier("v")
            T.tile.add(a, a, b)
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            T.copy(a, C)
"""


def test_one_flag_behind_the_last_of_several_loads_orders_them_all() -> None:
    (found,) = analyse("/case/kernel.py", LOADS, "A3").diagnostics
    assert "behind the last T.copy before this" in found.notes[0]
    (fix,) = found.fixes
    assert fix.safe
    row = LOADS.split("\n").index("            T.copy(B, b)") + 1
    assert fix.edits[0].range.start.row == row


def test_a_set_that_comes_twice_says_where_the_wait_belongs() -> None:
    text = TURNS.replace('T.wait_flag("v", "mte2", t % 2 + 1)\n', "pass\n")
    (found,) = analyse("/case/kernel.py", text, "A3").diagnostics
    assert "is set again" in found.message
    assert found.notes[0] == "The wait belongs before T.copy, which writes x too early."
    assert "MTE2 writes x without waiting" in [one.message for one in found.related]


def test_a_set_with_its_pipes_the_other_way_round_is_shown() -> None:
    text = TURNS.replace('T.set_flag("v", "mte3", 0)', 'T.set_flag("mte3", "v", 0)')
    (found,) = analyse("/case/kernel.py", text, "A3").diagnostics
    assert found.notes[0] == 'Turn the pipes round: T.set_flag("v", "mte3", 0).'
    assert [one.message for one in found.related] == ["waits for V->MTE3 id 0, and stands still"]
    assert not _told(edited("/case/kernel.py", text, found.fixes[0].edits))


def _told(text: str) -> list[str]:
    found = analyse("/case/kernel.py", text, "A3").diagnostics
    return [one.message for one in found if one.severity >= Severity.WARNING]


ALIKE = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            CUBE
        with T.Scope("V"):
            T.copy(A[vid * 32, 0], u)
            T.barrier_all()
            T.copy(u, C[vid * 32, 0])
            VECTOR
"""


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize(
    ("cube", "vector", "whom"),
    [
        ('T.set_cross_flag("FIX", 3MODE)', "T.wait_cross_flag(3)", "cube"),
        ("T.wait_cross_flag(3)", 'T.set_cross_flag("MTE3", 3MODE)', "vector"),
    ],
)
def test_a_flag_for_cores_of_its_own_kind(cube: str, vector: str, whom: str, mode: int) -> None:
    text = ALIKE.replace("CUBE", cube).replace("VECTOR", vector)
    found = analyse("/case/kernel.py", text.replace("MODE", f", {mode}"), "A3").diagnostics
    (one,) = [one for one in found if one.severity >= 2]
    wanted = f"Flag 3 is set with mode {mode}, which tells {whom} cores alone: leave the mode out."
    assert (one.code, one.notes) == ("TL405", (wanted,))
    assert [related.message for related in one.related] == [f"mode {mode}"]
    again = analyse("/case/kernel.py", text.replace("MODE", ""), "A3").diagnostics
    assert [one for one in again if one.severity >= 2] == []


ROUNDS = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            for t in T.serial(CUBE):
                T.copy(A, a)
                T.set_cross_flag("MTE2", 0)
                T.wait_cross_flag(1)
                T.set_cross_flag("MTE2", 2)
                T.wait_cross_flag(3)
        with T.Scope("V"):
            for t in T.serial(VECTOR):
                T.wait_cross_flag(0)
                T.tile.fill(u, 1.0)
                T.set_cross_flag("V", 1)
                T.wait_cross_flag(2)
                T.tile.fill(u, 0.0)
                T.set_cross_flag("V", 3)
"""


@pytest.mark.parametrize(("cube", "vector"), [(2, 1), (1, 2), (4, 3), (3, 4), (8, 4)])
def test_a_loop_that_goes_round_too_rarely_is_one_fault(cube: int, vector: int) -> None:
    text = ROUNDS.replace("CUBE", str(cube)).replace("VECTOR", str(vector))
    found = analyse("/case/kernel.py", text, "A3").diagnostics
    (one,) = [d for d in found if d.code == "TL405"]
    assert one.notes == ("The loops of the waits and of the sets have to go round equally often.",)
    assert "either" in one.related[-1].message
