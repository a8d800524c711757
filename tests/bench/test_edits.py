"""The benchmark of edits edits, and does all that it says."""

import ast
from pathlib import Path

from tests.bench.edits import CHECKED, EMITTED, PARSED, SHOWN, edits, measure

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
    assert list(found) == [PARSED, CHECKED, SHOWN, EMITTED]
    for values in zip(*found.values(), strict=True):
        parsed, checked, shown, emitted = values
        assert 0 < parsed < checked < min(shown, emitted)
