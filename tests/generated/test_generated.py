"""Generated kernels: evaluated, lowered, ordered, emitted, explained, and twice the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.emit import support
from tests.generated.examine import FAMILIES, Case, case, checked, problems

from tl_ascend.backends import registry
from tl_ascend.driver.emit import emit_kernel

COUNT = 40


@pytest.mark.parametrize("seed", range(COUNT))
def test_kernel_is_sound(seed: int) -> None:
    made = case(seed)
    assert problems(made) == [], made.text


def test_a_seed_stands_for_one_kernel_and_every_family_has_some() -> None:
    assert [case(seed) for seed in range(COUNT)] == [case(seed) for seed in range(COUNT)]
    assert {case(seed).family for seed in range(COUNT)} == {f.__name__ for f in FAMILIES}
    assert len({case(seed).text for seed in range(COUNT)}) == COUNT


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_programs_compile(tmp_path: Path) -> None:
    backend = registry.backend("ascendc")
    programs = {
        made.family + str(made.seed): support.emitted(emit_kernel(kernel, backend))
        for made in map(case, range(COUNT))
        for kernel in checked(made).kernels
    }
    unit = tmp_path / "programs.cpp"
    unit.write_text(support.together(programs), encoding="utf-8")
    result = support.compile_cpp("-fsyntax-only", unit)
    assert result.returncode == 0, result.stderr


def of_family(name: str) -> Iterator[Case]:
    return (made for made in map(case, range(10 * len(FAMILIES))) if made.family == name)


@pytest.mark.parametrize(
    ("family", "line", "fault"),
    [
        ("elementwise", "top = (cid", "top = unheard_of"),
        ("elementwise", 'T.Scope("V")', 'T.Scope("X")'),
        ("elementwise", "T.copy(G1[top, 0], ", "T.copy("),
        ("elementwise", "T.barrier_all()", "pass"),
        ("ping_pong", 'T.wait_flag("v", "mte2"', 'T.wait_flag("v", "mte3"'),
        ("ping_pong_gemm", 'T.wait_flag("m", "fix", 2)', "pass"),
        ("by_hand", "T.wait_cross_flag(", "T.set_cross_flag('FIX', "),
        ("planned", "TL_ASCEND_MEMORY_PLANNING: True", "TL_ASCEND_MEMORY_PLANNING: False"),
    ],
)
def test_a_faulty_kernel_is_not_sound(family: str, line: str, fault: str) -> None:
    made = next(made for made in of_family(family) if line in made.text)
    assert problems(made) == []
    assert problems(replace(made, text=made.text.replace(line, fault))) != []
