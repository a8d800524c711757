"""Building: command lines, what the compiler says, and how it fails."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit import support
from tests.toolchain import standins
from tests.toolchain.building import KERNEL, build, calls

from tl_ascend.backends import registry
from tl_ascend.driver import build as driver
from tl_ascend.target.hardware import A3, A5
from tl_ascend.toolchain import bisheng, cann
from tl_ascend.toolchain.bisheng import Job
from tl_ascend.toolchain.store import Store

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


def test_messages_stand_at_the_kernel(host: standins.Host, store: Store) -> None:
    (host.tools / "fail").write_text("AscendC::Exp")
    result = build(host, store)
    assert result.built is not None and result.built.library is None
    assert result.built.why == "bisheng: exit status 1"
    error, note = result.placed
    (kernel,) = support.report("kernel.py", KERNEL).kernels
    row = 1 + KERNEL.splitlines().index(next(x for x in KERNEL.splitlines() if "exp" in x))
    report = support.report("kernel.py", KERNEL)
    where = report.range_of(error.span) if error.span is not None else None
    assert where is not None and where.start.row == row
    assert "no matching function" in error.message.text
    assert note.message.file == "common.h" and note.span == error.span
    assert kernel.name == "main"


def test_a_compiler_that_is_killed(host: standins.Host, store: Store) -> None:
    (host.tools / "kill").write_text("")
    built = build(host, store).built
    assert built is not None and built.why == "bisheng: ended by SIGKILL"
    (host.tools / "kill").unlink()
    again = build(host, store).built
    assert again is not None and again.library is not None and not again.hit


def test_what_comes_after_100_mb_is_told(host: standins.Host, store: Store) -> None:
    (host.tools / "noise").write_text("")
    (host.tools / "fail").write_text("AscendC::Exp")
    heard: list[str] = []
    result = build(host, store, heard=heard.append)
    assert result.built is not None and "bytes are left out" in result.built.output
    assert [p.message.level for p in result.placed] == ["error", "note"]
    assert sum(map(len, heard)) < (1 << 20) + 200  # head, end, and a line between them


def test_a_compiler_that_prints_100_mb(host: standins.Host, store: Store) -> None:
    (host.tools / "noise").write_text("")
    built = build(host, store).built
    assert built is not None and built.library is not None
    assert len(built.output) <= 2 << 20


def test_a_build_that_is_cancelled(host: standins.Host, store: Store) -> None:
    """Before the compiler has begun, then while it runs."""
    built = build(host, store, cancelled=lambda: True).built
    assert built is not None and (built.library, built.why) == (None, "cancelled")
    assert calls(host) == 0
    (host.tools / "wait").write_text("")
    begun = (host.tools / "waiting").exists
    built = build(host, store, cancelled=begun).built
    assert built is not None and (built.library, built.why) == (None, "bisheng: cancelled")


def test_flags_of_the_routes(tmp_path: Path) -> None:
    root = tmp_path / "cann"
    plain = bisheng.flags(Job("ascendc", "2201", root / "bisheng", root, (tmp_path / "own",)))
    assert plain[:4] == ("--npu-arch=dav-2201", "-O2", "-std=c++17", "-xasc")
    assert f"-I{tmp_path / 'own'}" in plain and f"-L{root / 'lib64'}" in plain
    assert plain.index(f"-I{tmp_path / 'own'}") < plain.index(f"-I{root / 'include'}")
    pto = bisheng.flags(Job("pto", "3510", root / "bisheng", root, ()))
    assert {"--cce-aicore-arch=dav-c310", "-DREGISTER_BASE", "-xcce", "-lstdc++"} <= set(pto)
    older = bisheng.flags(Job("pto", "2201", root / "bisheng", root, ()))
    assert {"--cce-aicore-arch=dav-c220", "-DMEMORY_BASE"} <= set(older)
    assert "-I/usr/local/Ascend/driver/kernel/inc" in older and "-D_DEBUG" not in older
    printing = bisheng.flags(Job("pto", "2201", root / "bisheng", root, (), debug=True))
    assert {"-D_DEBUG", "--cce-enable-print"} <= set(printing)
    simulated = bisheng.flags(Job("ascendc", "2201", root / "b", root, (), tmp_path / "sim"))
    assert "-lruntime_camodel" in simulated and "-lruntime" not in simulated
    assert simulated.index(f"-L{tmp_path / 'sim'}") < simulated.index(f"-L{root / 'lib64'}")


def test_what_is_missing_is_said(host: standins.Host) -> None:
    backend = registry.backend("ascendc")
    nothing = driver.job_for(backend, A3, cann.find({"HOME": "/nowhere", "PATH": ""}))
    assert isinstance(nothing, str) and "CANN is not found" in nothing and "doctor" in nothing
    found = cann.find(host.environment)
    simulator = driver.job_for(backend, A5, found, driver.Options(simulator=True))
    assert isinstance(simulator, str) and "no simulator library for A5" in simulator


def test_messages_are_read() -> None:
    text = "k.cpp:3:7: error: one: two\n  code\n  ^\nh.h:9: note: three\nld: error: four\n"
    first, second = bisheng.messages(text)
    assert (first.file, first.row, first.column, first.text) == ("k.cpp", 3, 7, "one: two")
    assert (second.file, second.row, second.level) == ("h.h", 9, "note")
