"""Right kernels with small damage to their text: besides TL101 no error, and no crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.robust.damage import damages

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_nothing_is_told_of_what_text_that_does_not_parse_would_have_been(path: Path) -> None:
    for worse, said in damages(path.read_text(encoding="utf-8"), path.name, 12):
        assert not said, worse
