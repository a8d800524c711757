"""What tl-check is pointed at: one line and status 2 for what cannot be read, the rest is checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.robust.inputs import FAULT, kernel

Check = Callable[..., tuple[int, dict[str, Any], str]]


def write(path: Path, text: str = FAULT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_path_that_does_not_exist(tmp_path: Path, tl_check: Check) -> None:
    status, report, err = tl_check(str(tmp_path / "missing.py"))
    assert (status, report) == (2, {})
    assert err == f"error: {tmp_path / 'missing.py'}: no such file or folder\n"


def test_a_folder_without_kernels(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "notes.txt")
    status, report, err = tl_check(str(tmp_path))
    assert (status, report["summary"]["files"], err) == (0, 0, "")


def test_a_folder_is_walked_and_hidden_ones_are_not(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "b.py")
    write(tmp_path / "a" / "k.py")
    write(tmp_path / ".hidden" / "k.py")
    write(tmp_path / "__pycache__" / "k.py")
    status, report, _ = tl_check(str(tmp_path))
    assert status == 1
    found = [os.path.relpath(d["path"], tmp_path) for d in report["diagnostics"]]
    assert sorted(found) == ["a/k.py", "b.py"]


def test_a_file_that_is_named_twice_is_checked_once(tmp_path: Path, tl_check: Check) -> None:
    path = write(tmp_path / "k.py")
    _, report, _ = tl_check(str(path), str(tmp_path), f"{tmp_path}/./k.py")
    assert report["summary"]["files"] == 1


def test_odd_names(tmp_path: Path, tl_check: Check) -> None:
    path = write(tmp_path / "a+b c" / "größe [1]%20.py")
    status, report, _ = tl_check(str(path))
    assert (status, report["diagnostics"][0]["path"]) == (1, str(path))


def test_a_folder_named_like_a_file(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "dir.py" / "k.py")
    status, report, _ = tl_check(str(tmp_path / "dir.py"))
    assert (status, report["summary"]["files"]) == (1, 1)
    status, report, err = tl_check(str(tmp_path))
    assert (status, report["summary"]["files"], err) == (1, 1, "")


def test_links_in_a_circle(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "sub" / "k.py")
    (tmp_path / "sub" / "back").symlink_to(tmp_path)
    status, report, _ = tl_check(str(tmp_path))
    assert (status, report["summary"]["files"]) == (1, 1)


def test_links_to_nothing(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "k.py", kernel())
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    (tmp_path / "self.py").symlink_to("self.py")
    status, _, err = tl_check(str(tmp_path / "self.py"))
    assert (status, err.count("\n")) == (2, 1)
    status, report, err = tl_check(str(tmp_path))
    assert (status, report["summary"]["files"]) == (2, 1)
    assert sorted(line.split(": ")[1] for line in err.splitlines()) == [
        str(tmp_path / "gone.py"),
        str(tmp_path / "self.py"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file(tmp_path: Path, tl_check: Check) -> None:
    path = write(tmp_path / "k.py")
    path.chmod(0)
    status, _, err = tl_check(str(path))
    assert (status, err) == (2, f"error: {path}: Permission denied\n")


def test_a_file_that_is_no_regular_file(tmp_path: Path, tl_check: Check) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    status, _, err = tl_check(str(tmp_path / "pipe.py"))
    assert (status, err) == (2, f"error: {tmp_path / 'pipe.py'}: not a regular file\n")


def test_a_file_that_is_too_large(tmp_path: Path, tl_check: Check) -> None:
    path = tmp_path / "large.py"
    with path.open("wb") as file:
        file.truncate(9_000_000)
    status, _, err = tl_check(str(path))
    assert (status, err) == (2, f"error: {path}: the file is larger than 8 MB\n")


def test_the_rest_is_checked_where_one_file_cannot_be_read(tmp_path: Path, tl_check: Check) -> None:
    write(tmp_path / "k.py")
    (tmp_path / "gone.py").symlink_to("nowhere.py")
    status, report, err = tl_check(str(tmp_path))
    assert (status, len(report["diagnostics"]), err.count("\n")) == (2, 1, 1)
