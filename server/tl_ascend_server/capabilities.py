"""What client and server tell each other in `initialize`, as plain data.

The answer is made here without any LSP library, because loading one takes most of a second and the
client waits for this answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tl_ascend import __version__

JSON = dict[str, Any]
ENCODINGS = ("utf-8", "utf-16", "utf-32")
SECTION = "tl-ascend"
QUICK_FIX, FIX_ALL = "quickfix", f"source.fixAll.{SECTION}"
OPEN_PAGE = f"{SECTION}.openPage"
BUILD, RUN = f"{SECTION}.build", f"{SECTION}.run"
SHOW_SOURCE, SHOW_IR = f"{SECTION}.showSource", f"{SECTION}.showIr"
CHOOSE = f"{SECTION}.choose"
COMMANDS = (OPEN_PAGE, BUILD, RUN, CHOOSE, SHOW_SOURCE, SHOW_IR)
KERNEL_ACTION = SECTION  # the kind of code actions about a kernel as a whole
_INCREMENTAL = 2


def look(data: object, path: str) -> Any:
    """What stands at a dotted path, or None."""
    for key in path.split("."):
        if not isinstance(data, dict):
            return None
        data = data.get(key)
    return data


@dataclass(frozen=True, slots=True)
class Client:
    """What the client can do, as far as it matters here."""

    encoding: str = "utf-16"
    pull_diagnostics: bool = False
    related_information: bool = False
    refresh_hints: bool = False
    configuration: bool = False
    register_configuration: bool = False
    register_watchers: bool = False
    markdown_hover: bool = True
    markdown_documentation: bool = True
    code_actions: bool = False
    document_changes: bool = False
    show_document: bool = False
    diagnostic_tags: frozenset[int] = frozenset()
    code_description: bool = False
    progress: bool = False
    refresh_lenses: bool = False

    @classmethod
    def of(cls, params: JSON) -> Client:
        """Read the parameters of `initialize`; anything odd counts as absent."""
        caps = params.get("capabilities")
        return cls(
            encoding=_encoding(look(caps, "general.positionEncodings")),
            # A client that cannot be told to pull again would keep stale diagnostics.
            pull_diagnostics=isinstance(look(caps, "textDocument.diagnostic"), dict)
            and look(caps, "workspace.diagnostics.refreshSupport") is True,
            related_information=(
                look(caps, "textDocument.publishDiagnostics.relatedInformation") is True
            ),
            refresh_hints=look(caps, "workspace.inlayHint.refreshSupport") is True,
            configuration=look(caps, "workspace.configuration") is True,
            register_configuration=_registers(caps, "didChangeConfiguration"),
            register_watchers=_registers(caps, "didChangeWatchedFiles"),
            markdown_hover=_markdown(look(caps, "textDocument.hover.contentFormat")),
            markdown_documentation=_markdown(
                look(caps, "textDocument.completion.completionItem.documentationFormat")
            ),
            code_actions=isinstance(
                look(caps, "textDocument.codeAction.codeActionLiteralSupport"), dict
            ),
            document_changes=look(caps, "workspace.workspaceEdit.documentChanges") is True,
            show_document=look(caps, "window.showDocument.support") is True,
            diagnostic_tags=_numbers(
                look(caps, "textDocument.publishDiagnostics.tagSupport.valueSet")
            ),
            progress=look(caps, "window.workDoneProgress") is True,
            refresh_lenses=look(caps, "workspace.codeLens.refreshSupport") is True,
            code_description=(
                look(caps, "textDocument.publishDiagnostics.codeDescriptionSupport") is True
            ),
        )


def _encoding(offered: object) -> str:
    """The client's first choice that we know."""
    for name in offered if isinstance(offered, list) else ():
        if name in ENCODINGS:
            return str(name)
    return "utf-16"


def _registers(caps: object, feature: str) -> bool:
    return look(caps, f"workspace.{feature}.dynamicRegistration") is True


def _numbers(values: object) -> frozenset[int]:
    return (
        frozenset(v for v in values if type(v) is int) if isinstance(values, list) else frozenset()
    )


def _markdown(formats: object) -> bool:
    return not isinstance(formats, list) or "markdown" in formats


def acceptable(params: object) -> bool:
    """Whether these are parameters of `initialize` at all."""
    return isinstance(params, dict) and isinstance(params.get("capabilities"), dict)


def answer(params: JSON) -> JSON:
    """The result of `initialize`."""
    client = Client.of(params)
    capabilities: JSON = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {
            "openClose": True,
            "change": _INCREMENTAL,
            "save": {"includeText": True},
        },
        "completionProvider": {"triggerCharacters": ["."], "resolveProvider": False},
        "hoverProvider": True,
        "codeActionProvider": {"codeActionKinds": [QUICK_FIX, FIX_ALL, KERNEL_ACTION]},
        "executeCommandProvider": {"commands": list(COMMANDS)},
        "codeLensProvider": {"resolveProvider": False},
        "inlayHintProvider": {"resolveProvider": False},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if client.pull_diagnostics:
        capabilities["diagnosticProvider"] = {
            "identifier": SECTION,
            "interFileDependencies": True,
            "workspaceDiagnostics": False,
        }
    return {
        "capabilities": capabilities,
        "serverInfo": {"name": SECTION, "version": __version__},
    }
