"""The rest of the ladder (D2): factories that no call reached."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tl_ascend.frontend import reach
from tl_ascend.frontend.calls import call_function, instantiate
from tl_ascend.frontend.expressions import operator_of
from tl_ascend.frontend.machine import Machine, Mistake
from tl_ascend.frontend.values import (
    DTypeRef,
    Function,
    JitFactory,
    Unknown,
    describe,
)
from tl_ascend.ir import fold
from tl_ascend.ir.expr import Expr, Var
from tl_ascend.source.span import Span
from tl_ascend.source.units import ABOVE, FileUnits, Unit, span_of
from tl_ascend.target.dtypes import INT32


def lacking(program: Any, module: Any) -> list[tuple[Unit, Any]]:
    """Factories of the module of which no call gave an instance that is known whole."""
    told = [r for r in program.records if r.unknown is None or r.unknown.reported]
    served = {s for r in told for s in r.around}
    served |= program.exhausted
    found = []
    for unit in module.file.units:
        value = _factory_value(module, unit)
        if value is not None and span_of(unit.tree) not in served:
            found.append((unit, value))
    return found


def uncalled_factories(m: Machine, module: Any) -> Iterator[tuple[Unit, Callable[[], Any]]]:
    """For each factory that lacks an instance, a step that makes one."""
    for unit, value in lacking(m.program, module):
        function = value.function if isinstance(value, JitFactory) else value
        yield unit, _step(m, unit, value, function)


_STATED = re.compile(r"#\s*tl:\s*instance\b\s*(.*)")


def stated_instances(m: Machine, module: Any) -> Iterator[tuple[Unit, Callable[[], Any]]]:
    """Instances that the author states in comments above a factory: `# tl: instance M=1024`."""
    for unit in module.file.units:
        value = _factory_value(module, unit)
        if value is not None:
            assert isinstance(unit.tree, ast.FunctionDef)
            for above, text in _comments_above(module.file, unit):
                if found := _STATED.match(text):
                    place = span_of(unit.tree, f"{ABOVE}{above}")
                    yield unit, _stated_step(m, unit, value, found[1], place)
            for text in m.program.stated.get(unit.tree.name, ()):
                yield unit, _stated_step(m, unit, value, text, span_of(unit.tree, "name"))


def _factory_value(module: Any, unit: Unit) -> Any:
    if not isinstance(unit.tree, ast.FunctionDef):
        return None
    value = module.env.names.get(unit.tree.name)
    function = value.function if isinstance(value, JitFactory) else value
    same = isinstance(function, Function) and function.node is unit.tree
    return value if same and reach.contains_kernel(unit.tree) else None


def _comments_above(file: FileUnits, unit: Unit) -> list[tuple[int, str]]:
    """Comments with their distance from the first line of the code."""
    lines: list[tuple[int, str]] = []
    row = file.rows[unit.home] - 1
    source = file.source.lines
    # After an edit that does not parse, the units may still be those of a longer text.
    while 1 <= row <= len(source) and source[row - 1].lstrip().startswith("#"):
        lines.append((file.rows[unit.home] - row, source[row - 1].strip()))
        row -= 1
    return lines[::-1]


def _stated_step(m: Machine, unit: Unit, value: Any, text: str, place: Span) -> Callable[[], Any]:
    """`place`: where a mistake in the text is told."""

    def run() -> None:
        args, kwargs = _stated_arguments(text, place)
        before = len(m.program.records)
        limit, m.program.max_instances = m.program.max_instances, sys.maxsize
        try:
            if isinstance(value, JitFactory):
                instantiate(m, unit.tree, value, args, kwargs)
            else:
                call_function(m, unit.tree, value, args, kwargs)
        except Mistake as mistake:
            at = mistake.span
            mistake.span = place if (at.home, at.node) == (place.home, place.node) else at
            raise
        finally:
            m.program.max_instances = limit
        for record in m.program.records[before:]:
            record.origin = "stated"

    return lambda: m.attempt(unit.tree, run)


def _stated_arguments(text: str, place: Span) -> tuple[list[Any], dict[str, Any]]:
    try:
        call = _Folded().visit(ast.parse(f"f({text}\n)", mode="eval").body)
        args = [ast.literal_eval(a) for a in call.args]
        return args, {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, ArithmeticError, AttributeError, RecursionError, MemoryError):
        text = f"`# tl: instance {text}` is not a list of literal arguments"
        raise Mistake("python-error", place, text) from None


class _Folded(ast.NodeTransformer):
    """Numbers in the place of arithmetic on numbers: `2**9`."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Errors: ArithmeticError; ValueError, where the sides are no numbers."""
        left, right = (ast.literal_eval(self.visit(side)) for side in (node.left, node.right))
        if not all(isinstance(v, (int, float)) for v in (left, right)):
            raise ValueError
        found = fold.binary(operator_of(node.op), left, right)
        if not isinstance(found, (int, float)):
            raise ValueError
        return ast.copy_location(ast.Constant(found), node)


def _step(m: Machine, unit: Unit, value: Any, function: Function) -> Callable[[], Any]:
    def run() -> None:
        arguments = symbolic_arguments(m, function)
        known = not any(isinstance(v, (Expr, Unknown)) for v in arguments.values())
        # Host code may refuse a symbolic size that it would accept as a number.
        m.muted = not known
        before = len(m.program.records)
        by_place = {a.arg for a in function.node.args.posonlyargs}
        first = [v for n, v in arguments.items() if n in by_place]
        rest = {n: v for n, v in arguments.items() if n not in by_place}
        if isinstance(value, JitFactory):
            instantiate(m, unit.tree, value, first, rest)
        else:
            call_function(m, unit.tree, function, first, rest)
        for record in m.program.records[before:]:
            record.origin = "defaults" if known else "symbolic"
            record.assumed = any(_names_dtype(n) for n in arguments)
            record.call_span = None

    return lambda: m.attempt(unit.tree, run)


def symbolic_arguments(m: Machine, function: Function) -> dict[str, Any]:
    """Parameters without a default stand for themselves: sizes as symbolic dimensions."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    required = names[: len(names) - len(function.defaults)]
    return {n: _stand_in(m, function, n) for n in required}


def _names_dtype(name: str) -> bool:
    return "dtype" in name.lower()


def _stand_in(m: Machine, function: Function, name: str) -> Any:
    if _names_dtype(name):
        return DTypeRef("float16")  # an assumption: what is found with it is not told
    size = Var(name, m.fresh(), "shape", 1, None, INT32)
    m.program.symbols.discard(size)  # an earlier evaluation may have had one of the same number
    return size


def label(arguments: tuple[tuple[str, Any], ...]) -> str:
    """An instance as an author would write its call: `M=1024, N=512`."""
    return ", ".join(f"{name}={describe(value)}" for name, value in arguments if name != "self")
