"""A back end from outside (`listing.py` beside this): registered by a call, or by its package."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit import listing, support

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.cli.main import main
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.nodes import Kernel
from tl_ascend.target.hardware import Platform

KERNEL = support.kernel(
    """
    a = T.alloc_ub((64, 64), "float")
    T.copy(x, a)
    T.barrier_all()
    T.tile.exp(a, a)
    """
)
REFUSED = KERNEL + '        T.printf("here")\n'


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = dict(registry._BACKENDS)
    yield
    registry._BACKENDS.clear()
    registry._BACKENDS.update(before)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.py"
    path.write_text(KERNEL)
    return path


def run(path: Path, *more: str) -> int:
    return main(["emit", str(path), "-o", str(path.parent), *more])


def install(folder: Path, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that names a back end, as pip leaves it."""
    info = folder / "other-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\nlisting = {value}\n")
    monkeypatch.syspath_prepend(folder)


def test_registered_by_a_call(file: Path) -> None:
    registry.register(listing.BACKEND)
    assert run(file, "--target", "listing") == 0
    out = file.parent
    assert (out / "main.lst").read_text().splitlines() == [
        "; main on A3",
        "copy_gm_to_ub",
        "barrier_all",
        "Exp",
    ]
    rows = json.loads((out / "main.map.json").read_text())
    lines = KERNEL.splitlines()
    assert [lines[row - 1].strip() for row, _ in rows.values()] == [
        "T.copy(x, a)",
        "T.barrier_all()",
        "T.tile.exp(a, a)",
    ]
    report = json.loads((out / "main.report.json").read_text())
    assert report["operations"] == ["copy_gm_to_ub", "barrier_all", "Exp"]


def test_what_it_refuses_is_told_in_its_place(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.register(listing.BACKEND)
    file.write_text(REFUSED)
    assert run(file, "--target", "listing") == 1
    assert f"kernel.py:{len(REFUSED.splitlines())}:9" in capsys.readouterr().err
    assert not list(file.parent.glob("*.lst"))


def raising(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    raise RuntimeError("out of words")


def silent(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    return None


@pytest.mark.parametrize(
    ("emit", "said"),
    [
        (raising, "RuntimeError: out of words"),
        (silent, "it gave neither a program nor a reason"),
    ],
)
def test_a_bug_of_it_is_told_as_its_own(
    emit: Callable[[Kernel, Platform, Report], Emitted | None],
    said: str,
    file: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry.register(replace(listing.BACKEND, emit=emit))
    name = f"the back end 'listing' ({__name__})"
    assert run(file, "--target", "listing") == 1
    told = capsys.readouterr().err
    assert f"{name} failed on kernel main" in told and said in told
    assert f"this is a bug of {name}" in told and "tl-ascend" not in told
    assert main(["trace", str(file), "--target", "listing"]) == 1
    assert said in capsys.readouterr().out


def test_a_bug_of_ours_is_told_as_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "is_ours", lambda backend: True)
    (kernel,) = support.report("case.py", KERNEL).kernels
    (finding,) = emit_kernel(kernel, replace(listing.BACKEND, emit=raising)).blockers
    assert finding.notes == ("this is a bug of tl-ascend, not of the kernel",)


def test_the_driver_emits_with_it() -> None:
    (kernel,) = support.report("case.py", KERNEL).kernels
    outcome = emit_kernel(kernel, registry.register(listing.BACKEND))
    assert support.emitted(outcome).text.endswith("Exp\n")


def test_of_an_installed_package(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(file.parent, "tests.emit.listing:BACKEND", monkeypatch)
    assert registry.names()[-1] == "listing"
    assert "listing" not in [b.name for b in registry.backends()], "loaded without being meant"
    assert run(file, "--target", "listing") == 0
    assert (file.parent / "main.lst").exists()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no_such_module:BACKEND", "cannot be loaded: ModuleNotFoundError"),
        ("tests.emit.listing:REFUSED", "is no manifest of that name"),
        ("tl_ascend.backends.ascendc:BACKEND", "is no manifest of that name"),
    ],
)
def test_a_broken_package_is_named(
    value: str,
    said: str,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    install(file.parent, value, monkeypatch)
    assert run(file, "--target", "listing") == 2
    assert f"({value}) {said}" in capsys.readouterr().err


def test_an_unknown_one_lists_those_that_exist(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(file.parent, "no_such_module:BACKEND", monkeypatch)
    assert run(file, "--target", "none") == 2
    assert f"there are: {', '.join(registry.names())}" in capsys.readouterr().err
