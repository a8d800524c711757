"""What is shipped and what is tracked."""

from __future__ import annotations

import json
import re
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from tests.tidy.files import ROOT, tracked

# A registry's address in a lock file ties the project to the machine that wrote it.
REGISTRY = re.compile(r"registry\.|pypi\.org|pythonhosted|npmmirror|\"resolved\"")
# Where this checkout, its interpreter and its user live is nobody else's business.
MACHINE = sorted({str(ROOT), sys.prefix, sys.base_prefix, str(Path.home())} - {"/", "/usr"})
BINARY = (".png", ".vsix", ".gz", ".whl", ".ttf", ".woff2")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return zipfile.ZipFile(built)


def test_a_wheel_installs_two_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {t for t in tops if not t.endswith(".dist-info")} == {"tl_ascend", "tl_ascend_server"}


def test_a_wheel_has_everything_that_the_packages_hold(wheel: zipfile.ZipFile) -> None:
    wanted = {
        path.split("/", 1)[1] for path in tracked() if path.startswith(("compiler/", "server/"))
    }
    assert wanted <= set(wheel.namelist())


def test_the_wheel_has_the_commands(wheel: zipfile.ZipFile) -> None:
    (points,) = [n for n in wheel.namelist() if n.endswith("entry_points.txt")]
    said = wheel.read(points).decode()
    for command in ("tl-check", "tl-ascend", "tl-ascend-server"):
        assert f"{command} = " in said


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


LOCKS = [p for p in tracked() if re.search(r"(lock\.json|\.lock|requirements.*\.txt)$", p)]


@pytest.mark.parametrize("path", LOCKS)
def test_lock_files_hold_no_registry(path: str) -> None:
    assert REGISTRY.findall(text_of(path)) == []


def test_node_s_lock_file_has_hashes() -> None:
    locks = [p for p in LOCKS if p.endswith("package-lock.json")]
    assert locks
    for path in locks:
        packages = json.loads(text_of(path))["packages"]
        real = {n: p for n, p in packages.items() if n and not p.get("link")}
        assert not [n for n, p in real.items() if not p.get("integrity") and not p.get("inBundle")]


def test_no_file_knows_a_machine() -> None:
    known = re.compile("|".join(rf"{re.escape(place)}\b" for place in MACHINE))
    texts = [p for p in tracked() if not p.endswith(BINARY)]
    assert [p for p in texts if known.search(text_of(p))] == []
