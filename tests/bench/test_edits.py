"""The benchmark of edits edits, and does all that it says."""

import ast
from pathlib import Path

from tests.bench.clock import Taken, at_best, row
from tests.bench.edits import CHECKED, EMITTED, LOWERED, PARSED, SHOWN, edits, measure

KERNEL = Path(__file__).resolve().parents[2] / "examples" / "rms_norm_rope.py"


def test_versions_differ_in_the_kernel() -> None:
    text = KERNEL.read_text()
    versions = list(edits(text, 3))
    assert len({*versions, text}) == 4
    before, after = ast.unparse(ast.parse(text)), ast.unparse(ast.parse(versions[0]))
    new = set(after.split("\n")) - set(before.split("\n"))
    assert [line.strip() for line in new] == ["edit_0 = 0"]


def test_each_round_is_measured() -> None:
    found = measure(str(KERNEL), None, rounds=2)
    assert list(found) == [PARSED, LOWERED, CHECKED, SHOWN, EMITTED]
    for values in zip(*found.values(), strict=True):
        parsed, lowered, checked, shown, emitted = (value.work for value in values)
        assert 0 < parsed < lowered < checked < min(shown, emitted)


def test_work_is_told_at_the_best_speed() -> None:
    """Twice as slow beside a loop that is twice as slow is as fast."""
    values = [Taken(10.0, 1.0), Taken(20.0, 2.0), Taken(30.0, 3.0)]
    assert at_best(values, 1.0) == 10.0
    assert row("work", values, 1.0, 15.0) == "| work | 10 | 20 | 30 | 10 | 15 |"
