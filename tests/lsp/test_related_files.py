"""Files that depend on each other, open side by side, none of them saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.lsp.session import SERVER, Session, edit

Start = Callable[..., Session]

LIB = "ROWS = 16\n\n\ndef columns():\n    return 64\n"
USER = """\
import tilelang.language as T
from lib import ROWS, columns


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((ROWS, columns()), "float32")
        T.copy(A[0, 0], a)
"""
FACTORY = """\
import tilelang.language as T


def build(rows):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), "float32")
            T.copy(A[0, 0], a)

    return main
"""
CALLER = "from factory import build\n\nbuild(16)\n"


def both(start: Start, folder: Path, first: tuple[str, str], second: tuple[str, str]) -> Session:
    """A session with two files open; the second is what the caller looks at."""
    session = start(SERVER)
    session.initialize(rootUri=folder.as_uri())
    for name, text in (first, second):
        (folder / name).write_text(text)
        session.open((folder / name).as_uri(), text)
        session.diagnostics((folder / name).as_uri(), 1)
    return session


def refreshed(session: Session) -> None:
    """Wait until the server asks the client to come for its hints again."""
    while session.asked.get(timeout=20)["method"] != "workspace/inlayHint/refresh":
        pass


def labels(session: Session, uri: str) -> list[str]:
    return [hint["label"] for hint in session.hints(uri)]


def test_what_imports_the_changed_file_is_analysed_again(start: Start, tmp_path: Path) -> None:
    session = both(start, tmp_path, ("lib.py", LIB), ("user.py", USER))
    user = (tmp_path / "user.py").as_uri()
    assert ": float32[16,64] UB 4 KiB" in labels(session, user)
    session.change((tmp_path / "lib.py").as_uri(), 2, edit((0, 7), (0, 9), "32"))
    refreshed(session)
    assert ": float32[32,64] UB 8 KiB" in labels(session, user)


def test_what_the_changed_file_imports_is_analysed_again(start: Start, tmp_path: Path) -> None:
    session = both(start, tmp_path, ("caller.py", CALLER), ("factory.py", FACTORY))
    factory = (tmp_path / "factory.py").as_uri()
    assert ": float32[16,64] UB 4 KiB" in labels(session, factory)
    session.change((tmp_path / "caller.py").as_uri(), 2, edit((2, 6), (2, 8), "32"))
    refreshed(session)
    assert ": float32[32,64] UB 8 KiB" in labels(session, factory)


def test_what_depends_on_a_closed_file_sees_the_one_on_disk(start: Start, tmp_path: Path) -> None:
    session = both(start, tmp_path, ("lib.py", LIB), ("user.py", USER))
    lib, user = ((tmp_path / name).as_uri() for name in ("lib.py", "user.py"))
    assert ": float32[16,64] UB 4 KiB" in labels(session, user)
    session.change(lib, 2, edit((0, 7), (0, 9), "32"))
    refreshed(session)
    assert ": float32[32,64] UB 8 KiB" in labels(session, user)
    session.notify("textDocument/didClose", {"textDocument": {"uri": lib}})
    refreshed(session)
    assert ": float32[16,64] UB 4 KiB" in labels(session, user)


def test_wrong_settings_are_told_with_one_open_file(start: Start, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.tl-ascend]\nplatform = "A7"\n')
    session = start(SERVER)
    session.initialize(rootUri=tmp_path.as_uri())
    first, second = ((tmp_path / name).as_uri() for name in ("first.py", "second.py"))
    for uri, wanted in ((first, ["TL111"]), (second, [])):
        session.open(uri, FACTORY)
        found = session.diagnostics(uri, 1)
        assert [d["code"] for d in found if d["code"] == "TL111"] == wanted
    session.notify("textDocument/didClose", {"textDocument": {"uri": first}})
    session.change(second, 2, edit((0, 0), (0, 0), "\n"))
    assert "TL111" in [d["code"] for d in session.diagnostics(second, 2)]
