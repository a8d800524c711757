"""Texts of a project: what is open counts before what is on the disk, and imports are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tl_ascend.driver.files import Files
from tl_ascend.driver.roots import project_root


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_open_text_counts_before_the_disk(tmp_path: Path) -> None:
    path = write(tmp_path / "k.py", "a = 1\n")
    files = Files()
    assert files.units(path).source.text == "a = 1\n"
    files.set_text(path, "b = 2\n")
    assert files.units(path).source.text == "b = 2\n"
    files.set_text(path, None)
    assert files.units(path).source.text == "a = 1\n"


def test_a_file_is_read_again_where_it_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "k.py", "a = 1\n")
    files = Files()
    first = files.units(path)
    assert files.units(path) is first
    write(tmp_path / "k.py", "a = 22\n")
    os.utime(path, ns=(1, 1))
    second = files.units(path)
    assert second.source.text == "a = 22\n"


def test_units_survive_from_version_to_version(tmp_path: Path) -> None:
    files = Files()
    files.set_text("k.py", "a = 1\nb = 2\n")
    first = files.units("k.py")
    files.set_text("k.py", "a = 3\n\nb = 2\n")
    assert files.units("k.py").units[1] is first.units[1]


@pytest.mark.parametrize(
    ("name", "level", "found"),
    [
        ("near", 0, "pkg/sub/near.py"),
        ("pkg.other", 0, "pkg/other.py"),
        ("other", 2, "pkg/other.py"),
        ("near", 1, "pkg/sub/near.py"),
        ("pkg", 0, "pkg/__init__.py"),
        ("top", 0, "top.py"),
        ("outside", 0, ""),
        ("missing", 1, ""),
    ],
)
def test_imports_are_found_up_to_the_root(
    tmp_path: Path, name: str, level: int, found: str
) -> None:
    root = tmp_path / "project"
    for place in ("pkg/__init__.py", "pkg/other.py", "pkg/sub/near.py", "top.py"):
        write(root / place, "")
    write(tmp_path / "outside.py", "")
    importer = write(root / "pkg" / "sub" / "me.py", "")
    located = Files(str(root)).locate(importer, name, level)
    assert located == (str(root / found) if found else "")


def test_a_package_goes_before_a_file_of_its_name(tmp_path: Path) -> None:
    importer, _ = write(tmp_path / "me.py", ""), write(tmp_path / "sizes.py", "")
    package = write(tmp_path / "sizes" / "__init__.py", "")
    assert Files(str(tmp_path)).locate(importer, "sizes", 0) == str(package)


def test_importers_are_files_that_name_this_one(tmp_path: Path) -> None:
    kernels = write(tmp_path / "kernels.py", "x = 1\n")
    wanted = [
        write(tmp_path / "a.py", "from kernels import x\n"),
        write(tmp_path / "b.py", "import os\nimport kernels\n"),
        write(tmp_path / "sub" / "c.py", "from kernels import x as y\n"),
    ]
    write(tmp_path / "d.py", "# from kernels import x\n")
    write(tmp_path / "other" / "kernels.py", "x = 2\n")
    write(tmp_path / "other" / "e.py", "from kernels import x\n")
    assert sorted(Files(str(tmp_path)).importers(kernels)) == sorted(wanted)


def test_importers_of_a_package_name_its_folder(tmp_path: Path) -> None:
    package = write(tmp_path / "kernels" / "__init__.py", "x = 1\n")
    wanted = write(tmp_path / "a.py", "from kernels import x\n")
    write(tmp_path / "b.py", "import other\n")
    assert Files(str(tmp_path)).importers(package) == [wanted]


def test_an_importer_that_comes_and_goes_is_seen(tmp_path: Path) -> None:
    kernels, files = write(tmp_path / "kernels.py", "x = 1\n"), Files(str(tmp_path))
    assert files.importers(kernels) == []
    late = write(tmp_path / "late.py", "from kernels import x\n")
    os.utime(tmp_path, ns=(1, 1))  # the clock of a file system may be coarse
    assert files.importers(kernels) == [late]
    files.set_text(late, "from others import x\n")
    assert files.importers(kernels) == []


def test_the_root_of_a_project_is_marked(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "")
    write(tmp_path / "a" / "b" / "k.py", "")
    assert project_root(tmp_path / "a" / "b") == tmp_path


def test_what_cannot_be_read_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Files().units(str(tmp_path / "missing.py"))
    with pytest.raises(OSError):
        Files().units(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("import os\nimport plain\n", True),
        ("import kernels\n", False),
        ("import plain, kernels as k\n", False),
        ("from . import kernels\n", False),
        ("from kernels import (\n    f,\n)\n", False),
        ("import between\n", False),  # which imports the kernels itself
        ("def later():\n    from .kernels import f\n", False),
    ],
)
def test_a_file_without_kernels_imports_none(tmp_path: Path, text: str, plain: bool) -> None:
    write(tmp_path / "kernels.py", "import tilelang\n")
    write(tmp_path / "plain.py", "x = 1\n")
    write(tmp_path / "between.py", "from kernels import f\n")
    path = write(tmp_path / "use.py", text)
    found = Files(str(tmp_path)).without_kernels(path)
    assert (found is not None) is plain
    # What it depends on is said, so that results are not kept beyond it.
    assert not plain or (found is not None and str(tmp_path / "plain.py") in found)
