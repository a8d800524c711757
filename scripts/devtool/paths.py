"""Where ./dev keeps things. Everything that it makes lies in ignored folders of the checkout."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
VENV_BIN = VENV / "bin"
PYTHON = VENV_BIN / "python"
CACHE = ROOT / ".cache"
STAMPS = CACHE / "stamps"
EXTENSION = ROOT / "vscode-extension"
VSIX = EXTENSION / "dist" / "tl-ascend.vsix"
EDITORS = CACHE / "editors.json"
"""Read by tests/editors/conftest.py: where the parts of VS Code lie."""
