"""Whole sessions of a library client with the server as it is installed, on real kernels."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import (
    ClientServerConfig,
    LanguageClient,
    client_capabilities,
    make_test_lsp_client,
)

DATA = Path(__file__).parent / "data"
GEMM = (DATA / "gemm.py").read_text(encoding="utf-8")
PUBLISH = "textDocument/publishDiagnostics"
SERVER = [sys.executable, "-m", "tl_ascend_server"]
WIDE = GEMM.replace("block_N=128", "block_N=512")


def make_client() -> LanguageClient:
    """The library's client announces these for its editors but does not know them."""
    made: LanguageClient = make_test_lsp_client()
    for request in (types.CLIENT_REGISTER_CAPABILITY, types.WORKSPACE_INLAY_HINT_REFRESH):
        made.feature(request)(lambda params: None)
    return made


CONFIG = ClientServerConfig(server_command=SERVER, client_factory=make_client)


@pytest_lsp.fixture(params=["neovim", "vscode"], config=CONFIG)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """Neovim counts columns in UTF-8, VS Code in UTF-16."""
    name = "visual-studio-code" if request.param == "vscode" else "neovim"
    root = DATA.as_uri()
    lsp_client.set_configuration({"tl-ascend": {"platform": "A3"}})
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities(name),
            root_uri=root,
            workspace_folders=[types.WorkspaceFolder(uri=root, name="data")],
        )
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """One document in an editor."""

    def __init__(self, client: LanguageClient, name: str, text: str) -> None:
        self.client, self.text, self.version = client, text, 1
        self.uri = (DATA / name).as_uri()
        self.document = types.TextDocumentIdentifier(self.uri)
        item = types.TextDocumentItem(self.uri, "python", 1, text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def place(self, after: str) -> types.Position:
        """The place behind the first occurrence of a text."""
        return self._place(self.text.index(after) + len(after))

    def _place(self, offset: int) -> types.Position:
        """Columns are those of lines in ASCII."""
        head = self.text[:offset]
        line = head.rpartition("\n")[2]
        assert line.isascii()
        return types.Position(head.count("\n"), len(line))

    def replace(self, old: str, new: str) -> None:
        """Edit the document."""
        span = types.Range(self._place(self.text.index(old)), self.place(old))
        self.text = self.text.replace(old, new, 1)
        self.version += 1
        change = types.TextDocumentContentChangePartial(span, new)
        identifier = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(identifier, [change])
        )

    async def published(self) -> list[types.Diagnostic]:
        """The diagnostics of the present version."""
        while True:
            params = await self.client.wait_for_notification(PUBLISH)
            if params.uri == self.uri and params.version == self.version:
                return list(params.diagnostics)

    async def hints(self) -> list[types.InlayHint]:
        """All hints."""
        whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        params = types.InlayHintParams(self.document, whole)
        return list(await self.client.text_document_inlay_hint_async(params) or [])

    async def hover(self, after: str) -> types.Hover | None:
        """The hover behind a text."""
        params = types.HoverParams(self.document, self.place(after))
        return await self.client.text_document_hover_async(params)

    async def completion(self, after: str) -> dict[str, types.CompletionItem]:
        """The completions behind a text, by label."""
        params = types.CompletionParams(self.document, self.place(after))
        found = await self.client.text_document_completion_async(params)
        assert isinstance(found, types.CompletionList)
        return {item.label: item for item in found.items}


def errors(found: list[types.Diagnostic]) -> list[Any]:
    """The names of errors."""
    severe = [one for one in found if one.severity == types.DiagnosticSeverity.Error]
    return [one.data["name"] if isinstance(one.data, dict) else one.data.name for one in severe]


@pytest.mark.asyncio
async def test_a_kernel_without_faults(client: LanguageClient) -> None:
    editor = Editor(client, "gemm.py", GEMM)
    assert errors(await editor.published()) == []
    labels = [str(hint.label) for hint in await editor.hints()]
    assert any("float16[128,64] L1 zN 16 KiB" in label for label in labels)
    hover = await editor.hover("T.gemm_v0")
    assert hover is not None and isinstance(hover.contents, types.MarkupContent)
    assert "gemm_v0" in hover.contents.value
    assert "Becomes: gemm_v0(" in hover.contents.value and "Core: cube" in hover.contents.value


@pytest.mark.asyncio
async def test_a_fault_comes_and_goes(client: LanguageClient) -> None:
    editor = Editor(client, "gemm.py", GEMM)
    await editor.published()
    editor.replace("block_N=128", "block_N=512")
    (fault,) = [one for one in await editor.published() if errors([one])]
    assert errors([fault]) == ["l0-overflow"]
    assert str(fault.code).startswith("TL") and fault.source == "tl-ascend"
    assert "131072" in fault.message
    editor.replace("block_N=512", "block_N=128")
    assert errors(await editor.published()) == []


@pytest.mark.asyncio
async def test_hints_follow_a_size(client: LanguageClient) -> None:
    editor = Editor(client, "gemm.py", GEMM)
    await editor.published()
    editor.replace("block_K=64", "block_K=32")
    await editor.published()
    labels = [str(hint.label) for hint in await editor.hints()]
    assert any("float16[128,32] L1 zN 8 KiB" in label for label in labels)


@pytest.mark.asyncio
async def test_hints_stay_while_a_line_is_broken(client: LanguageClient) -> None:
    editor = Editor(client, "gemm.py", GEMM)
    await editor.published()
    before = len(await editor.hints())
    editor.replace("T.copy(total, C[top, left])", "T.copy(total, C[top,")
    assert "syntax-error" in errors(await editor.published())
    assert len(await editor.hints()) >= before - 1


@pytest.mark.asyncio
async def test_completion(client: LanguageClient) -> None:
    editor = Editor(client, "gemm.py", GEMM)
    editor.replace("T.copy(total, C[top, left])", "T.")
    found = await editor.completion("step == 0))\n                T.")
    assert {"copy", "alloc_L1", "gemm_v0", "Kernel", "tile"} <= found.keys()
    assert found["copy"].detail and "T.copy(" in found["copy"].detail
    editor.replace("left = block", "left = T.tile.")
    assert {"add", "exp"} <= (await editor.completion("T.tile.")).keys()
    editor.replace("import tilelang\n", "# T.\n")
    assert await editor.completion("# T.") == {}


@pytest.mark.asyncio
async def test_two_documents(client: LanguageClient) -> None:
    first = Editor(client, "gemm.py", WIDE)
    assert errors(await first.published()) == ["l0-overflow"]
    second = Editor(client, "vector.py", (DATA / "vector.py").read_text(encoding="utf-8"))
    assert errors(await second.published()) == []
    assert any("UB" in str(hint.label) for hint in await second.hints())
    first.replace("block_N=512", "block_N=128")
    assert errors(await first.published()) == []
