"""Generated kernels: evaluated, lowered, emitted, explained, and twice the same."""

from __future__ import annotations

import pytest
from tests.generated.examine import FAMILIES, case, problems

COUNT = 40


@pytest.mark.parametrize("seed", range(COUNT))
def test_kernel_is_sound(seed: int) -> None:
    made = case(seed)
    assert problems(made) == [], made.text


def test_a_seed_stands_for_one_kernel_and_every_family_has_some() -> None:
    assert [case(seed) for seed in range(COUNT)] == [case(seed) for seed in range(COUNT)]
    assert {case(seed).family for seed in range(COUNT)} == {f.__name__ for f in FAMILIES}
    assert len({case(seed).text for seed in range(COUNT)}) == COUNT


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("top = (cid", "top = unheard_of"),
        ("T.copy(t", "T.copy(G1, t"),
        ('T.Scope("V")', 'T.Scope("X")'),
    ],
)
def test_a_faulty_kernel_is_not_sound(line: str, fault: str) -> None:
    made = case(0)
    assert line in made.text
    broken = type(made)(made.seed, made.family, made.text.replace(line, fault, 1))
    assert problems(broken) != []
