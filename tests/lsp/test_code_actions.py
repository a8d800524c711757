"""Quick fixes and the rest of what an editor offers at a diagnostic, over real sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from tests.harness.pages import read
from tests.lsp.session import Session, capabilities
from tests.lsp.test_sessions import DATA, SERVER, Editor, make_client

FAULTY = ("TL104", "TL306", "TL404", "TL803")
MOVED = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = "\N{MATHEMATICAL BOLD SMALL A}"; T.fill(a, 0.0)
        T.copy(A, a)
"""

UTF16 = [True]  # how the client of this session counts columns
CONFIG = ClientServerConfig(server_command=SERVER, client_factory=make_client)


@pytest_lsp.fixture(params=["neovim", "vscode"], config=CONFIG)
async def client(request: pytest.FixtureRequest, lsp_client: LanguageClient) -> AsyncIterator[None]:
    """One counts columns in UTF-8, the other in UTF-16."""
    name = "visual-studio-code" if request.param == "vscode" else "neovim"
    lsp_client.set_configuration({"tl-ascend": {"platform": "A3"}})
    told = await lsp_client.initialize_session(
        types.InitializeParams(capabilities=client_capabilities(name), root_uri=DATA.as_uri())
    )
    UTF16[0] = told.capabilities.position_encoding == types.PositionEncodingKind.Utf16
    assert UTF16[0] == (request.param == "vscode")
    yield
    await lsp_client.shutdown_session()


def codes(found: list[types.Diagnostic]) -> list[Any]:
    return [one.code for one in found if one.severity != types.DiagnosticSeverity.Hint]


async def actions(
    client: LanguageClient, editor: Editor, at: types.Range, only: list[str] | None = None
) -> dict[str, types.CodeAction]:
    """What is offered, by title."""
    context = types.CodeActionContext(diagnostics=[], only=only)
    params = types.CodeActionParams(editor.document, at, context)
    found = await client.text_document_code_action_async(params)
    return {one.title: one for one in found or () if isinstance(one, types.CodeAction)}


def apply(editor: Editor, client: LanguageClient, action: types.CodeAction, utf16: bool) -> None:
    """As an editor does: all edits of the document, from behind."""
    edit = action.edit
    assert edit is not None
    if edit.document_changes:
        (change,) = edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == editor.version
        edits: Any = change.edits
    else:
        assert edit.changes is not None
        edits = edit.changes[editor.uri]
    text = editor.text
    for one in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character))[::-1]:
        start, end = (offset(text, p, utf16) for p in (one.range.start, one.range.end))
        text = text[:start] + one.new_text + text[end:]
    editor.text, editor.version = text, editor.version + 1
    version = types.VersionedTextDocumentIdentifier(editor.version, editor.uri)
    changes = [types.TextDocumentContentChangeWholeDocument(text)]
    client.text_document_did_change(types.DidChangeTextDocumentParams(version, changes))


def offset(text: str, place: types.Position, utf16: bool) -> int:
    lines = text.splitlines(keepends=True)
    line = lines[place.line] if place.line < len(lines) else ""
    encoding = "utf-16-le" if utf16 else "utf-8"
    units = place.character * (2 if utf16 else 1)
    inside = len(line.encode(encoding)[:units].decode(encoding))
    return sum(map(len, lines[: place.line])) + inside


@pytest.mark.asyncio
async def test_a_preferred_fix_leaves_no_diagnostic(client: LanguageClient) -> None:
    for code in FAULTY:
        await fix_applied(client, code, MOVED if code == "TL104" else read(code).example("Wrong"))


async def fix_applied(client: LanguageClient, code: str, text: str) -> None:
    """The only certain fix of the only diagnostic leaves none."""
    editor = Editor(client, f"fixed_{code}.py", text)
    (found,) = await editor.published()
    assert found.code == code
    offered = await actions(client, editor, found.range, ["quickfix"])
    (fix,) = [one for one in offered.values() if one.is_preferred]
    assert [d.code for d in fix.diagnostics or ()] == [code]
    apply(editor, client, fix, UTF16[0])
    assert codes(await editor.published()) == []


@pytest.mark.asyncio
async def test_all_certain_repairs_at_once(client: LanguageClient) -> None:
    text = MOVED.replace('"float32")\n    ', '"float32")  # tl: ignore[tails]\n    ', 1)
    editor = Editor(client, "all.py", text)
    before = codes(await editor.published())
    assert sorted(before) == ["TL104", "TL113"]
    whole = types.Range(types.Position(0, 0), types.Position(0, 0))
    offered = await actions(client, editor, whole, ["source.fixAll"])
    (fix,) = offered.values()
    assert fix.kind == "source.fixAll.tl-ascend"
    apply(editor, client, fix, UTF16[0])
    assert codes(await editor.published()) == []
    assert "tl: ignore" not in editor.text and "T.tile.fill" in editor.text


MIXED = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A, a)  # tl: ignore[tail]
            T.tile.exp(a, a)  # tl: ignore[tail]
            T.set_flag("v", "mte3", 0)
            T.wait_flag("v", "mte3", 0)
            T.copy(a, B)
