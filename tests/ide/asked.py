"""Kernels with a cursor (`|`), and the reasons for what stands there."""

from __future__ import annotations

import textwrap

from tl_ascend.driver.check import Checker, FileReport
from tl_ascend.driver.files import Files
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.why import lines, why
from tl_ascend.source.span import Position

HEAD = """\
import tilelang
import tilelang.language as T

C = tilelang.PassConfigKey


@tilelang.jit(pass_configs={%s})
def factory(size=%d):
    @T.prim_func
    def kernel(%s):
"""
SYNC = "C.TL_ASCEND_AUTO_SYNC: True, C.TL_ASCEND_MEMORY_PLANNING: True"
SPLIT = f"{SYNC}, C.TL_ASCEND_AUTO_CV_COMBINE: True, C.TL_ASCEND_AUTO_CV_SYNC: True"
MATRICES = (
    'A: T.Tensor((128, 128), "float16"), B: T.Tensor((128, 128), "float16"), '
    'D: T.Tensor((128, 128), "float32")'
)
VECTORS = 'X: T.Tensor((64, 4096), "float32"), Y: T.Tensor((64, 4096), "float32")'
FIRST = 11  # the row of the first line of a body


def text_of(body: str, options: str = SYNC, params: str = MATRICES, size: int = 64) -> str:
    """A file with one kernel."""
    inside = textwrap.indent(textwrap.dedent(body), " " * 8)
    return HEAD % (options, size, params) + inside + "\n    return kernel\n"


def opened(marked: str) -> tuple[FileReport, Position]:
    """A file and the place of the cursor in it."""
    head, _, tail = marked.partition("|")
    files = Files()
    files.set_text("case.py", head + tail)
    column = len(head) - head.rfind("\n") - 1
    return Checker(files).check("case.py"), Position(head.count("\n") + 1, column)


def told(marked: str) -> dict[str, list[str]]:
    """The reasons at the cursor, by topic."""
    report, position = opened(marked)
    facts = Facts(report, report.kernels[0])
    assert facts.kernel.status == "checked", facts.kernel.reason
    found = why(facts, position)
    out: dict[str, list[str]] = {}
    for topic, text in lines(facts, found.reasons if found is not None else ()):
        out.setdefault(topic, []).append(text)
    return out


GEMM = """
with T.Kernel(1, is_npu=True) as (cid, vid):
    a = T.alloc_shared((128, 64), "float16")
    b = T.alloc_shared((64, 128), "float16")
    c = T.alloc_fragment((128, 128), "float32")
    with T.Scope("C"):
        for k in T.serial(2):
            T.copy(A[0, k * 64], a)
            T.copy(B[k * 64, 0], b)
            T.gemm_v0(a, b, c, init=(k == 0))
        T.copy(c, D)
"""


def at(body: str, before: str, **how: str) -> str:
    """The kernel with the cursor behind the first `before` in its body."""
    assert before in body
    return text_of(body.replace(before, f"{before}|", 1), **how)  # type: ignore[arg-type]
