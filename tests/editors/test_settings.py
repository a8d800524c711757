"""The extension's settings, its documentation and the server's defaults say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.editors.tools import client_settings

from tl_ascend.backends import registry
from tl_ascend_server.features.configuration import Options

EXTENSION = Path(__file__).resolve().parents[2] / "vscode-extension"
SECTION = "tl-ascend."


def properties() -> dict[str, Any]:
    """The settings that the extension declares, by name without the section."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    declared: dict[str, Any] = manifest["contributes"]["configuration"]["properties"]
    assert all(name.startswith(SECTION) for name in declared)
    return {name.removeprefix(SECTION): value for name, value in declared.items()}


def defaults() -> dict[str, Any]:
    """The declared defaults, nested as VS Code sends them."""
    section: dict[str, Any] = {}
    for name, value in properties().items():
        *outer, last = name.split(".")
        place = section
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value["default"]
    return section


def test_defaults_are_the_servers() -> None:
    """What a user gets without a setting does not depend on the client."""
    assert client_settings(defaults()) == Options()


def test_readme_names_every_setting() -> None:
    """The table of settings is complete."""
    readme = (EXTENSION / "README.md").read_text(encoding="utf-8")
    assert [name for name in properties() if f"`{SECTION}{name}`" not in readme] == []


def test_commands_are_the_servers() -> None:
    """What the palette offers besides the extension's own is what the server announces."""
    from tl_ascend_server.capabilities import COMMANDS, OPEN_PAGE

    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    own = {SECTION + "restart", SECTION + "showLogs"}
    declared = {item["command"] for item in manifest["contributes"]["commands"]}
    assert declared - own == set(COMMANDS) - {OPEN_PAGE}


def test_routes_are_the_compilers() -> None:
    """A new back end is a choice."""
    names = [backend.name for backend in registry.backends()]
    assert properties()["route"]["enum"] == ["auto", *names]


def test_what_starts_processes_is_restricted() -> None:
    """A workspace that is not trusted chooses no program, folder or host."""
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    trust = manifest["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    wanted = {"server.path", "interpreter", "python", "route", "headers", "remote"}
    assert set(trust["restrictedConfigurations"]) == {SECTION + name for name in wanted}
    enabled = {
        item["command"]: item.get("enablement") for item in manifest["contributes"]["commands"]
    }
    assert enabled[SECTION + "build"] == enabled[SECTION + "run"] == "isWorkspaceTrusted"
