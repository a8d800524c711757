"""What every editor test needs: the server, the kernels, and the editors that `./dev` set up."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from tests.editors.tools import VsCode

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(__file__).resolve().parent / "data"
TOOLS = ROOT / ".cache" / "editors.json"


@pytest.fixture(scope="session")
def editors_wanted() -> None:
    """The one way not to run these tests; anything else that is missing is a failure."""
    if os.environ.get("TL_ASCEND_EDITORS") == "none":
        pytest.skip("TL_ASCEND_EDITORS=none")


@pytest.fixture(scope="session")
def server() -> Path:
    """The server that the editors start; TL_ASCEND_SERVER names another one."""
    default = Path(sys.executable).parent / "tl-ascend-server"
    path = Path(os.environ.get("TL_ASCEND_SERVER", default))
    if not os.access(path, os.X_OK):
        pytest.fail(f"no server at {path}: run ./dev setup", pytrace=False)
    return path


@pytest.fixture(scope="session")
def neovim(editors_wanted: None) -> Path:
    """The Neovim of the development environment, or of PATH."""
    local = Path(sys.executable).parent / "nvim"
    found = str(local) if local.exists() else shutil.which("nvim")
    if found is None:
        pytest.fail("no nvim: run ./dev setup", pytrace=False)
    return Path(found)


@pytest.fixture(scope="session")
def vscode(editors_wanted: None) -> VsCode:
    """The VS Code that `./dev setup` made."""
    if not TOOLS.exists():
        pytest.fail("VS Code is not set up: run ./dev setup", pytrace=False)
    entries: dict[str, str] = json.loads(TOOLS.read_text(encoding="utf-8"))
    tools = VsCode(**{name: Path(path) for name, path in entries.items()})
    if tools.missing():
        missing = ", ".join(tools.missing())
        pytest.fail(f"VS Code is not set up ({missing} gone): run ./dev setup", pytrace=False)
    return tools


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A project folder of its own with the kernels in it; blank and accent are meant."""
    folder = tmp_path / "größe a"
    shutil.copytree(DATA, folder)
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures are left for people to look at."""
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
