"""The comparison with upstream's programs: what is listed, and which instance a fact speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.corpus.differences import Listed, read_listed
from tests.corpus.facts import Fact, Ours, Place
from tests.corpus.oracle import best

LISTED = Listed({"wrong": {"reason": "r", "kernels": [["a", "f", "call 1"], ["b", "f", "call 2"]]}})

FACTORY = """
import tilelang.language as T

def factory(M, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((M,), dtype)
            T.copy(A, a)
    return main

factory(64)
factory(128, "float32")
"""


def test_what_is_listed_as_it_is_found_is_fine() -> None:
    found = {("a", "f"): "call 1", ("b", "f"): "call 2"}
    assert list(LISTED.complaints(found)) == []
    assert LISTED.table == ["| wrong | 2 | r |"]


@pytest.mark.parametrize(
    ("found", "complaint"),
    [
        ({("a", "f"): "call 1"}, "listed but gone: b f"),
        ({("a", "f"): "call 1", ("b", "f"): "call 3"}, "another difference: b f"),
        ({("a", "f"): "call 1", ("b", "f"): "call 2", ("c", "f"): "x"}, "not listed: c f: x"),
    ],
)
def test_every_change_is_told(found: dict[tuple[str, str], str], complaint: str) -> None:
    (said,) = LISTED.complaints(found)
    assert complaint in said


def test_each_listed_difference_has_a_reason() -> None:
    listed = read_listed()
    assert listed.rows and not list(listed.complaints(listed.rows))


def fact(arguments: str, elements: int, call: str = "copy_gm_to_ub", memory: str = "UB") -> Fact:
    buffers = (Place("a", memory, elements, 0), Place("a_tmp_0_data", "UB", 8, 0))
    return Fact("folder.file", "factory", arguments, {}, buffers, [call], {}, {})


@pytest.mark.parametrize(
    ("given", "difference"),
    [
        (fact("(64,) {}", 64), ""),
        (fact("(128,) {'dtype': 'float32'}", 128), ""),
        (fact("(64,) {}", 128), "a has 128 elements upstream, 64 here"),
        (fact("(64,) {}", 64, "Exp"), "call 1 is Exp upstream, copy_gm_to_ub here"),
        (fact("(64,) {}", 64, memory="L1"), "a is in L1 upstream, in UB here"),
    ],
)
def test_the_instance_with_the_same_arguments_is_compared(
    tmp_path: Path, given: Fact, difference: str
) -> None:
    file = tmp_path / "examples" / "folder" / "file.py"
    file.parent.mkdir(parents=True)
    file.write_text(FACTORY)
    assert best(given, Ours(tmp_path))[1] == difference
