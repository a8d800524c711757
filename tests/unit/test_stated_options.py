"""How instances are compiled that the author states, where calls of tilelang.compile say how."""

from __future__ import annotations

from pathlib import Path

from tl_ascend.driver.check import Checker, FileReport
from tl_ascend.driver.files import Files

KERNEL = """
import tilelang
import tilelang.language as T


# tl: instance n=128
def doubled(n):
    @T.prim_func
    def main(x: T.Tensor((n,), "float32"), y: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((n,), "float32")
            T.copy(x, a)
            T.tile.add(a, a, a)
            T.copy(a, y)

    return main

"""
SYNC = '{"tl.ascend_auto_sync": True}'


def checked(folder: Path, text: str, **more: str) -> FileReport:
    (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    for name, other in {"kernel": KERNEL + text, **more}.items():
        (folder / f"{name}.py").write_text(other, encoding="utf-8")
    return Checker(Files()).check(str(folder / "kernel.py"))


def stated(report: FileReport) -> list[tuple[object, ...]]:
    """Outputs, target and synchronisation of the instances that the author states."""
    options = [k.kernel.options for k in report.kernels if k.origin == "stated"]
    return [(o.out_idx, o.target, o.on("tl.ascend_auto_sync"), o.compiled) for o in options]


def test_all_options_of_the_call_hold(tmp_path: Path) -> None:
    call = f'tilelang.compile(doubled(64), out_idx=[-1], target="pto", pass_configs={SYNC})'
    assert stated(checked(tmp_path, call)) == [((-1,), "pto", True, True)]


def test_a_jit_that_is_called(tmp_path: Path) -> None:
    call = f"tilelang.jit(out_idx=[1], pass_configs={SYNC})(doubled)(64)"
    assert stated(checked(tmp_path, call)) == [((1,), "auto", True, True)]


def test_calls_in_tests(tmp_path: Path) -> None:
    call = f"def test_it():\n    tilelang.compile(doubled(64), pass_configs={SYNC})\n"
    assert stated(checked(tmp_path, call)) == [((), "auto", True, True)]


def test_calls_in_files_that_import_it(tmp_path: Path) -> None:
    use = "import tilelang\nfrom kernel import doubled\n"
    use += f"tilelang.compile(doubled(64), pass_configs={SYNC})\n"
    report = checked(tmp_path, "", use=use)
    assert stated(report) == [((), "auto", True, True)]
    assert [k.instance for k in report.kernels] == ["n=128", "n=64"]


def test_an_instance_for_each_way(tmp_path: Path) -> None:
    calls = f"""
for target in ("ascendc", "pto"):
    for size in (32, 64):
        tilelang.compile(doubled(size), target=target, pass_configs={SYNC})
"""
    both = [((), target, True, True) for target in ("ascendc", "pto")]
    assert stated(checked(tmp_path, calls)) == both


def test_what_is_not_known_and_what_fails_says_nothing(tmp_path: Path) -> None:
    calls = """
import library, pytest
tilelang.compile(doubled(64), pass_configs=library.options())
with pytest.raises(ValueError):
    tilelang.compile(doubled(64), target="nothing")
"""
    assert stated(checked(tmp_path, calls)) == [((), "auto", False, False)]


def test_a_failing_call_does_not_silence_the_next(tmp_path: Path) -> None:
    calls = """
import pytest
kernel = doubled(64000)
with pytest.raises(ValueError):
    tilelang.compile(kernel)
tilelang.compile(kernel, out_idx=[1])
"""
    report = checked(tmp_path, calls)
    told = [[f.name for f in k.findings] for k in report.kernels if k.instance == "n=64000"]
    assert not told[0] and "ub-overflow" in told[1]
