"""Build, run and show, over sessions with the real server and stand-ins for the compiler and torch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.emit import support
from tests.lsp.session import SERVER, TIMEOUT_S, Session, capabilities
from tests.toolchain import standins

from tl_ascend_server.capabilities import BUILD, CHOOSE, COMMANDS, RUN, SHOW_IR, SHOW_SOURCE

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")
KERNEL = support.kernel(
    "a = T.alloc_ub((64, 64), 'float')\nT.copy(x, a)\nT.tile.exp(a, a)\nT.copy(a, y)",
    'x: T.Tensor((64, 64), "float"), y: T.Tensor((64, 64), "float")',
    blocks="1",
)
LINES = KERNEL.splitlines()
EXP = next(n for n, line in enumerate(LINES) if "exp" in line)
HEAD = next(n for n, line in enumerate(LINES) if "prim_func" in line)
CAPABILITIES = capabilities(
    window={"workDoneProgress": True},
    textDocument__codeAction__codeActionLiteralSupport={},
    workspace__codeLens={"refreshSupport": True},
)
Start = Callable[..., Session]


class Desk:
    """An editor with one kernel open, on a machine with a compiler and a device."""

    def __init__(
        self,
        start: Start,
        folder: Path,
        name: str = "kernel.py",
        faultless: bool = True,
        **options: Any,
    ) -> None:
        self.host = standins.Host(folder)
        self.host.compiler()
        self.steer("quick")
        self.host.torch()
        self.host.torch_npu()
        own = self.host.environment
        paths = os.pathsep.join([own["PYTHONPATH"], *sys.path])
        env = {**own, "PYTHONPATH": paths, "TL_ASCEND_CACHE_DIR": str(folder / "cache")}
        self.session = start(SERVER, env=env)
        self.session.initialize(capabilities=CAPABILITIES, initializationOptions=options)
        self.path = folder / name
        self.uri = self.path.as_uri()
        self.session.open(self.uri, KERNEL)
        assert (self.session.diagnostics(self.uri, 1) == []) is faultless

    def begin(self, command: str, **more: Any) -> int:
        named = {"uri": self.uri, "line": EXP, **more}
        return self.session.begin(
            "workspace/executeCommand", {"command": command, "arguments": [named]}
        )

    def done(self, number: int) -> Any:
        answer = self.session.reply(number, 300)
        assert "error" not in answer, answer
        return answer["result"]

    def command(self, command: str, **more: Any) -> Any:
        return self.done(self.begin(command, **more))

    def told(self, method: str) -> Any:
        """The next notification of a kind."""
        while True:
            message = self.session.told.get(timeout=TIMEOUT_S)
            if message["method"] == method:
                return message["params"]

    def steer(self, name: str, text: str = "") -> None:
        """Have the compiler fail, hang, ...; for a library that can be launched it has to compile."""
        (self.host.tools / name).write_text(text)
        if name == "machine":
            (self.host.tools / "quick").unlink()

    def compiling(self) -> int:
        """Waits until the compiler runs and hangs; its process."""
        file = self.host.tools / "pid"
        standins.until(lambda: file.exists() and bool(file.read_text()))
        return int(file.read_text())


@pytest.fixture
def desk(start: Start, tmp_path: Path) -> Desk:
    return Desk(start, tmp_path)


def test_lenses_and_actions(desk: Desk) -> None:
    document = {"textDocument": {"uri": desk.uri}}
    lenses = desk.session.ask("textDocument/codeLens", document)
    assert [lens["command"]["command"] for lens in lenses] == [
        *(BUILD, RUN, CHOOSE, SHOW_SOURCE, SHOW_IR)
    ]
    assert {lens["range"]["start"]["line"] for lens in lenses} == {HEAD}
    (named,) = lenses[0]["command"]["arguments"]
    assert named == {"uri": desk.uri, "name": "main", "number": 0}

    def offered(line: int, **context: Any) -> list[str]:
        place = {"line": line, "character": 4}
        params = {
            **document,
            "range": {"start": place, "end": place},
            "context": {"diagnostics": [], **context},
        }
        found = desk.session.ask("textDocument/codeAction", params)
        return [action["title"] for action in found]

    titles = [lens["command"]["title"] for lens in lenses]
    assert offered(HEAD) == offered(HEAD + 1) == titles
    assert offered(EXP) == offered(0) == offered(HEAD, only=["quickfix"]) == []


def test_commands_are_those_that_are_announced(start: Start) -> None:
    from tl_ascend_server.features.commands import HANDLERS

    session = start(SERVER)
    told = session.initialize()
    assert told["capabilities"]["executeCommandProvider"]["commands"] == list(COMMANDS)
    assert set(HANDLERS) == set(COMMANDS)
    assert session.error("workspace/executeCommand", {"command": "tl-ascend.no"}) == -32602
    unopened = {"command": BUILD, "arguments": [{"uri": "file:///none.py"}]}
    assert session.error("workspace/executeCommand", unopened) == -32602


def test_a_build(desk: Desk) -> None:
    result = desk.command(BUILD)
    assert result["ok"] and result["summary"].startswith("main.0: miss (first build), ")
    begun = desk.told("$/progress")["value"]
    assert begun == {"kind": "begin", "title": "build main.0", "cancellable": True}
    words = []
    while (value := desk.told("$/progress")["value"])["kind"] == "report":
        words.append(value["message"])
    assert words == ["evaluating the kernel", "looking for the compiler", "compiling"]
    assert value == {"kind": "end"}
    assert desk.told("window/showMessage") == {"type": 3, "message": result["summary"]}
    assert "--npu-arch=dav-2201" in desk.told("window/logMessage")["message"]
    again = desk.command(BUILD, name="main", number=0)
    assert "hit (built before)" in again["summary"]


def test_a_run(desk: Desk) -> None:
    desk.steer("machine")
    result = desk.command(RUN)
    assert result["ok"], result
    assert (
        "on Ascend910B3, median " in result["summary"]
        and "y float32[64, 64]: agrees" in (result["summary"])
    )


def test_what_a_run_shows_stands_at_the_kernel(desk: Desk) -> None:
    """A program that ends the process on the device."""
    desk.steer("machine")
    desk.steer("inject", 'fprintf(stderr, "error code is 507015\\n"); exit(1);')
    result = desk.command(RUN)
    assert not result["ok"] and "main.0: error 507015 (launch)" in result["summary"]
    while not (items := desk.session.diagnostics(desk.uri, 1)):
        pass
    (found,) = items
    assert (found["source"], found["severity"]) == ("tl-ascend run", 1)
    assert found["range"]["start"]["line"] == found["range"]["end"]["line"] == HEAD + 1
    assert found["message"].startswith(
        "main.0: error 507015 (launch): the AI core took an exception"
    )
    assert desk.command(BUILD)["ok"]
    assert desk.session.diagnostics(desk.uri, 1) == []


def test_errors_stand_at_the_kernel_until_the_next_edit_or_build(desk: Desk) -> None:
    desk.steer("fail", "AscendC::Exp")
    result = desk.command(BUILD)
    assert (result["ok"], result["summary"]) == (
        False,
        "main.0 is not built: bisheng: exit status 1",
    )
    (found,) = desk.session.diagnostics(desk.uri, 1)
    assert (found["source"], found["severity"]) == ("bisheng", 1)
    assert found["range"]["start"] == {"line": EXP, "character": 8}
    first, original, note = found["message"].splitlines()
    assert first == "no matching function for call to 'AscendC::Exp'"
    assert original.startswith("bisheng: ") and ".cpp:" in original and first in original
    assert note == "common.h:12:3: note: candidate template ignored"
    end = {"line": len(LINES), "character": 0}
    desk.session.change(desk.uri, 2, {"range": {"start": end, "end": end}, "text": "\n"})
    assert desk.session.diagnostics(desk.uri, 2) == []
    desk.command(BUILD)
    assert [d["source"] for d in desk.session.diagnostics(desk.uri, 2)] == ["bisheng"]
    (desk.host.tools / "fail").unlink()
    assert desk.command(BUILD)["ok"]
    assert desk.session.diagnostics(desk.uri, 2) == []


def test_the_text_of_the_editor_is_built(desk: Desk) -> None:
    assert not desk.path.exists()
    new = KERNEL.replace("exp", "sqrt")
    desk.session.change(desk.uri, 2, {"text": new})
    desk.steer("fail", "AscendC::Sqrt")
    assert not desk.command(BUILD)["ok"]
    while not (found := desk.session.diagnostics(desk.uri, 2)):
        pass
    assert "AscendC::Sqrt" in found[0]["message"]


def test_a_kernel_that_cannot_be_emitted(desk: Desk) -> None:
    desk.session.change(
        desk.uri, 2, {"text": KERNEL.replace("(64, 64), 'float'", "(640, 640), 'float'")}
    )
    result = desk.command(BUILD)
    assert not result["ok"] and "main.0 cannot be emitted: TL503" in result["summary"]


def test_a_compiler_that_is_killed(desk: Desk) -> None:
    desk.steer("kill")
    result = desk.command(BUILD)
    assert result["summary"] == "main.0 is not built: bisheng: ended by SIGKILL"
    (desk.host.tools / "kill").unlink()
    assert desk.command(BUILD)["ok"]


def test_hover_answers_while_a_build_runs_and_cancelling_ends_it(desk: Desk) -> None:
    desk.steer("hang")
    build = desk.begin(BUILD)
    pid = desk.compiling()
    place = {"line": EXP, "character": LINES[EXP].index("exp") + 1}
    hover = desk.session.ask(
        "textDocument/hover", {"textDocument": {"uri": desk.uri}, "position": place}
    )
    assert "exp" in hover["contents"]["value"]
    token = desk.told("$/progress")["token"]
    desk.session.notify("window/workDoneProgress/cancel", {"token": token})
    result = desk.done(build)
    assert (result["ok"], result["summary"]) == (False, "The build of main.0 was cancelled.")
    standins.until(lambda: standins.ended(pid))


@pytest.mark.parametrize("how", ["request", "close", "again", "server"])
def test_what_nobody_waits_for_ends(desk: Desk, how: str) -> None:
    desk.steer("hang")
    build = desk.begin(BUILD)
    pid = desk.compiling()
    if how == "request":
        desk.session.notify("$/cancelRequest", {"id": build})
        assert desk.session.reply(build)["error"]["code"] == -32800
    elif how == "close":
        desk.session.notify("textDocument/didClose", {"textDocument": {"uri": desk.uri}})
    elif how == "again":
        (desk.host.tools / "hang").unlink()
        assert desk.command(BUILD)["ok"]
        assert "cancelled" in desk.done(build)["summary"]
    else:
        desk.session.process.kill()
    standins.until(lambda: standins.ended(pid))


def test_100_mb_of_compiler_output(desk: Desk) -> None:
    desk.steer("noise")
    result = desk.command(BUILD)
    assert result["ok"] and len(result["log"]) < 1 << 17


def test_an_untrusted_workspace(start: Start, tmp_path: Path) -> None:
    desk = Desk(start, tmp_path, workspaceTrusted=False)
    settings = {"tl-ascend": {"workspaceTrusted": True, "trusted": True}}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    for command in (BUILD, RUN):
        result = desk.command(command)
        assert not result["ok"] and "not trusted" in result["summary"]
        told = desk.told("window/showMessage")
        assert told == {"type": 2, "message": result["summary"]}
    assert not (desk.host.tools / "calls").exists()
    assert "AscendC" in desk.command(SHOW_SOURCE)["text"]
    desk.session.notify("tl-ascend/trustGranted", {})
    assert desk.command(BUILD)["ok"]


@pytest.mark.parametrize("name", ["a b.py", "a+b.py", "a#b.py", "ä.py", "a'b.py", "a%20b.py"])
def test_odd_paths(start: Start, tmp_path: Path, name: str) -> None:
    desk = Desk(start, tmp_path, name)
    desk.steer("fail", "AscendC::Exp")
    assert not desk.command(BUILD)["ok"]
    assert [d["source"] for d in desk.session.diagnostics(desk.uri, 1)] == ["bisheng"]


def test_settings_choose_what_builds(start: Start, tmp_path: Path) -> None:
    desk = Desk(start, tmp_path, route="nothing")
    assert "no route 'nothing'; there are: ascendc" in desk.command(BUILD)["summary"]
    settings: dict[str, Any] = {"tl-ascend": {"route": "ascendc", "headers": ["my headers"]}}
    (tmp_path / "my headers").mkdir()
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    log = desk.command(BUILD)["log"]
    assert f"-I{tmp_path / 'my headers'}" in log
    settings["tl-ascend"] = {"headers": [], "remote": "-x"}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert desk.command(BUILD)["summary"] == "'-x' is no name of a host"
    settings["tl-ascend"] = {"remote": "a\0b"}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert desk.command(BUILD)["summary"] == "'a\\x00b' is no name of a host"
    settings["tl-ascend"] = {"remote": "none"}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert desk.command(BUILD)["ok"]
    assert "looking for the compiler" in steps(desk)
    number = desk.command(BUILD, name="main", number=-1)["summary"]
    assert "from 0 on" in number and "--" not in number


def steps(desk: Desk) -> list[str]:
    """The words about each step that have come so far."""
    found = []
    while not desk.session.told.empty():
        message = desk.session.told.get()
        if message["method"] == "$/progress" and message["params"]["value"]["kind"] == "report":
            found.append(message["params"]["value"]["message"])
    return found


def test_the_python_of_this_machine_is_not_one_of_another_host(
    start: Start, tmp_path: Path
) -> None:
    """The project says which host and which Python there; the editor which Python here."""
    desk = Desk(start, tmp_path, python="/my/python")
    asked = tmp_path / "asked"
    desk.host.tool("ssh", f'printf "%s\\n" "$@" > "{asked}"; exit 255')
    project = '[tool.tl-ascend.remote]\nhost = "other"\n'
    for more, python in (("python = 'its/python'", "its/python"), ("", "python3")):
        (tmp_path / "pyproject.toml").write_text(f"{project}{more}\n")
        assert not desk.command(BUILD)["ok"]
        assert f"exec {python} -I" in asked.read_text()
        assert "looking for the compiler on other" in steps(desk)
    settings = {"tl-ascend": {"remote": "other", "python": "there/python"}}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert not desk.command(BUILD)["ok"]
    assert "exec there/python -I" in asked.read_text()


FACTORY = """
import tilelang
import tilelang.language as T


