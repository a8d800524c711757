"""Releases that belong together, and packages of one name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.toolchain import standins
from tests.toolchain.doctor.looks import table

from tl_ascend.toolchain import pairing
from tl_ascend.toolchain.doctor import State


def test_a_pair_that_is_not_in_the_table(host: standins.Host) -> None:
    host.package("torch", "2.14.0", "")
    host.package("torch_npu", "2.14.0", "")
    host.cann()
    row = table(host)["versions"]
    assert row.state is State.OK and "not in the published table" in row.found


def test_versions_that_do_not_belong_together(host: standins.Host) -> None:
    host.torch("2.7.1")
    host.torch_npu("2.8.0")
    host.cann("8.3.RC1")
    assert "needs torch 2.8.0" in table(host)["versions"].found


def test_cann_of_another_release(host: standins.Host) -> None:
    host.torch("2.8.0")
    host.torch_npu("2.8.0")
    host.cann("8.1.RC1")
    found = table(host)["versions"]
    assert found.state is State.WRONG and "CANN 8.1.RC1 goes with torch_npu 2.5.1" in found.found


def test_two_packages_named_tilelang(host: standins.Host) -> None:
    host.package("tilelang", "0.1.15", "")
    host.package("tilelang", "0.1.4", "", owner="tilelang-ascend")
    found = table(host)["tilelang"]
    assert found.state is State.WRONG
    assert "tilelang 0.1.15 and tilelang-ascend 0.1.4" in found.found


def test_a_tilelang_that_hides_another(host: standins.Host, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout/tilelang"
    checkout.mkdir(parents=True)
    (checkout / "__init__.py").write_text("")
    host.package("tilelang", "0.1.15", "")
    assert table(host)["tilelang"].state is State.OK
    host.environment["PYTHONPATH"] = f"{checkout.parent}:{host.packages}"
    found = table(host)["tilelang"]
    assert found.state is State.WRONG and str(checkout) in found.found and "0.1.15" in found.found


@pytest.mark.parametrize(
    ("torch", "torch_npu"),
    [
        *(("2.7.1", "2.7.1rc1"), ("2.7.1", "2.7.1.rc1"), ("2.7.1rc2", "2.7.1")),
        *(("2.6.0a0+git1a2b3c", "2.6.0"), ("2.6.0", "2.6.0a0+git9"), ("2.6", "2.6.0.post3")),
        *(("2.7.1.dev20250601+cpu", "2.7.1.post2.dev1"), ("v2.7.1", "2.7.1"), ("?", "2.7.1")),
        *(("2.1.0", "2.1.0.post17"), ("2.7.1", "2.7.1-1"), ("2.7.1", "2.7.1b1.post2")),
    ],
)
def test_releases_that_are_the_same(torch: str, torch_npu: str) -> None:
    assert pairing.torch_pair(torch, torch_npu) == ""


@pytest.mark.parametrize(
    ("torch", "torch_npu"), [("2.7.1", "2.7.0rc1"), ("2.7.1", "2.7"), ("2.7.1", "2.7.10")]
)
def test_releases_that_are_not_the_same(torch: str, torch_npu: str) -> None:
    assert "needs torch" in pairing.torch_pair(torch, torch_npu)


@pytest.mark.parametrize(
    ("torch", "version", "step"),
    [
        ("2.8.0", "8.5.0", "torch_npu==2.8.0.post2 "),
        ("2.8.0+cpu", "8.3.RC1", "torch_npu==2.8.0 "),
        ("2.1.0", "8.3.RC1", "torch_npu==2.1.0.post17 "),
        ("2.1.0", "8.2.RC1.alpha003", "torch_npu==2.1.0.post13 "),
        ("2.1.0", "", "the 2.1.0.post release of torch_npu for your CANN"),
        ("2.1.0", "7.0.0", "2.1.0.post17 for CANN 8.3.RC1"),
        ("2.14.0", "", "torch_npu==2.14.0 (the release of torch)."),
        ("2.14.0", "8.5.0", "CANN 8.5.0 goes with torch_npu 2.9.0, 2.8.0.post2,"),
        ("2.8.0", "", "2.8.0.post2 for CANN 8.5.0"),
    ],
)
def test_the_torch_npu_to_install(host: standins.Host, torch: str, version: str, step: str) -> None:
    host.torch(torch)
    if version:
        host.cann(version)
    row = table(host)["torch_npu"]
    assert row.state is State.MISSING and step in row.step


@pytest.mark.parametrize("row", pairing.CANN_TO_TORCH_NPU)
def test_what_is_to_be_installed_fits(row: str) -> None:
    """Following the step ends at versions that belong together."""
    for version in pairing.CANN_TO_TORCH_NPU[row]:
        torch = pairing.release(version)
        assert f"torch_npu=={version} " in pairing.to_install(torch, row)
        assert not pairing.torch_pair(torch, version) and not pairing.cann_pair(row, version)


def test_pairs() -> None:
    assert pairing.torch_pair("2.8.0+cpu", "2.8.0.post2") == ""
    assert pairing.cann_pair("8.5.0", "2.9.0") == ""
    assert pairing.cann_pair("8.5.0", "2.14.0") == ""  # newer than the table
    assert "8.5.0 goes with" in pairing.cann_pair("8.5.0", "2.6.0")
