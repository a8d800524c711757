"""Every name of T, called with arguments that nobody means: told or unknown, never a failure of ours."""

from __future__ import annotations

import pytest
from tests.harness.compare import analyse

from tl_ascend.ops.row import REQUIRED, Op
from tl_ascend.ops.table import ROWS

HEAD = """\
import tilelang
import tilelang.language as T

n = T.symbolic("n")
"""
KERNEL = """
@T.prim_func
def main{number}(A: T.Tensor((64, n), "float32"), k: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((64,), "int8")
        c = T.alloc_L0C((64, 64), "float32")
        v = T.alloc_var("int32", init=0)
        {statement}
"""
ODD = (
    *("None", "'x'", "-1", "0", "1.5", "10**30", "True", "[]", "[1, 'x']", "{}", "{a: 'x'}"),
    *("T", "T.copy", "lambda: 1", "a", "b", "c", "A", "v", "cid", "k", "n", "unknown"),
    *(
        "a[0, 0]",
        "a[0]",
        "a[0:0, :]",
        "a[k, :]",
        "A[cid, vid]",
        "a[0, 0, 0]",
        "cid + k",
        "cid // 2",
    ),
    *("float('inf')", "float('nan')", "'float16'", "'EQ'", "'CAST_RINT'", "(1, 2, 3)", "..."),
)
CALLED = [row for row in ROWS if row.kind not in ("host", "frame")]


def statements(row: Op) -> list[str]:
    """Calls with odd values in the place of arguments, and with too few and too many. Each row has
    its own third of the odd values: rows of a family share their code."""
    name = f"T.{row.name}"
    required = sum(p.default is REQUIRED and not p.keyword for p in row.params)
    width = max(required, 1 if row.vararg else 0)
    out = [f"{name}()", f"{name}({', '.join(['a'] * (len(row.params) + 1))})", f"x = {name}"]
    for shift in range(sum(map(ord, row.name)) % 3, len(ODD), 3):
        mixed = [ODD[(shift + 7 * i) % len(ODD)] for i in range(width)]
        out.append(f"{name}({', '.join(mixed)})")
        if width:
            plain = ["a"] * width
            plain[shift // 3 % width] = ODD[shift]
            out.append(f"y = {name}({', '.join(plain)})")
    for at, param in enumerate(row.params):
        named = f"{param.name}={ODD[7 * at % len(ODD)]}"
        out.append(f"{name}({', '.join([*(['a'] * width), named])})")
    return out


@pytest.mark.parametrize("row", CALLED, ids=lambda row: row.name)
def test_odd_arguments(row: Op) -> None:
    loop = row.kind == "loop"
    lines = [f"for i in {s.split('= ')[-1]}: a[i, 0] = 1.0" if loop else s for s in statements(row)]
    kernels = (KERNEL.format(number=i, statement=line) for i, line in enumerate(lines))
    analysis = analyse("/odd/kernel.py", HEAD + "".join(kernels), "A3")
    wrong = [d for d in analysis.diagnostics if d.code == "TL901"]
    said = [f"{d.message}: {analysis.text.splitlines()[d.range.start.row + 5]}" for d in wrong]
    assert said == []
    assert analysis.index is not None
    assert len(analysis.index.report.kernels) + len(wrong) >= len(lines)
