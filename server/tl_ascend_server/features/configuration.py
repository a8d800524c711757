"""Settings of the user, by whichever way a client hands them over: at start, pushed or pulled."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tl_ascend.ide.model import Settings
from tl_ascend_server.capabilities import JSON, SECTION, look

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

log = logging.getLogger(__name__)
PLATFORMS = ("auto", "A2", "A3", "A5")
UPSTREAMS = ("snapshot", "none")
WATCHED = ("**/*.py", "**/pyproject.toml")


@dataclass(frozen=True)
class Options:
    """All settings. Unit: `max_label` characters, 0 for no limit. `python`, `route`, `headers` and
    `remote` are for building and running."""

    settings: Settings = field(default_factory=Settings)
    max_label: int = 80
    python: str = ""
    route: str = ""
    headers: tuple[str, ...] = ()
    remote: str = ""

    @classmethod
    def read(cls, data: object, before: Options) -> Options:
        """Settings from the client over those before; what is not understood is left as it was."""
        if isinstance(data, dict) and isinstance(data.get(SECTION), dict):
            data = data[SECTION]
        if not isinstance(data, dict):
            return before
        old = before.settings
        settings = replace(
            old,
            platform=_choice(data.get("platform"), PLATFORMS, old.platform),
            upstream=_choice(data.get("upstream"), UPSTREAMS, old.upstream),
            hints=_switches(data.get("inlayHints"), old.hints),
        )
        return cls(
            settings,
            _length(look(data, "inlayHints.maxLength"), before.max_label),
            _text(data.get("python"), before.python),
            _route(data.get("route"), before.route),
            _texts(data.get("headers"), before.headers),
            _text(data.get("remote"), before.remote),
        )


def _choice(value: object, allowed: tuple[str, ...], before: str) -> str:
    if value is None:
        return before
    for name in allowed:
        if isinstance(value, str) and value.lower() == name.lower():
            return name
    log.warning("setting %r is none of %s", value, ", ".join(allowed))
    return before


def _switches(value: object, before: Mapping[str, bool]) -> Mapping[str, bool]:
    if not isinstance(value, dict):
        return before
    known = {kind: value.get(kind, was) for kind, was in before.items()}
    return MappingProxyType(
        {kind: now if isinstance(now, bool) else before[kind] for kind, now in known.items()}
    )


def _text(value: object, before: str) -> str:
    return value.strip() if isinstance(value, str) else before


def _route(value: object, before: str) -> str:
    """Empty for the route that each kernel's jit says."""
    return "" if value == "auto" else _text(value, before)


def _texts(value: object, before: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return before
    return tuple(value)


def _length(value: object, before: int) -> int:
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if fits else before  # type: ignore[return-value]


def register_with_client(server: Server) -> None:
    """Ask to be told of changed settings and files."""
    wanted: dict[str, JSON] = {}
    if server.client.register_configuration:
        wanted[types.WORKSPACE_DID_CHANGE_CONFIGURATION] = {"section": SECTION}
    if server.client.register_watchers:
        watchers = [{"globPattern": pattern} for pattern in WATCHED]
        wanted[types.WORKSPACE_DID_CHANGE_WATCHED_FILES] = {"watchers": watchers}
    registrations = [
        {"id": method, "method": method, "registerOptions": options}
        for method, options in wanted.items()
    ]
    if registrations:
        params = {"registrations": registrations}
        server.protocol.ask(types.CLIENT_REGISTER_CAPABILITY, params)


def pull(server: Server) -> None:
    """Ask for the settings."""
    if not server.client.configuration:
        return

    def take(result: Any) -> None:
        if isinstance(result, list) and result:
            server.use(Options.read(result[0], server.options))

    params = {"items": [{"section": SECTION}]}
    server.protocol.ask(types.WORKSPACE_CONFIGURATION, params, take)


def changed(server: Server, params: types.DidChangeConfigurationParams) -> None:
    """Settings came along, or wait to be pulled."""
    server.use(Options.read(params.settings, server.options))
    pull(server)


def folders_changed(server: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """The workspace has other folders."""
    event = params.event
    server.change_folders(
        [folder.uri for folder in event.added], [folder.uri for folder in event.removed]
    )


def files_changed(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Files changed on disk; open documents may import them."""
    changed_uris = (change.uri for change in params.changes)
    if any(server.documents.get(uri) is None for uri in changed_uris):
        server.analyse_again()
