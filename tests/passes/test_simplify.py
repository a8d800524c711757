"""What can never run is gone after lowering, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from tests.passes.kernels import gemm

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.nodes import Break, For, If, Kernel, Stmt, exprs_of, walk_stmts
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.simplify import simplify
from tl_ascend.target.hardware import DEFAULT_PLATFORM


def simplified(kernel: Kernel, *more: Stmt) -> Kernel:
    context = PassContext(DEFAULT_PLATFORM, Report())
    return simplify(replace(kernel, body=(*kernel.body, *more)), context)


def loop_of(kernel: Kernel) -> For:
    return next(s for s in walk_stmts(kernel.body) if isinstance(s, For))


def test_a_kernel_without_dead_code_stays_as_it_is() -> None:
    assert simplified(gemm()).body == gemm().body


def test_decided_branches_leave_the_side_that_runs() -> None:
    kernel = gemm()
    first, second = Break(kernel.span), replace(loop_of(kernel), extent=3)
    kept = simplified(kernel, If(True, (first,), (second,), kernel.span)).body
    assert kept == (*kernel.body, first)
    kept = simplified(kernel, If(False, (first,), (second,), kernel.span)).body
    assert kept == (*kernel.body, second)


def test_loops_that_never_run_and_what_only_holds_them_are_gone() -> None:
    kernel = gemm()
    never = replace(loop_of(kernel), extent=0)
    around = replace(loop_of(kernel), body=(never,))
    assert simplified(kernel, never, around).body == kernel.body


def test_dead_code_inside_a_loop_is_gone_too() -> None:
    kernel = gemm()
    loop = loop_of(kernel)
    inner = If(False, (Break(kernel.span),), (), kernel.span)
    found = simplified(kernel, replace(loop, body=(*loop.body, inner))).body[-1]
    assert isinstance(found, For) and found.body == loop.body


def test_a_loop_that_runs_once_is_its_body() -> None:
    kernel = gemm()
    loop = loop_of(kernel)
    once = replace(loop, start=5, extent=1)
    (*_, last) = simplified(kernel, once).body
    assert not isinstance(last, For)
    assert loop.var not in {
        v for s in walk_stmts((last,)) for e in exprs_of(s) for v in free_vars(e)
    }
    left = replace(once, body=(*once.body, If(True, (Break(kernel.span),), (), kernel.span)))
    assert isinstance(simplified(kernel, left).body[-1], For)
    inner = replace(loop, extent=4, body=(Break(kernel.span),))
    assert simplified(kernel, replace(once, body=(inner,))).body[-1] == inner
