"""Kernel text: the body of a `T.prim_func` or `T.macro`, parsed into statements of the IR."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.assignments import as_load, assign, unpacked
from tl_ascend.frontend.builder import Builder
from tl_ascend.frontend.exceptions import shown
from tl_ascend.frontend.expressions import as_scalar, binary, is_scalar, operator_of, truth_of
from tl_ascend.frontend.kernel_frames import enter_branch, enter_if, letter_of, persistent
from tl_ascend.frontend.language import emit_value
from tl_ascend.frontend.language_alloc import tensor_buffer
from tl_ascend.frontend.machine import (
    Machine,
    Mistake,
    Returned,
    kernel_statement,
    python_error,
    why_stopped,
)
from tl_ascend.frontend.statements import both
from tl_ascend.frontend.values import (
    DTypeRef,
    Env,
    Frame,
    Function,
    KernelRecord,
    LoopSpec,
    PrimFunc,
    TensorSpec,
    Unknown,
    first_unknown,
)
from tl_ascend.ir import fold
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Call, Expr, Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.floors import FLOORS
from tl_ascend.ir.nodes import (
    SYMBOLS,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Launch,
    Let,
    Param,
    Region,
    Store,
    While,
)
from tl_ascend.source.budget import OutOfBudget
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import INT32, dtype
from tl_ascend.target.hardware import Core

KERNEL_STEPS = 130_000
KERNEL_UIDS = 100_000
INLINE_DEPTH = 24


def build_kernel(m: Machine, function: Function) -> PrimFunc:
    """Evaluate a prim_func where it is defined, in the instance of its factory."""
    node = function.node
    assert isinstance(node, ast.FunctionDef)
    frame = m.frames[-1] if m.frames else None
    record = KernelRecord(
        node.name,
        span_of(node, "name"),
        frame.function.name if frame else None,
        span_of(frame.function.node) if frame else None,
        frame.arguments if frame else (),
        call_span=frame.call_span if frame else None,
        expected_to_fail=bool(m.expecting_failure),
        origin=frame.origin if frame else "call",
        around=tuple(span_of(f.function.node) for f in m.frames),
    )
    saved, saved_uid = m.builder, m.uid
    # Numbers inside a kernel do not depend on what stands before it in the file.
    m.uid = KERNEL_UIDS
    m.builder = builder = Builder(record)
    env = Env(function.env)
    env.function = True
    try:
        with m.scope(env, function.module), m.budget.allowance(KERNEL_STEPS):
            _parameters(m, builder, node)
            m.run(node.body)
    except Returned:
        pass
    except (OutOfBudget, RecursionError, MemoryError) as error:
        at = span_of(m.position) if m.position is not None else record.span
        m.say("budget-exceeded", at, why_stopped(error))
        builder.fail(Unknown(why_stopped(error), at, reported=True))
    finally:
        m.builder = saved
    if frame is not None and frame.floors:
        builder.attrs[FLOORS] = tuple(frame.floors.values())
    _note_symbols(m, builder)
    record.kernel = builder.finish(record.span, m.uid + 1)
    record.statements = builder.count
    m.uid = saved_uid
    m.program.records.append(record)
    return PrimFunc(record)


def _note_symbols(m: Machine, builder: Builder) -> None:
    shapes = [p.value.shape for p in builder.params if isinstance(p.value, Buffer)]
    found = dict.fromkeys(var for shape in shapes for size in shape for var in free_vars(size))
    declared = tuple(var for var in found if var in m.program.symbols)
    if declared:
        builder.attrs[SYMBOLS] = declared


def _parameters(m: Machine, builder: Builder, node: ast.FunctionDef) -> None:
    for arg in node.args.args:
        spec = m.eval(arg.annotation) if arg.annotation is not None else None
        value: Any
        if isinstance(spec, TensorSpec):
            value = tensor_buffer(m, arg.arg, spec, span_of(arg, "name"))
        elif isinstance(spec, DTypeRef) and dtype(spec) is not None:
            value = Var(arg.arg, m.fresh(), "scalar", None, None, dtype(spec))
        else:
            value = (
                spec
                if isinstance(spec, Unknown)
                else Unknown("a parameter of unknown type", span_of(arg))
            )
        if isinstance(value, Unknown):
            builder.fail(value)
        else:
            builder.params.append(Param(arg.arg, value, span_of(arg, "name")))
        m.env.names[arg.arg] = value


def _builder(m: Machine) -> Builder:
    assert m.builder is not None
    return m.builder


@kernel_statement(ast.Expr)
def _expr(m: Machine, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        emit_value(m, node, m.eval(node.value))


@kernel_statement(ast.Assign)
def _assign(m: Machine, node: ast.Assign) -> None:
    builder = _builder(m)
    with builder.naming(node):
        value = m.eval(node.value)
    for target in node.targets:
        bind(m, target, value)


@kernel_statement(ast.AnnAssign)
def _annassign(m: Machine, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(m, node.target, m.eval(node.value))


@kernel_statement(ast.AugAssign)
def _augassign(m: Machine, node: ast.AugAssign) -> None:
    op = operator_of(node.op)
    bind(m, node.target, binary(m, node, op, m.eval(as_load(node.target)), m.eval(node.value)))


def bind(m: Machine, target: ast.expr, value: Any) -> None:
    """An assignment in kernel text: a name for a value, a store, or a `let`."""
    if isinstance(target, ast.Subscript):
        _store(m, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part, item in zip(target.elts, unpacked(m, target, value), strict=True):
            bind(m, part, item)
    elif isinstance(target, ast.Starred):
        bind(m, target.value, value)
    elif isinstance(target, ast.Name):
        _bind_name(m, target, value)


def _bind_name(m: Machine, target: ast.Name, value: Any) -> None:
    builder = _builder(m)
    found = m.env.lookup(target.id)
    if found and isinstance(found[0], Buffer) and found[0].scope == "var":
        scalar = as_scalar(value)
        if is_scalar(scalar):
            builder.emit(Store(found[0], (), scalar, span_of(target)))
            return
    if (
        isinstance(value, Region)
        and value.form == "start"
        and len(value.starts) == value.buffer.rank
    ):
        value = Load(value.buffer, value.starts)
    if isinstance(value, Expr):
        value = _let(m, target, value)
    m.env.names[target.id] = value
    builder.note(span_of(target), target.id, value)


def _let(m: Machine, target: ast.Name, value: Expr) -> Expr:
    """Pure index arithmetic is inlined; what must be computed once becomes a variable."""
    pure = value.dtype.kind != "float" or not any(n.dtype.kind == "float" for n in free_vars(value))
    pure = pure and not any(isinstance(n, (Load, Call)) for n in walk(value))
    if isinstance(value, Var) or (pure and value.depth <= INLINE_DEPTH):
        return value
    low, high = interval(value)
    var = Var(target.id, m.fresh(), "let", low, high, value.dtype)
    _builder(m).emit(Let(var, value, span_of(target)))
    if isinstance(value, Load):
        _builder(m).elements[var] = value
    return var


def _store(m: Machine, target: ast.Subscript, value: Any) -> None:
    place = m.eval(as_load(target))
    builder = _builder(m)
    scalar = as_scalar(value)
    if isinstance(place, (dict, list)) or not isinstance(place, Region):
        if isinstance(place, Unknown):
            builder.fail(place)
        else:
            assign(m, target, value)
        return
    unknown = first_unknown(scalar)
    if unknown is not None:
        builder.fail(unknown)
    elif place.form != "start" or len(place.starts) != place.buffer.rank or not is_scalar(scalar):
        text = (
            f"only single elements of {place.buffer.name} can be assigned; "
            "use T.copy or T.tile for a tile"
        )
        raise Mistake("kernel-form", target, text)
    else:
        at = m.position
        written = span_of(at.value) if isinstance(at, (ast.Assign, ast.AugAssign)) else None
        builder.emit(Store(place.buffer, place.starts, scalar, span_of(target), written))


@kernel_statement(ast.With)
def _with(m: Machine, node: ast.With) -> None:
    item, *rest = node.items
    frame = m.eval(item.context_expr)
    body: list[ast.stmt] = node.body
    if rest:
        inner = ast.copy_location(ast.With(items=rest, body=node.body), node)
        inner.tl_home, inner.tl_node = node.tl_home, node.tl_node  # type: ignore[attr-defined]
        body = [inner]
    if isinstance(frame, Frame) and frame.kind == "Kernel":
        _launch(m, node, frame, item.optional_vars)
        m.run(body)
    elif isinstance(frame, Frame) and frame.kind == "Scope":
        core = Core.CUBE if frame.args[0] == "C" else Core.VECTOR
        inner_body = _block(m, body)
        header, letter = span_of(node, "header"), letter_of(item.context_expr)
        _builder(m).emit(CoreScope(core, inner_body, header, letter=letter))
    elif isinstance(frame, Frame) and frame.kind == "If":
        enter_if(m, node, frame, body)
    elif isinstance(frame, Frame):
        enter_branch(m, node, frame, body)
    else:
        _builder(m).fail(first_unknown(frame) or Unknown("an unknown `with`", span_of(node)))
        m.run(body)


def _block(m: Machine, body: list[ast.stmt]) -> tuple[Any, ...]:
    """A nested block; names bound inside end with it."""
    with _builder(m).block() as inner, m.scope(Env(m.env)):
        m.run(body)
    return tuple(inner)


def _launch(m: Machine, node: ast.With, frame: Frame, target: ast.expr | None) -> None:
    blocks = as_scalar(frame.args[0]) if frame.args else 1
    builder = _builder(m)
    if not isinstance(blocks, (int, Expr, Unknown)):
        text = f"the number of blocks is an integer, not {blocks!r}"
        m.blame(Mistake("kernel-form", frame.span, text))
        blocks = Unknown(text, frame.span, reported=True)
    if isinstance(blocks, Unknown):
        builder.fail(blocks)
        blocks = Var("blocks", m.fresh(), "shape", 1, None, INT32)
    high = blocks - 1 if isinstance(blocks, int) else None
    threads = hashable(frame.keywords.get("threads"))
    names = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target] if target else []
    block_name = names[0].id if names and isinstance(names[0], ast.Name) else "cid"
    block = Var(block_name, m.fresh(), "block", 0, high, INT32)
    sub_name = names[1].id if len(names) > 1 and isinstance(names[1], ast.Name) else "vid"
    sub = Var(sub_name if sub_name != "_" else "vid", m.fresh(), "subblock", 0, 1, INT32)
    builder.launch = Launch(blocks, block, sub, threads, frame.span)
    for name, var in zip(names, (block, sub), strict=False):
        if isinstance(name, ast.Name):
            m.env.names[name.id] = var
            builder.note(span_of(name), name.id, var)


@kernel_statement(ast.For)
def _for(m: Machine, node: ast.For) -> None:
    spec = m.eval(node.iter)
    if isinstance(spec, range):
        spec = LoopSpec("serial", spec.start, (len(spec),), {}, spec.step)
    if not isinstance(spec, LoopSpec):
        _odd_loop(m, node, spec)
        return
    names = node.target.elts if isinstance(node.target, (ast.Tuple, ast.List)) else [node.target]
    if len(names) != len(spec.extents):
        text = f"this loop has {len(spec.extents)} indices, but {len(names)} names are bound"
        raise Mistake("kernel-form", node.target, text)
    if spec.kind == "persistent":
        persistent(m, node, spec, names)
    else:
        _nest(m, node, spec, names, 0)


def _odd_loop(m: Machine, node: ast.For, spec: Any) -> None:
    if isinstance(spec, (list, tuple, str, dict)):
        raise Mistake(
            "kernel-form",
            node.iter,
            "a `for` in a kernel must run over range, T.serial, T.Parallel or T.Pipelined; "
            f"a Python {type(spec).__name__} is only iterated outside",
        )
    unknown = (
        spec
        if isinstance(spec, Unknown)
        else Unknown("a loop over an unknown value", span_of(node.iter))
    )
    _builder(m).fail(unknown, doubted=True)
    with m.scope(Env(m.env)):
        assign(m, node.target, unknown)
        m.run(node.body)


def _nest(m: Machine, node: ast.For, spec: LoopSpec, names: list[ast.expr], level: int) -> None:
    extent, start = spec.extents[level], spec.start
    unknown = first_unknown(extent, start)
    if unknown is not None:
        _builder(m).fail(unknown)
        extent, start = Var("extent", m.fresh(), "shape", 0, None, INT32), 0
    target = names[level]
    name = target.id if isinstance(target, ast.Name) else "i"
    low, _ = interval(start)
    _, high = interval(fold.binary("+", start, extent)) if spec.step == 1 else (None, None)
    top = None if high is None else high - 1
    var = Var(name, m.fresh(), "loop", low if spec.step == 1 else 0, top, INT32)
    value: Scalar = var
    if spec.step != 1:
        counter = Var(
            name, var.uid, "loop", 0, extent - 1 if isinstance(extent, int) else None, INT32
        )
        var, value = counter, fold.binary("+", start, fold.binary("*", counter, spec.step))
        start = 0
    builder = _builder(m)
    with builder.block() as inner, m.scope(Env(m.env)):
        m.env.names[name] = value
        builder.note(span_of(target), name, value)
        if level + 1 < len(names):
            _nest(m, node, spec, names, level + 1)
        else:
            m.run(node.body)
    annotations = tuple((k, hashable(v)) for k, v in spec.annotations.items())
    builder.emit(
        For(var, start, extent, spec.kind, tuple(inner), span_of(node, "header"), annotations)
    )


@kernel_statement(ast.If)
def _if(m: Machine, node: ast.If) -> None:
    truth = truth_of(m.eval(node.test))
    if isinstance(truth, bool):
        with m.scope(_same_block(m)):
            m.run(node.body if truth else node.orelse)
        return
    if isinstance(truth, Unknown):
        _builder(m).fail(truth, doubted=True)
        both(m, node, truth, node.body, node.orelse)
        return
    then, other = _block(m, node.body), _block(m, node.orelse)
    _builder(m).emit(If(truth, then, other, span_of(node, "header")))


def _same_block(m: Machine) -> Env:
    """A branch decided now is pruned: what it binds stays bound after it."""
    return m.env


@kernel_statement(ast.While)
def _while(m: Machine, node: ast.While) -> None:
    condition = truth_of(m.eval(node.test))
    if isinstance(condition, Unknown):
        _builder(m).fail(condition)
        return
    body = _block(m, node.body)
    _builder(m).emit(While(condition, body, span_of(node, "header")))


@kernel_statement(ast.Break)
def _break(m: Machine, node: ast.Break) -> None:
    _builder(m).emit(Break(span_of(node)))


@kernel_statement(ast.Assert)
def _assert(m: Machine, node: ast.Assert) -> None:
    if truth_of(m.eval(node.test)) is False:
        text = f"{shown(node.test)} is false"
        raise python_error(node, AssertionError(text))


def hashable(value: Any) -> Any:
    """Lists as tuples: what the IR holds can key a memo."""
    return tuple(map(hashable, value)) if isinstance(value, (list, tuple)) else value