@tilelang.jit(target="pto")
def scaled(rows):
    n = T.symbolic("n")

    @T.prim_func
    def main(x: T.Tensor((n, 64), "float"), s: T.float32, y: T.Tensor((n, 64), "float")):
        with T.Kernel(n // rows, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), "float")
            if vid == 0:
                T.copy(x[cid * rows, 0], a)
                T.barrier_all()
                T.tile.mul(a, a, s)
                T.barrier_all()
                T.copy(a, y[cid * rows, 0])

    return main


scaled(8)
scaled(16)
"""


def test_choices(desk: Desk) -> None:
    """Which instance, where, with which sizes: what is offered, and what is done with it."""
    uri = (desk.path.parent / "factory.py").as_uri()
    desk.session.open(uri, FACTORY)
    assert [d for d in desk.session.diagnostics(uri, 1) if d["severity"] < 3] == []
    found = desk.session.ask("tl-ascend/choices", {"uri": uri, "line": 9})
    assert found["name"] == "scaled" and found["sizes"] == ["n", "s"]
    texts = [(one["number"], one["text"]) for one in found["instances"]]
    assert texts == [(0, "rows=8"), (1, "rows=16")]
    assert [action["title"] for action in found["actions"]][:3] == [
        *("Build", "Run on NPU", "Run on CANN's simulator")
    ]
    assert desk.command(CHOOSE, uri=uri, line=9) == found
    nothing = desk.session.ask("tl-ascend/choices", {"uri": desk.uri, "name": "no"})
    assert nothing["instances"] == [] and "no kernel here" in nothing["why"]

    chosen = {"uri": uri, "name": "scaled", "number": 1}
    texts_of = [desk.command(SHOW_SOURCE, **{**chosen, "number": at})["text"] for at in (0, 1)]
    assert texts_of[0] != texts_of[1] and "<pto/pto-inst.hpp>" in texts_of[1]
    desk.steer("quick")
    settings = {"tl-ascend": {"route": "ascendc"}}
    desk.session.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert desk.command(BUILD, **chosen)["summary"].startswith("scaled.1: miss")
    by_line = desk.command(BUILD, uri=uri, line=9, instance=1)
    assert by_line["summary"].startswith("scaled.1: hit")
    wrong = desk.command(RUN, **chosen, sizes={"m": 3})
    assert wrong["summary"].endswith("the kernel has no size or scalar 'm'; there are: n, s")
    simulated = desk.command(RUN, **chosen, simulator=True)
    assert "no simulator library for A3" in simulated["summary"]
    bad = {"command": RUN, "arguments": [{**chosen, "sizes": {"n": "many"}}]}
    assert desk.session.error("workspace/executeCommand", bad) == -32602


def test_a_run_on_the_simulator(desk: Desk) -> None:
    desk.steer("machine")
    desk.host.simulator(desk.host.folder / "home/Ascend/ascend-toolkit/latest")
    result = desk.command(RUN, simulator=True)
    assert result["ok"] and "on simulator Ascend910B1" in result["summary"], result


def test_source_and_ir_follow_lines(desk: Desk) -> None:
    session = desk.session
    source = session.ask("tl-ascend/emittedSource", {"uri": desk.uri, "line": EXP})
    rows = [row for row, line in source["lines"] if line == EXP]
    assert source["title"] == "main.0.cpp" and source["version"] == 1
    assert any("AscendC::Exp" in source["text"].splitlines()[row] for row in rows)
    stages = [stage["name"] for stage in session.ask("tl-ascend/stages", None)]
    assert stages[0] == "front-end" and stages[-1] == "simplify"
    for stage, wanted in (("front-end", "T.tile.exp"), ("", "Exp(a, a)")):
        named = {"uri": desk.uri, "name": "main", "number": 0, "stage": stage}
        ir = session.ask("tl-ascend/loweredIr", named)
        rows = [row for row, line in ir["lines"] if line == EXP]
        assert any(wanted in ir["text"].splitlines()[row] for row in rows), ir["text"]
        assert ir["title"] == f"main.0 after {stage or 'simplify'}"
    wrong = session.ask("tl-ascend/loweredIr", {"uri": desk.uri, "line": EXP, "stage": "no"})
    assert wrong["text"] == "" and wrong["why"].startswith("no stage 'no'; there are: front-end")
    session.open("file:///case/empty.py", "x = 1\n")
    nothing = session.ask("tl-ascend/emittedSource", {"uri": "file:///case/empty.py", "line": 0})
    assert nothing["why"] == "There is no kernel here: put the cursor into one."


def test_nothing_is_built_by_settings_that_are_wrong(start: Start, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.tl-ascend.remote]\nhots = 'other'\n")
    desk = Desk(start, tmp_path, faultless=False)
    for command in (BUILD, RUN):
        result = desk.command(command)
        assert not result["ok"] and "hots = 'other'" in result["summary"]


def test_a_task_that_is_asked_for_nothing_ends() -> None:
    line = [sys.executable, "-m", "tl_ascend_server.task"]
    for text in ("", '{"action": '):
        done = subprocess.run(line, input=text, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
