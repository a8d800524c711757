"""Division by a scalar is a division: its reciprocal is multiplied only where nothing is lost by it."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import Twin, the_twin
from tests.simulate.support import on_tiles

from tl_ascend.backends import registry
from tl_ascend.driver.emit import emit_kernel

ROUTES = ("ascendc", "pto")
HALVES, FLOATS = np.float16, np.float32
X = np.linspace(-3, 3, 8 * 64).reshape(8, 64)
TINY = 1e-5  # as a half it has a reciprocal that is none
HUGE = 2.0**127  # the reciprocal lacks digits
LOOP = "for i, j in T.Parallel(8, 64):\n    "

# A body on tiles x0 and o, where x1 holds the divisors of rows; the divisor; does a product do?
CASES = {
    "half by itself": (HALVES, "T.tile.div(o, x0, 4.0)", 4.0, True),
    "half by a constant": (HALVES, "T.tile.div(o, x0, 49.0)", 49.0, False),
    "half by a tiny one": (HALVES, f"T.tile.div(o, x0, {TINY})", TINY, False),
    "half in place": (HALVES, f"T.copy(x0, o)\nT.tile.div(o, o, {TINY})", TINY, False),
    "half by an element": (HALVES, "T.tile.div(o, x0, x1[3])", TINY, False),
    "half by rows": (HALVES, f"{LOOP}o[i, j] = x0[i, j] / x1[i]", TINY, False),
    "half rows by rows": (
        HALVES,
        "for i in T.serial(8):\n    T.tile.div(o[i, :], x0[i, :], x1[i])",
        TINY,
        False,
    ),
    "half by one for all": (HALVES, f"{LOOP}o[i, j] = x0[i, j] / T.float16({TINY})", TINY, False),
    "float by a constant": (FLOATS, "T.tile.div(o, x0, 49.0)", 49.0, True),
    "float by a huge one": (FLOATS, f"T.tile.div(o, x0, {HUGE})", HUGE, False),
    "float in place": (FLOATS, f"T.copy(x0, o)\nT.tile.div(o, o, {HUGE})", HUGE, False),
    "float by an element": (FLOATS, "T.tile.div(o, x0, x1[3])", 49.0, True),
    "float by rows": (FLOATS, f"{LOOP}o[i, j] = x0[i, j] / x1[i]", 49.0, True),
    "float by what is known": (FLOATS, f"{LOOP}o[i, j] = x0[i, j] / (i + 1)", 0.0, True),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_evaluated(name: str) -> None:
    kind, body, divisor, product = CASES[name]
    x = (X * (TINY if divisor == TINY else 1)).astype(kind)
    by = np.full(8, divisor, kind) if divisor else np.arange(1, 9, dtype=kind)
    found = on_tiles(body, np.zeros_like(x), x, by)
    one = by[:, None]
    want = x * (kind(1) / one) if product else (x.astype(np.float64) / one).astype(kind)
    assert np.all(np.isfinite(want))
    by_device = product and "T.Parallel" in body  # which of the two it is, lowering decides
    np.testing.assert_allclose(found, want, rtol=3e-7 if by_device else 0)


HEAD = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2], target="{route}", pass_configs={{"tl.ascend_auto_sync": {sync}}})
def factory(n=0):
    @T.prim_func
    def main(
        A: T.Tensor((8, 64), "{kind}"),
        R: T.Tensor((8,), "{kind}"),
        O: T.Tensor((8, 64), "{kind}"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x0 = T.alloc_ub((8, 64), "{kind}")
            x1 = T.alloc_ub((8,), "{kind}")
            o = T.alloc_ub((8, 64), "{kind}")
            T.copy(A, x0)
            T.copy(R, x1)
            T.barrier_all()
"""
AFTER = (
    "\n            T.barrier_all()\n            T.copy(o, O)\n\n    return main\n\n\nfactory()\n"
)


def written(folder: Path, body: str, kind: str, route: str = "ascendc", sync: bool = True) -> str:
    path = folder / f"k{len(list(folder.iterdir()))}.py"
    head = HEAD.format(kind=kind, route=route, sync=sync)
    path.write_text(head + indent(body, " " * 12) + AFTER)
    return str(path)


def emitted(path: str, route: str) -> str:
    ((_, report),) = ascendc.of_files([path])
    program = emit_kernel(report, registry.backend(route)).emitted
    assert program is not None
    return program.text


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("name", CASES)
def test_what_is_emitted(name: str, route: str, tmp_path: Path) -> None:
    kind, body, _, product = CASES[name]
    text = emitted(written(tmp_path, body, kind.__name__, route), route)
    if route == "ascendc":
        assert ("AscendC::Muls(" in text, "AscendC::Div(" in text) == (product, not product)
    else:
        assert ("TMULS(" in text, "TDIVS(" in text) == (False, True)


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_programs_give_what_is_evaluated(tmp_path: Path) -> None:
    twin: Twin = the_twin()
    divisors = "for i in T.Parallel(8):\n    x1[i] = x1[i] * 0.0 + {}\n"
    paths = [
        written(tmp_path, divisors.format(divisor) * (divisor > 0) + body, kind.__name__)
        for kind, body, divisor, _ in CASES.values()
    ]
    kernels = list(ascendc.of_files(paths))
    outcomes = [outcome.text for _, _, outcome in ascendc.proved_all(twin, kernels, 2)]
    assert dict(zip(CASES, outcomes, strict=True)) == dict.fromkeys(CASES, "agrees")


SIZES = {
    "many repeats": ("(1, 40000)", "T.tile.div(t, t, 3.0)", ["128, 255", "128, 57", "64, 1"]),
    "cut rows": ("(4, 64)", "T.tile.div(t[:, 0:32], t[:, 0:32], 3.0)", ["row * 64", "32, 1"]),
}


@pytest.mark.parametrize("name", SIZES)
def test_repeats(name: str, tmp_path: Path) -> None:
    shape, body, found = SIZES[name]
    body = f'x = T.alloc_ub((8,), "float16")\nt = T.alloc_ub({shape}, "float16")\n{body}'
    text = emitted(written(tmp_path, f"T.tile.fill(o, 1.0)\n{body}", "float16"), "ascendc")
    calls = [line for line in text.splitlines() if "AscendC::Div(" in line]
    assert all(any(part in line for line in calls) for part in found), calls


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("part", ["0:m, :", "0:m, 0:32", "0:8, 0:m"])
def test_sizes_that_only_the_device_knows(part: str, route: str, tmp_path: Path) -> None:
    body = f"for i in T.serial(4):\n    m = i + 1\n    T.tile.div(o[{part}], o[{part}], 3.0)"
    path = written(tmp_path, f"T.copy(x0, o)\n{body}", "float16", route)
    assert ("AscendC::Div(" if route == "ascendc" else "TDIVS(") in emitted(path, route)
    if route == "ascendc" and support.GXX:
        ((name, report),) = ascendc.of_files([path])
        assert ascendc.proved(the_twin(), name, report, 2).text == "agrees"


def test_where_the_author_synchronises_the_block_is_read_before_it_is_filled_again(
    tmp_path: Path,
) -> None:
    body = "T.tile.div(o, x0, 3.0)\nT.tile.div(x0, o, 5.0)"
    text = emitted(written(tmp_path, body, "float16", sync=False), "ascendc")
    lines = [line.strip() for line in text.splitlines()]
    fills = [at for at, line in enumerate(lines) if line.startswith("AscendC::Duplicate")]
    assert len(fills) == 2
    assert all("PipeBarrier<PIPE_V>" in lines[at + side] for at in fills for side in (-1, 1))
