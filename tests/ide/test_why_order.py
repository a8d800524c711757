"""What is told of flags that stand beside loops and branches, and of flags for other flags."""

from __future__ import annotations

from tests.ide.asked import SYNC, VECTORS, at, told

CHOSEN = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((SLOTS, 64), "float32")
    s = T.alloc_ub((16,), "float32")
    z = T.alloc_ub((1, 64), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0:16], s)
        T.tile.fill(z, 0.0)
        for k in T.serial(9):
            T.copy(X[k, 0:64], x[SLOT, :])
            if s[k] > 0.0:
                T.tile.add(z, z, x[SLOT, :])
        T.copy(z, Y[0, 0:64])
"""


def chosen(slots: int, slot: str) -> str:
    """Rows that are loaded anyway and used where data says so."""
    return CHOSEN.replace("SLOTS", str(slots)).replace("SLOT", slot)


def asked(body: str, before: str) -> dict[str, list[str]]:
    return told(at(body, before, options=SYNC, params=VECTORS))


def test_a_branch_tells_the_flags_before_and_behind_it() -> None:
    found = asked(chosen(2, "k % 2"), "if")
    assert found["before it"] == ["flag MTE2 -> V, event k % 2 + 1: V reads x, written by MTE2"]
    assert found["behind it"] == ["flag V -> MTE2, event k % 2 + 1: MTE2 writes x, read by V"]
    assert all(" -> S" in text for text in found["waits for"])  # its condition's own


def test_a_loop_tells_the_flags_of_its_first_and_behind_its_last_iteration() -> None:
    found = asked(chosen(2, "k % 2"), "for k")
    flags = [f"flag V -> MTE2, event {event}: " for event in (1, 2)]
    first, last = "for the first iteration", "behind the last iteration"
    assert found["before it"][1:] == [f"{f}{first}: MTE2 writes x, read by V" for f in flags]
    assert found["before it"][0] == "flag MTE2 -> S, event 0: S reads s, written by MTE2"
    assert found["behind it"] == [f"{f}{last}: MTE2 writes x, read by V" for f in flags]


def test_what_stands_before_the_next_statement_is_not_told_of_the_one_before_it() -> None:
    body = chosen(9, "k")
    assert "behind it" not in asked(body, "for k")
    waits = asked(body, "T.copy(z, Y[")["waits for"]
    assert {text.split(":")[0] for text in waits} == {"flag V -> MTE3, event 1"}


def test_all_that_may_have_written_is_named() -> None:
    """The sum, or where the branch is never taken the fill."""
    waits = asked(chosen(2, "k % 2"), "T.copy(z, Y[")["waits for"]
    assert [text[text.index("(written by ") :].split()[2] for text in waits] == ["Add", "Fill"]


BRANCHES = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    x = T.alloc_ub((64,), "float32")
    y = T.alloc_ub((64,), "float32")
    s = T.alloc_ub((16,), "float32")
    with T.Scope("V"):
        T.copy(X[0, 0:16], s)
        T.tile.fill(y, 0.5)
        for k in T.serial(9):
            T.copy(X[k, 0:64], x)
            T.tile.exp(y, x)
            if s[k] > 0.0:
                T.copy(y, Y[k, 0:64])
                if s[k] > 1.0:
                    T.tile.add(x, x, y)
                    T.copy(x, Y[k, 0:64])
"""


def test_a_barrier_of_a_branch_orders_nothing_that_others_run() -> None:
    found = asked(BRANCHES, "T.tile.exp")
    told = [*found["waits for"], *found["is awaited by"]]
    assert not any("barrier" in text and "WAW on y" in text for text in told)
    assert any("barrier of V: RAW on y" in text for text in found["is awaited by"])


def test_a_flag_for_another_flag_names_that_one() -> None:
    """Nothing else tells the copy that its flag was waited for: no row is loaded twice."""
    found = asked(chosen(9, "k"), "T.tile.add")
    (answer,) = found["order"]
    assert answer == (
        "flag V -> MTE2, event 1: V has waited for the flag that MTE2 is going to set again "
        "(V reads x, written by MTE2)"
    )
    assert [text for text in found["waits for"] if "x" in text.split(":")[1]] == [
        "flag MTE2 -> V, event 1: RAW on x, MTE2 before V "
        "(written by copy_gm_to_ub in line 20, read by Add in line 22)"
    ]


def test_a_flag_for_another_flag_is_no_reason_to_wait_for_data() -> None:
    body = """
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((2, 64), "float32")
        s = T.alloc_ub((16,), "float32")
        with T.Scope("V"):
            T.copy(X[0, 0:16], s)
            for k in T.serial(9):
                if s[k] > 0.0:
                    T.copy(X[k, 0:64], x[0, :])
                if s[k] > 1.0:
                    T.tile.exp(x[1, :], x[0, :])
                if s[k] > 2.0:
                    T.copy(x[1, :], Y[k, 0:64])
    """
    for call in ("T.copy(X[k", "T.tile.exp", "T.copy(x[1"):
        found = asked(body, call)
        answers = [text for text in found.get("order", ()) if "is going to set again" in text]
        ids = {text.split(":")[0] for text in answers}
        told_of = {text.split(":")[0] for text in found.get("waits for", ())}
        assert ids.isdisjoint(told_of), call