"""


@pytest.mark.asyncio
async def test_all_repairs_also_those_that_touch_each_other(client: LanguageClient) -> None:
    """A flag comes behind the line of which a comment goes: two rounds, but one action."""
    editor = Editor(client, "mixed.py", MIXED)
    assert sorted(codes(await editor.published())) == ["TL113", "TL113", "TL406"]
    whole = types.Range(types.Position(0, 0), types.Position(0, 0))
    (fix,) = (await actions(client, editor, whole, ["source.fixAll"])).values()
    apply(editor, client, fix, UTF16[0])
    assert codes(await editor.published()) == []
    assert "tl: ignore" not in editor.text and '"mte2", "v"' in editor.text


FULL = """import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 66), "float16"), B: T.Tensor((64, 66), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 66), "float16")
        big = T.alloc_ub(({rows}, 512), "float16")
        with T.Scope("V"):
            T.copy(A, a)
            T.tile.fill(big, 0.0)
            T.barrier_all()
            T.copy(a, B)
"""


@pytest.mark.asyncio
@pytest.mark.parametrize(("rows", "fits"), [(180, True), (183, False)])
async def test_a_certain_fix_that_does_harm_is_not_offered(
    client: LanguageClient, rows: int, fits: bool
) -> None:
    """With the pitch that it needs the tile does not fit beside the other one."""
    editor = Editor(client, f"full_{rows}.py", FULL.replace("{rows}", str(rows)))
    (found,) = await editor.published()
    assert found.code == "TL205"
    offered = await actions(client, editor, found.range, ["quickfix"])
    assert [one.is_preferred for one in offered.values() if one.is_preferred] == [True] * fits
    assert any("80 long" in title for title in offered) == fits
    everything = await actions(client, editor, found.range, ["source.fixAll"])
    assert len(everything) == fits
    if fits:
        apply(editor, client, next(iter(everything.values())), UTF16[0])
        assert codes(await editor.published()) == []


@pytest.mark.asyncio
async def test_ignoring_on_the_line(client: LanguageClient) -> None:
    editor = Editor(client, "ignored.py", read("TL503").example("Wrong"))
    (found,) = await editor.published()
    offered = await actions(client, editor, found.range)
    apply(editor, client, offered["Ignore ub-overflow on this line"], UTF16[0])
    assert codes(await editor.published()) == []
    assert "# tl: ignore[ub-overflow]" in editor.text


@pytest.mark.asyncio
async def test_nothing_is_offered_where_nothing_is_wrong(client: LanguageClient) -> None:
    editor = Editor(client, "right.py", read("TL503").example("Wrong"))
    await editor.published()
    first = types.Range(types.Position(0, 0), types.Position(0, 5))
    assert await actions(client, editor, first) == {}
    assert await actions(client, editor, first, ["refactor"]) == {}


@pytest.mark.asyncio
async def test_the_page_of_a_diagnostic(client: LanguageClient) -> None:
    params = types.ExecuteCommandParams("tl-ascend.openPage", ["TL503"])
    result: Any = await client.workspace_execute_command_async(params)
    uri = result["uri"] if isinstance(result, dict) else result.uri
    assert uri.endswith("/pages/TL503.md")
    with pytest.raises(Exception, match="no command"):
        await client.workspace_execute_command_async(
            types.ExecuteCommandParams("tl-ascend.openPage", ["TL999"])
        )


@pytest.mark.parametrize("tags", [[1, 2], []])
def test_what_does_nothing_is_tagged_where_the_client_knows_tags(start: Any, tags: Any) -> None:
    session: Session = start(tuple(SERVER))
    session.initialize(
        capabilities=capabilities(
            textDocument__publishDiagnostics__tagSupport={"valueSet": tags},
            textDocument__codeAction__codeActionLiteralSupport={},
            window__showDocument={"support": True},
        )
    )
    session.open("file:///case/unused.py", read("TL113").example("Wrong"))
    (found,) = session.diagnostics("file:///case/unused.py", 1)
    assert found.get("tags") == ([1] if tags else None)
    params = {
        "textDocument": {"uri": "file:///case/unused.py"},
        "range": found["range"],
        "context": {"diagnostics": []},
    }
    offered = session.ask("textDocument/codeAction", params)
    commands = [one["command"] for one in offered if "command" in one]
    assert [c["arguments"] for c in commands] == [["TL113"]]
    session.ask("workspace/executeCommand", commands[0])
    while session.asked.get(timeout=60)["method"] != "window/showDocument":
        pass


@pytest.mark.parametrize("tags", [[1, 2], [1]])
def test_a_deprecated_name_is_tagged_where_the_client_knows_it(start: Any, tags: Any) -> None:
    session: Session = start(tuple(SERVER))
    session.initialize(
        capabilities=capabilities(
            textDocument__publishDiagnostics__tagSupport={"valueSet": tags},
        )
    )
    session.open("file:///case/old.py", read("TL124").example("Wrong"))
    (found,) = session.diagnostics("file:///case/old.py", 1)
    assert found.get("tags") == ([2] if 2 in tags else None)


def test_a_client_without_literals_is_offered_nothing(start: Any) -> None:
    session: Session = start(tuple(SERVER))
    session.initialize()
    uri = "file:///case/unused.py"
    session.open(uri, read("TL113").example("Wrong"))
    (found,) = session.diagnostics(uri, 1)
    params = {
        "textDocument": {"uri": uri},
        "range": found["range"],
        "context": {"diagnostics": []},
    }
    assert session.ask("textDocument/codeAction", params) == []
