"""A machine with a compiler, and a store for what it makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.toolchain import standins

from tl_ascend.toolchain.store import Store


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    """Its compiler only checks its arguments, but for tests that want more."""
    made = standins.Host(tmp_path)
    made.compiler()
    (made.tools / "quick").write_text("")
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")
