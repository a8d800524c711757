"""Another host: a real sshd on this machine, with a login whose environment is that of a stand-in."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from tests.emit import support
from tests.toolchain import building, standins
from tests.toolchain.ssh_host import NAME, SSHD, Ssh

from tl_ascend.driver import site
from tl_ascend.toolchain import agent, doctor, launcher
from tl_ascend.toolchain.place import NoFolder, NoHost, NoPython, Unreachable
from tl_ascend.toolchain.remote import Host

pytestmark = [
    pytest.mark.skipif(not support.GXX, reason="needs g++"),
    pytest.mark.skipif(SSHD is None, reason="needs sshd (package openssh-server)"),
]
KERNEL = support.kernel(
    "a = T.alloc_ub((64, 64), 'float')\nT.copy(x, a)\nT.tile.exp(a, a)\nT.copy(a, y)",
    'x: T.Tensor((64, 64), "float"), y: T.Tensor((64, 64), "float")',
    blocks="1",
)


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[Ssh]:
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    made = Ssh(tmp_path, port)
    command = [str(SSHD), "-D", "-e", "-f", str(tmp_path / "sshd_config")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:  # it says when it listens
        if "listening" in line:
            break
    else:
        pytest.fail("sshd does not start")
    threading.Thread(target=process.stderr.read, daemon=True).start()
    yield made
    process.kill()
    process.wait()


@pytest.mark.parametrize("name", ["plain", "a b", "a+b", "a#b", "ä", "a'b", 'a"b', "$HOME", "-o"])
def test_files_go_there_and_back(ssh: Ssh, tmp_path: Path, name: str) -> None:
    source = tmp_path / "brought" / name
    source.mkdir(parents=True)
    (source / f"{name}.h").write_bytes(b"\0text\n")
    with ssh.there(folder=str(tmp_path / "work" / name)) as work:
        work.write(f"{name}.cpp", b"\xff\n")
        assert work.read(f"{name}.cpp") == b"\xff\n"
        assert work.read("nothing") is None
        there = work.bring(source)
        assert there != source and there.name == name
        path = str(there / f"{name}.h")
        done = work.run(["/bin/cat", path, str(work.path(f"{name}.cpp"))], 60, {})
        assert (done.status, done.out, done.why) == (0, "\0text\n\N{REPLACEMENT CHARACTER}\n", "")
        assert work.path(".").parent == tmp_path / "work" / name
        folder = work.path(".")
    assert not folder.exists()


def test_what_runs_there_is_told(ssh: Ssh) -> None:
    with ssh.there() as work:
        failed = work.run(["/bin/sh", "-c", "echo one; echo two >&2; exit 3"], 60, {})
        assert (failed.status, failed.out, failed.err) == (3, "one\n", "two\n")
        killed = work.run(["/bin/sh", "-c", "kill -9 $$"], 60, {})
        assert (killed.ok, killed.why) == (False, "ended by SIGKILL")
        absent = work.run(["/no/such"], 60, {})
        assert absent.why == "/no/such does not start: No such file or directory"
        late = work.run(["/bin/sleep", "1000"], 0.2, {})
        assert (late.status, late.why) == (None, "no answer within 0.2 s")
        noise = work.run(["/bin/sh", "-c", "head -c 100000000 /dev/zero; echo end >&2"], 300, {})
        assert noise.ok and 1 << 20 <= len(noise.out) < 1 << 21 and noise.err == "end\n"
        last = work.run(["/bin/sh", "-c", "head -c 100000000 /dev/zero; echo end"], 300, {})
        assert "bytes are left out" in last.out and last.out.endswith("end\n")


def test_output_comes_as_it_is_printed(ssh: Ssh, tmp_path: Path) -> None:
    """The command goes on only once its first words have arrived here, whole characters."""
    marker, heard = tmp_path / "go", list[str]()

    def hear(text: str) -> None:
        heard.append(text)
        if "\N{SNOWMAN}" in "".join(heard):
            marker.write_text("")

    script = "printf '\\342\\230\\203\\n'; until [ -e \"$0\" ]; do :; done; echo end"
    with ssh.there() as work:
        done = work.run(["/bin/sh", "-c", script, str(marker)], 60, None, heard=hear)
    assert (done.out, "".join(heard)) == ("\N{SNOWMAN}\nend\n", "\N{SNOWMAN}\nend\n")


def test_the_doctor_looks_there(ssh: Ssh, tmp_path: Path) -> None:
    text = '[tool.tl-ascend.remote]\nhost = "other"\npython = "python3"\n'
    nobody = ssh.command("doctor", "--remote", cwd=tmp_path)
    assert nobody.returncode == 2 and "names no host" in nobody.stderr
    (tmp_path / "pyproject.toml").write_text(text)
    done = ssh.command("doctor", "--remote", "--format", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    rows = {row["name"]: row for row in data["rows"]}
    assert (data["can_build"], data["can_run"], data["platform"]) == (True, True, "A2")
    assert rows["host"]["found"] == "other" and rows["CANN"]["state"] == "ok"
    assert "stand-in for bisheng" in rows["bisheng"]["found"]
    here = ssh.command("doctor", cwd=tmp_path)
    assert here.returncode == 1 and "tl-ascend doctor --remote" in here.stdout
    (ssh.host.tools / "npu-smi").unlink()
    (ssh.host.packages / "torch_npu/__init__.py").write_text(standins.NO_LIBRARIES)
    broken = ssh.command("doctor", "--remote", NAME, cwd=tmp_path)
    assert broken.returncode == 1 and "libhccl.so" in broken.stdout
    wrong = ("doctor", "--remote", NAME, "--python", "/bin/true", "--format", "json")
    (row,) = json.loads(ssh.command(*wrong, cwd=tmp_path).stdout)["rows"]
    assert (row["name"], row["state"]) == ("Python", "wrong") and "--python" in row["step"]
    nowhere = ssh.command("doctor", "--remote", "no-such.invalid", "--format", "json", cwd=tmp_path)
    (row,) = json.loads(nowhere.stdout)["rows"]
    assert (nowhere.returncode, row["name"], row["state"]) == (1, "host", "wrong")
    assert "ssh -o BatchMode=yes no-such.invalid true" in row["step"]
    for odd in ("-oProxyCommand=x", "a b"):
        told = ssh.command("doctor", f"--remote={odd}", "--format", "json", cwd=tmp_path)
        (row,) = json.loads(told.stdout)["rows"]
        assert (told.returncode, row["name"], row["state"]) == (1, "host", "wrong")
        assert "is no name of a host" in row["found"] and "BatchMode" not in row["step"]


SLEEPER = 'echo $$ > "$0.new"; /bin/mv "$0.new" "$0"; /bin/sleep 1000; :'


def test_cancelling_ends_what_runs_there(ssh: Ssh, tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    with ssh.there() as work:
        done = work.run(["/bin/sh", "-c", SLEEPER, str(marker)], 600, None, marker.exists)
        assert (done.status, done.why) == (None, "cancelled")
        standins.until(lambda: standins.ended(int(marker.read_text())))
        assert work.run(["/bin/true"], 60, {}).ok


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_a_command_ends_what_runs_there(
    ssh: Ssh, tmp_path: Path, number: signal.Signals
) -> None:
    file, pid = tmp_path / "kernel.py", ssh.host.tools / "pid"
    file.write_text(KERNEL, "utf-8")
    (ssh.host.tools / "hang").write_text("")
    process = subprocess.Popen(
        ssh.line("build", str(file), "--remote", NAME),
        env=ssh.local(tmp_path),
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # the tests' own may ignore it
    )
    standins.until(lambda: pid.exists() and bool(pid.read_text()))
    process.send_signal(number)
    assert process.wait(60) == 130
    standins.until(lambda: standins.ended(int(pid.read_text())))


def test_a_command_that_is_ended_before_it_begins_is_not_begun(tmp_path: Path) -> None:
    """`run` and `stop` have both arrived when the agent gets to them; the next one runs."""
    there, here = os.pipe(), tmp_path / "said"
    with os.fdopen(there[0], "rb") as source, here.open("wb") as target:
        served = agent.Agent(source, target)
        served.folder = str(tmp_path)
        listener = threading.Thread(target=served.listen)
        listener.start()

        def send(*names: str) -> None:
            more = {"command": ["/bin/echo", "hello"], "environment": None, "seconds": 60}
            for name in names:
                os.write(there[1], json.dumps({"do": name, **more}).encode() + b"\n")

        send("run", "stop")
        standins.until(served.stopped.is_set)
        served.answer(*served.requests.get())
        send("run")
        served.answer(*served.requests.get())
        os.close(there[1])
        listener.join()
    told = [json.loads(line) for line in here.read_bytes().splitlines() if line != b"hello"]
    assert told[0] == {"status": None, "why": "cancelled", "size": 0}
    assert (told[1]["stream"], told[-1]["status"]) == ("out", 0)


def test_after_an_interruption_nothing_is_begun(ssh: Ssh, tmp_path: Path) -> None:
    """Two kernels, one after the other: only the first has been compiled."""
    file, pid = tmp_path / "kernel.py", ssh.host.tools / "pid"
    second = KERNEL[KERNEL.index("@T.prim_func") :].replace("def main", "def other")
    file.write_text(f"{KERNEL}\n\n{second}", "utf-8")
    (ssh.host.tools / "hang").write_text("")
    for place in ((), ("--remote", NAME)):
        environment = (
            ssh.local(tmp_path) if place else building.command_environment(ssh.host, tmp_path)
        )
        pid.unlink(missing_ok=True)
        (ssh.host.tools / "calls").unlink(missing_ok=True)
        line = ssh.line("build", str(file), "-j1", *place)
        process = subprocess.Popen(
            line,
            env=environment,
            cwd=tmp_path,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            stderr=subprocess.PIPE,
            text=True,
        )
        standins.until(lambda: pid.exists() and bool(pid.read_text()))
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
        assert process.returncode == 130 and "Traceback" not in told
        assert building.calls(ssh.host) == 1
        assert "main.0: compiling" in told and "other.0: compiling" not in told


def test_a_lost_connection_ends_what_runs_there(ssh: Ssh, tmp_path: Path) -> None:
    marker = tmp_path / "pid"

    def lost() -> bool:
        if marker.exists() and work._process is not None:
            work._process.kill()
        return False

    with ssh.there() as work:
        folder = work.path(".")
        done = work.run(["/bin/sh", "-c", SLEEPER, str(marker)], 600, None, lost)
        assert done.status is None and done.why.startswith("other: ")
        standins.until(lambda: standins.ended(int(marker.read_text())))
    standins.until(lambda: not folder.exists())


def test_the_host_cannot_be_reached(ssh: Ssh, tmp_path: Path) -> None:
    def why(host: Host, environment: dict[str, str] | None = None) -> str:
        with pytest.raises(Unreachable) as told:
            site.there(host, environment or ssh.environment)
        return str(told.value)

    assert why(Host(NAME, "python9")).startswith("other has no python9: name the interpreter")
    for other in ("/bin/true", "/bin/cat"):
        text = why(Host(NAME, other))
        assert text.startswith(f"other: {other} is no Python that starts (") and "--python" in text
    assert why(Host("-oProxyCommand=x")) == "'-oProxyCommand=x' is no name of a host"
    assert why(Host("a b")) == "'a b' is no name of a host"
    assert why(Host(NAME), {"PATH": ""}).startswith("ssh does not start: No such file")
    assert "no-such" in why(Host("no-such.invalid"))
    full = tmp_path / "file"
    full.write_text("")
    assert "File exists" in why(Host(NAME, folder=str(full)))
    (tmp_path / "user_key.pub").write_text("")
    assert "Permission denied" in why(Host(NAME))


@pytest.mark.parametrize("name", ["scratch", "a/b c", "~/scratch"])
def test_a_folder_is_in_the_home_folder_there(ssh: Ssh, tmp_path: Path, name: str) -> None:
    """Wherever a login begins."""
    ssh.host.tool("python3", f'cd /; exec {sys.executable} -S "$@"')
    with ssh.there(folder=name) as work:
        home = tmp_path / "other host/home"
        assert work.path(".").parent == home / name.removeprefix("~/")
        work.write("a", b"1")
        assert work.run(["/bin/cat", str(work.path("a"))], 60).out == "1"


@pytest.mark.parametrize("name", ["/proc/x", "{0}/file", "{0}/file/sub", "a\0b", "\ud800"])
def test_a_folder_that_cannot_be_worked_in(ssh: Ssh, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    name = name.format(tmp_path)
    with pytest.raises(NoFolder) as told:
        site.there(Host(NAME, folder=name), ssh.environment)
    row = doctor.unreachable(NAME, told.value)
    assert row.name == "folder" and repr(name) in row.found and "password" not in row.step
    assert repr(name) in str(told.value) and "[tool.tl-ascend.remote]" in row.step


@pytest.mark.parametrize("odd", ["a\0b", "\ud800", ""])
def test_names_that_no_process_takes(ssh: Ssh, odd: str) -> None:
    with pytest.raises(NoHost, match="is no name of a host"):
        site.there(Host(odd), ssh.environment)
    with pytest.raises(NoPython, match="is no name of a Python"):
        site.there(Host(NAME, odd), ssh.environment)


def test_login_scripts_that_print(ssh: Ssh) -> None:
    ssh.host.tool("python3", f'echo hello; exec {sys.executable} -S "$@"')
    with ssh.there() as work:
        assert work.run(["/bin/true"], 60, {}).ok


def test_cann_is_found_and_sourced(ssh: Ssh, tmp_path: Path) -> None:
    root = tmp_path / "other host/home/Ascend/ascend-toolkit/latest"
    (root.parent / "set_env.sh").write_text("export SOURCED='a b\nc'\necho noise\n")
    with ssh.there() as work:
        found = work.look()
    assert found.said["root"] == str(root) and "SOURCED" not in found.environment
    ssh.host.tool("python3", f'unset ASCEND_HOME_PATH; exec {sys.executable} -S "$@"')
    place = site.there(Host(NAME), ssh.environment)
    assert place.cann.root == root and place.cann.version == "8.3.RC1"
    assert place.environment["SOURCED"] == "a b\nc"
    assert place.cann.bisheng == root / "bin/bisheng"
    with place.place() as work:
        done = work.run(["/bin/sh", "-c", 'echo "$SOURCED"'], 60)
        assert done.out == "a b\nc\n"


def test_building_and_running_there(ssh: Ssh, tmp_path: Path) -> None:
    file = tmp_path / "my +#ä kernel.py"
    (ssh.host.tools / "machine").write_text("")
    file.write_text(KERNEL, "utf-8")
    done = ssh.command("run", str(file), "--remote", NAME, "--format", "json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert kernel["agrees"] and kernel["compared"] and kernel["device"] == "Ascend910B3"
    text = '[tool.tl-ascend.remote]\nhost = "other"\nfolder = "~/my work"\n'
    (tmp_path / "pyproject.toml").write_text(text)
    again = ssh.command("build", str(file), cwd=tmp_path)
    assert again.returncode == 0 and "(hit: built before)" in again.stdout, again.stderr
    assert list((tmp_path / "other host/home/my work").iterdir()) == []
    here = ssh.command("build", str(file), "--remote", "none", cwd=tmp_path)
    assert here.returncode == 2 and "CANN is not found" in here.stderr
    dry = ssh.command("build", str(file), "--dry-run", cwd=tmp_path)
    assert dry.returncode == 0 and "other host/home/Ascend" in dry.stdout
    (ssh.host.tools / "fail").write_text("AscendC::Exp")
    ssh.command("build", "--clear-cache", cwd=tmp_path)
    failed = ssh.command("build", str(file), cwd=tmp_path)
    assert "main.0: compiling on other\n" in failed.stderr
    row = 1 + next(n for n, line in enumerate(KERNEL.splitlines()) if "exp" in line)
    assert failed.returncode == 1
    assert f"{file}:{row}:9: error: no matching function" in failed.stderr


def test_a_compiler_that_is_killed_there(ssh: Ssh, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    (ssh.host.tools / "kill").write_text("")
    done = ssh.command("build", str(file), "--remote", NAME, cwd=tmp_path)
    assert done.returncode == 1 and "bisheng: ended by SIGKILL" in done.stderr


@pytest.mark.parametrize("module", [agent, launcher])
def test_what_is_sent_runs_on_older_pythons(module: ModuleType) -> None:
    """And needs only what comes with Python; torch is the user's own."""
    tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"), feature_version=(3, 7))
    names = {
        (node.module or "" if isinstance(node, ast.ImportFrom) else alias.name).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assert names - {"torch", "torch_npu"} <= sys.stdlib_module_names
    assert isinstance(tree.body[1], ast.ImportFrom) and tree.body[1].module == "__future__"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[tool.tl-ascend.remote]\nhost = 7\n", "host = 7"),
        ('[tool.tl-ascend.remote]\nhost = "other"\npyhton = "x"\n', "pyhton = 'x'"),
        ('[tool.tl-ascend]\nremote = "other"\n', "'other'"),
        ("[tool.tl-ascend.remote\n", "pyproject.toml"),
        ('[tool.tl-ascend.remote]\npython = "python3"\n', "no host for its python"),
        ('[tool.tl-ascend.remote]\nhost = ""\n', "remote has an empty host"),
        ('[tool.tl-ascend.remote]\nhost = ""\nfolder = "x"\n', "no host for its folder"),
    ],
)
def test_nothing_is_built_here_that_may_be_meant_for_another_host(
    tmp_path: Path, text: str, wrong: str
) -> None:
    host = standins.Host(tmp_path)
    host.compiler()
    (tmp_path / "pyproject.toml").write_text(text)
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    environment = host.environment | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "tl_ascend.cli.main", *arguments]
        return subprocess.run(
            line, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    for arguments in (("build", str(file)), ("run", str(file)), ("doctor", "--remote")):
        done = command(*arguments)
        assert done.returncode == 2 and wrong in done.stderr, (arguments, done.stderr)
    assert not (host.tools / "calls").exists()
    assert wrong in command("doctor").stderr
