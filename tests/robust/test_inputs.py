"""Whatever a file holds: a clear message or quiet success, the right exit status, no internal error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.robust.inputs import ALL, Input

from tl_ascend.ide.model import Settings
from tl_ascend.ide.workspace import Workspace

Check = Callable[..., tuple[int, dict[str, Any], str]]


@pytest.mark.parametrize("item", ALL, ids=lambda i: i.name)
def test_tl_check_says_what_is_wrong_and_no_more(
    item: Input, tmp_path: Path, tl_check: Check
) -> None:
    path = tmp_path / "kernel.py"
    path.write_bytes(item.data)
    status, report, err = tl_check(str(path))
    loud = [d for d in report["diagnostics"] if d["severity"] in ("error", "warning")]
    assert (status, tuple(d["code"] for d in loud)) == (item.status, item.codes)
    assert err == ""


@pytest.mark.parametrize("item", ALL, ids=lambda i: i.name)
def test_an_editor_survives_it(item: Input) -> None:
    workspace = Workspace(Settings("A3"))
    workspace.set_text("/project/kernel.py", item.data.decode("utf-8", "surrogateescape"))
    analysis = workspace.analyse("/project/kernel.py", lambda: False)
    assert "internal-error" not in [d.name for d in analysis.diagnostics]
    again = workspace.analyse("/project/kernel.py", lambda: False)
    assert again.diagnostics == analysis.diagnostics
    assert again.hints == analysis.hints
