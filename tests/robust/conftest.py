"""tl-check in this process, as a process of its own has it: arguments in, status and text out."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tl_ascend.cli import check


@pytest.fixture
def restored() -> Iterator[None]:
    """What the command line sets for its own process must not stay."""
    limit, stack = sys.getrecursionlimit(), threading.stack_size()
    yield
    sys.setrecursionlimit(limit)
    threading.stack_size(stack)


@pytest.fixture
def tl_check(
    restored: None, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, dict[str, Any], str]]:
    """Run tl-check; gives exit status, JSON and standard error."""

    def run(*arguments: str) -> tuple[int, dict[str, Any], str]:
        status = check.main([*arguments, "--format", "json"])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else {}, err

    return run
