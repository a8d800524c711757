"""The parts of an editor, as `./dev setup` leaves them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tl_ascend.ide.model import Settings
from tl_ascend_server.features.configuration import Options


@dataclass(frozen=True)
class VsCode:
    """Where `./dev setup` put everything that a VS Code session needs."""

    node: Path
    code_server: Path
    playwright: Path
    chromium: Path
    vsix: Path

    def missing(self) -> list[str]:
        """The parts that are not where they should be."""
        return [name for name, path in vars(self).items() if not path.exists()]


def client_settings(section: dict[str, Any]) -> Options:
    """A client's settings as the server takes them, starting from values that no client has."""
    opposite = MappingProxyType({kind: not shown for kind, shown in Settings().hints.items()})
    unlike = Options(
        Settings(platform="A5", upstream="none", hints=opposite), -1, "?", "?", ("?",), "?"
    )
    return Options.read(section, unlike)
