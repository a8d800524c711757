"""What a process has said, shortened."""

import pytest

from tl_ascend.toolchain import child


@pytest.mark.parametrize("most", [10, 11])
@pytest.mark.parametrize("length", [0, 1, 9, 10])
def test_short_texts_stay(most: int, length: int) -> None:
    assert child.ends("x" * length, most) == "x" * length


@pytest.mark.parametrize("most", [10, 11, 1000])
@pytest.mark.parametrize("more", [1, 2, 12_345])
def test_long_texts_keep_their_ends(most: int, more: int) -> None:
    said = "".join(chr(0x4E00 + n % 5000) for n in range(most + more))
    first, word, last = child.ends(said, most).split("\n")
    assert (said.startswith(first), said.endswith(last)) == (True, True)
    left_out = len(said) - len(first) - len(last)
    assert word == f"[{left_out} characters are left out]"
    assert len(first) == len(last) == most // 2
