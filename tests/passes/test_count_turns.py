"""Variables that count iterations: what takes their place, and where nothing may."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from tests.passes.kernels import plus

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.expr import Load, walk
from tl_ascend.ir.fold import binary, compare, substitute
from tl_ascend.ir.nodes import For, Region, TileOp, walk_stmts
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.count_turns import count_turns
from tl_ascend.target.hardware import A3

Rule = Callable[[Any], Any]
RULES: dict[str, tuple[int, Rule, Callable[[int], int]]] = {
    "1 - p": (0, lambda p: binary("-", 1, p), lambda p: 1 - p),
    "5 - p": (2, lambda p: binary("-", 5, p), lambda p: 5 - p),
    "p ^ 1": (1, lambda p: binary("^", p, 1), lambda p: p ^ 1),
    "6 ^ p": (3, lambda p: binary("^", 6, p), lambda p: 6 ^ p),
    "(p + 1) % 3": (2, lambda p: binary("%", plus(p, 1), 3), lambda p: (p + 1) % 3),
    "(2 + p) % 5": (0, lambda p: binary("%", plus(2, p), 5), lambda p: (p + 2) % 5),
    "p + 4": (7, lambda p: plus(p, 4), lambda p: p + 4),
    "p - 1": (9, lambda p: binary("-", p, 1), lambda p: p - 1),
}


def rows(b: KernelBuilder) -> list[Any]:
    """The rows that the copies of the kernel read."""
    kernel = count_turns(b.build(), PassContext(A3, Report()))
    copies = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op == "copy"]
    sources = [op.args[0] for op in copies]
    return [source.starts[0] for source in sources if isinstance(source, Region)]


def kernel(first: Any, rule: Rule, start: int = 0, **options: Any) -> tuple[KernelBuilder, Any]:
    """`p = first; for k: copy(A[p]); p = rule(p); copy(A[p])`, and one behind the loop."""
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    b.launch(1)
    x = b.alloc("x", (64,), "float32", "UB")
    p = b.alloc("p", (), "int32", "var")
    b.store(p, (), first)

    def read() -> None:
        b.op("copy", b.part(a, load(p), (0, 64)), x)

    def turn() -> None:
        read()
        if options.get("branch"):
            with b.when(compare(">", load(x, 0), 0)):
                b.store(p, (), rule(load(p)))
        else:
            b.store(p, (), rule(load(p)))
        read()

    with b.loop("k", 6, options.get("kind", "serial")):
        if "nested" in options:
            with b.loop("j", options["nested"]):
                turn()
                if options.get("leave"):
                    with b.when(compare(">", load(x, 0), 0)):
                        b.leave()
        else:
            turn()
    read()
    if options.get("again"):
        b.store(p, (), 0)
    return b, p


@pytest.mark.parametrize("name", list(RULES))
def test_the_value_in_each_iteration_is_that_of_the_variable(name: str) -> None:
    first, rule, step = RULES[name]
    b, p = kernel(first, rule)
    before, behind, after = rows(b)
    loop = next(s for s in walk_stmts(b.build().body) if isinstance(s, For))
    value = first
    for k in range(6):
        assert substitute(before, {loop.var: k}) == value
        value = step(value)
        assert substitute(behind, {loop.var: k}) == value
    assert after == load(p)


@pytest.mark.parametrize("name", list(RULES))
def test_it_is_in_a_loop_in_a_loop(name: str) -> None:
    first, rule, step = RULES[name]
    b, _ = kernel(first, rule, nested=3)
    before, behind, _ = rows(b)
    outer, inner = (s for s in walk_stmts(b.build().body) if isinstance(s, For))
    value = first
    for k, j in product(range(6), range(3)):
        assert substitute(before, {outer.var: k, inner.var: j}) == value
        value = step(value)
        assert substitute(behind, {outer.var: k, inner.var: j}) == value


@pytest.mark.parametrize("around", ["scope", "branch"])
def test_what_it_holds_at_first_may_be_said_outside_of_what_runs_once(around: str) -> None:
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float32")
    cid, _ = b.launch(2)
    x, p = b.alloc("x", (64,), "float32", "UB"), b.alloc("p", (), "int32", "var")
    b.store(p, (), 0)
    with b.scope("V") if around == "scope" else b.when(compare("==", cid, 0)):
        with b.loop("k", 6):
            b.op("copy", b.part(a, load(p), (0, 64)), x)
            b.store(p, (), binary("-", 1, load(p)))
    (row,) = rows(b)
    assert not any(isinstance(node, Load) for node in walk(row))


STAYS = ["branch", "nested", "leave", "again", "parallel", "unknown", "product"]


@pytest.mark.parametrize("why", STAYS)
def test_what_may_be_another_number_stays(why: str) -> None:
    rule: Rule = (lambda p: binary("*", p, 2)) if why == "product" else RULES["1 - p"][1]
    first = KernelBuilder().var("n", "scalar") if why == "unknown" else 0
    options: dict[str, Any] = {"kind": "parallel"} if why == "parallel" else {why: True}
    if why in ("nested", "leave"):
        options["nested"] = KernelBuilder().var("m", "shape") if why == "nested" else 3
    b, _ = kernel(first, rule, **options)
    assert all(any(isinstance(n, Load) for n in walk(row)) for row in rows(b))
