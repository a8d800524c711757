"""A machine with nothing on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.toolchain import standins


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    return standins.Host(tmp_path)
