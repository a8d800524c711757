"""Calls: user functions, macros, factories, operations of `T`, and what we model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from tl_ascend.diagnostics.report import Related, Report
from tl_ascend.frontend.changes import Unclear, forget, is_many
from tl_ascend.frontend.generators import generator, is_generator, stops_at_yield, until_yield
from tl_ascend.frontend.machine import (
    LEAVING,
    MAX_CALL_DEPTH,
    UNDECIDED,
    FactoryFrame,
    HostCodeCut,
    Machine,
    Mistake,
    Raised,
    Returned,
    certain_error,
    python_error,
)
from tl_ascend.frontend.memo import NotKept, content, entry_of, key_of, remembered
from tl_ascend.frontend.streams import NATIVE
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    DTypeRef,
    Env,
    Function,
    Instance,
    JitFactory,
    KernelHandle,
    NamedTuple,
    Namespace,
    OpRef,
    PrimFunc,
    Unknown,
    first_unknown,
)
from tl_ascend.source.budget import OutOfBudget
from tl_ascend.source.units import span_of
from tl_ascend.source.words import counted

HOST_STEPS = 1000
FACTORY_UIDS = 1_000
# Methods that are given code which is to raise.
FAILING = frozenset(
    "raises assertRaises assertRaisesRegex assertRaisesRegexp assert_raises".split()
)


def call(m: Machine, node: ast.Call) -> Any:
    """The value of a call expression."""
    from tl_ascend.frontend.expressions import elements

    pending: Iterator[str] = iter(())
    if m.builder is not None:  # arguments are not what is assigned
        pending, m.builder.pending = m.builder.pending, pending
    function = m.eval(node.func)
    if isinstance(function, Unknown):
        _check_defined(m, node.func)
    kwargs: dict[str, Any] = {}
    try:
        args = elements(m, node.args)
    except Mistake as mistake:
        mistake.certain = mistake.certain or _is_certain(m, function, mistake)
        raise
    except Unclear as error:
        values = [m.eval(a) for a in (*node.args, *(k.value for k in node.keywords)) if _is_name(a)]
        return _call_unknown(m, node, error.unknown, [function, *values], {})
    for keyword in node.keywords:
        value = m.eval(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, dict) and not any(isinstance(k, Unknown) for k in value):
            _spread(node, kwargs, value)
        else:
            return _call_unknown(
                m, node, Unknown("** of an unknown value", span_of(node)), [function, *args], kwargs
            )
    if m.builder is not None:
        m.builder.pending = pending
    return invoke(m, node, function, args, kwargs)


def _check_defined(m: Machine, node: ast.expr) -> None:
    """Errors: Mistake, where a module surely has no such function."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = m.env.lookup(node.value.id)
        owner = found[0] if found is not None else None
        if isinstance(owner, Namespace) and m.program.lacks(m, owner, node.attr):
            text = f"module {owner.name!r} has no attribute {node.attr!r}"
            raise certain_error(node, AttributeError(text))


def _is_certain(m: Machine, function: Any, mistake: Mistake) -> bool:
    """A name that no code binds, among the arguments of a factory: host code, but certain."""
    inner = function.function if isinstance(function, JitFactory) else function
    named = isinstance(mistake.error, NameError) and not m.module.names.dynamic
    return named and isinstance(inner, Function) and m.program.is_factory(inner)


def _is_name(node: ast.expr) -> bool:
    """Reading it again changes nothing."""
    return isinstance(node, ast.Name)


def _spread(node: ast.Call, kwargs: dict[str, Any], more: dict[Any, Any]) -> None:
    for name, value in more.items():
        if not isinstance(name, str):
            raise python_error(node, TypeError("keywords must be strings"))
        if name in kwargs:
            text = f"got multiple values for keyword argument {name!r}"
            raise python_error(node, TypeError(text))
        kwargs[name] = value


def invoke(
    m: Machine, node: ast.AST, function: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call any value."""
    if isinstance(function, OpRef):
        return m.program.language(m, node, function.row, args, kwargs)
    if isinstance(function, Builtin):
        return function.call(m, node, args, kwargs)
    if isinstance(function, Function):
        return call_function(m, node, function, args, kwargs)
    if isinstance(function, BoundMethod):
        return call_function(m, node, function.function, [function.owner, *args], kwargs)
    if isinstance(function, JitFactory):
        return instantiate(m, node, function, args, kwargs)
    if isinstance(function, DTypeRef):
        return m.program.convert(m, node, function, args)
    if isinstance(function, ClassValue):
        return construct(m, node, function, args, kwargs)
    if isinstance(function, Instance):
        return _call_instance(m, node, function, args, kwargs)
    if isinstance(function, (KernelHandle, PrimFunc)):
        return m.program.run_kernel(m, node, function, args)
    if isinstance(function, type) and issubclass(function, BaseException):
        return function(*args) if not kwargs else Unknown("an exception with keywords")
    if type(function) in NATIVE and not isinstance(function, NamedTuple):
        raise python_error(node, TypeError(f"{type(function).__name__!r} object is not callable"))
    return _call_unknown(m, node, function, args, kwargs)


def _call_unknown(
    m: Machine, node: ast.AST, function: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    for value in (*args, *kwargs.values()):
        if m.builder is None:
            forget(value, Unknown("given to a function that is not known", span_of(node)))
    called = getattr(node, "func", None)
    if not (isinstance(called, ast.Attribute) and called.attr in FAILING):
        for value in (*args, *kwargs.values()):
            if isinstance(value, Function) and m.program.reaches(value) and m.builder is None:
                _perhaps_called(m, node, value)
    if isinstance(function, Unknown):
        return function.standing(span_of(node))
    return Unknown("the result of this call is not evaluated", span_of(node))


def _perhaps_called(m: Machine, node: ast.AST, function: Function) -> None:
    """A function handed to something unknown may be called by it, which may catch what it raises."""
    count = len(function.node.args.args) - len(function.defaults)
    filler = [Unknown("an argument given by unknown code", span_of(node))] * max(count, 0)
    with m.doubted(), m.listening() as changes:
        with suppress(Mistake, Raised):
            call_function(m, node, function, filler, {})
        changes.forget(UNDECIDED)


def bind(
    m: Machine, node: ast.AST, function: Function, args: list[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Arguments by parameter name. Errors: Mistake, as Python's TypeError."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    bound: dict[str, Any] = dict(zip(names, args, strict=False))
    if spec.vararg is not None:
        bound[spec.vararg.arg] = tuple(args[len(names) :])
    elif len(args) > len(names):
        noun = "argument" if len(names) == 1 else "arguments"
        text = f"{function.name}() takes {len(names)} positional {noun} but {len(args)} were given"
        raise python_error(node, TypeError(text))
    keyword_only = [a.arg for a in spec.kwonlyargs]
    extra: dict[str, Any] = {}
    for name, value in kwargs.items():
        if name in names[len(spec.posonlyargs) :] or name in keyword_only:
            if name in bound:
                text = f"{function.name}() got several values for argument {name!r}"
                raise python_error(node, TypeError(text))
            bound[name] = value
        elif spec.kwarg is not None:
            extra[name] = value
        else:
            text = f"{function.name}() has no parameter {name!r}"
            if name in names:
                text = f"{function.name}() takes {name!r} by position only"
            raise python_error(node, TypeError(text))
    if spec.kwarg is not None:
        bound[spec.kwarg.arg] = extra
    defaults = names[len(names) - len(function.defaults) :] if function.defaults else []
    for name, value in zip(defaults, function.defaults, strict=True):
        bound.setdefault(name, value)
    for name, value in zip(keyword_only, function.kw_defaults, strict=False):
        bound.setdefault(name, value)
    missing = [n for n in (*names, *keyword_only) if n not in bound]
    if missing:
        text = f"{function.name}() misses the argument {missing[0]!r}"
        raise python_error(node, TypeError(text))
    return bound


def call_function(
    m: Machine,
    node: ast.AST,
    function: Function,
    args: list[Any],
    kwargs: dict[str, Any],
    origin: str = "call",
) -> Any:
    """Run a user function and return its value."""
    if m.call_depth >= MAX_CALL_DEPTH:
        raise OutOfBudget(f"evaluation stopped after {MAX_CALL_DEPTH} nested calls of functions")
    try:
        bound = bind(m, node, function, args, kwargs)
    except Mistake as mistake:
        # Host code is not judged, but a call of a factory with wrong arguments is certain.
        mistake.certain = mistake.certain or m.program.is_factory(function)
        raise
    env = Env(function.env)
    env.function = True
    env.names.update(bound)
    frame = FactoryFrame(function, tuple(bound.items()), span_of(node), origin)
    m.call_depth += 1
    m.frames.append(frame)
    saved_uid = m.uid
    try:
        with m.scope(env, function.module):
            if m.builder is None and m.program.is_factory(function):
                # Numbers of symbols depend on the call alone, so that results can be kept.
                m.uid = FACTORY_UIDS * m.call_depth
                return _kept(m, node, function, frame)
            return _run(m, node, function)
    except OutOfBudget:
        m.program.exhausted.add(span_of(function.node))
        raise
    finally:
        m.uid = max(m.uid, saved_uid) if m.builder is not None else saved_uid
        m.frames.pop()
        m.call_depth -= 1


def _kept(m: Machine, node: ast.AST, function: Function, frame: FactoryFrame) -> Any:
    """Run a factory, or take what the same call gave before."""
    program = m.program
    if not _within_limit(m, function, frame):
        most = counted(program.max_instances, "instance")
        return Unknown(f"over {most} of {function.name}", span_of(node))
    outer, m.report = m.report, Report()
    try:
        return _found_or_run(m, node, function, frame)
    finally:
        first = not any(program.is_factory(f.function) for f in m.frames[:-1])
        for finding in m.report.findings:
            told = m.at_call(finding) if first else finding
            if told not in outer.findings:
                outer.findings.append(told)
        m.report = outer


def _found_or_run(m: Machine, node: ast.AST, function: Function, frame: FactoryFrame) -> Any:
    program = m.program
    try:
        if m.muted or m.expecting_failure or m.tolerant:
            raise NotKept
        key = key_of(function, frame.arguments, frame.origin)
    except NotKept:
        return _run(m, node, function)
    entry = program.memo.find(program, key)
    if entry is not None:
        return remembered(m, key, entry)
    before = len(program.records)
    program.memo.evaluated += 1
    with program.reads.collect() as reads:
        value = _run(m, node, function)
    with suppress(NotKept):
        found = entry_of(m, reads, program.records[before:], value, m.report.findings)
        program.memo.keep(key, found)
    return value


def _within_limit(m: Machine, function: Function, frame: FactoryFrame) -> bool:
    """False from the limit on for calls with arguments that were not seen before."""
    span = span_of(function.node)
    seen = m.program.seen.setdefault(span, set())
    try:
        key: Any = tuple((name, content(value)) for name, value in frame.arguments)
    except NotKept:
        key = len(seen)
    if function.env.globals is None:  # a closure: what it captured is part of the call
        key = key, id(function.env)
    if key in seen:
        return True
    if len(seen) >= m.program.max_instances:
        m.program.cut[span] = m.program.cut.get(span, 0) + 1
        return False
    seen.add(key)
    return True


def _run(m: Machine, node: ast.AST, function: Function) -> Any:
    if isinstance(function.node, ast.Lambda):
        return m.eval(function.node.body)
    if m.builder is not None:
        if function.kind == "macro":
            with m.builder.as_kernel():
                return _body(m, function)
        with m.builder.as_python():
            return _body(m, function)
    return _run_host(m, node, function)


def _run_host(m: Machine, node: ast.AST, function: Function) -> Any:
    """Host code that leads to no kernel gets few steps; a failing factory is told at its call."""
    if not m.strict and m.host_cap is None and not m.program.reaches(function):
        m.host_cap = HOST_STEPS
        try:
            return _body(m, function)
        except HostCodeCut:
            return Unknown(f"{function.name}() is host code that is not evaluated", span_of(node))
        finally:
            m.host_cap = None
    try:
        return _body(m, function)
    except Raised as error:
        if (
            isinstance(error.exception, LEAVING)
            or not m.program.is_factory(function)
            or len([f for f in m.frames if m.program.is_factory(f.function)]) > 1
        ):
            raise
        related = (Related(error.span, "raised here"),)
        raise Mistake(
            "python-error", span_of(node), error.message, (), related, certain=True
        ) from None


def _body(m: Machine, function: Function) -> Any:
    assert isinstance(function.node, ast.FunctionDef)
    frame = m.frames[-1]
    if stops_at_yield(function) and is_generator(function):
        return until_yield(m, frame)
    if is_generator(function) and not m.program.reaches(function):
        return generator(m, function, frame)
    with m.listening() as changes:
        try:
            m.run(function.node.body)
            value: Any = None
        except Returned as returned:
            value = returned.value
        except Raised as error:
            if not (frame.maybe or frame.doubt):
                raise
            value = Unknown(error.message, error.span)
        if frame.maybe:  # the function may have left before it changed anything
            changes.forget(UNDECIDED)
    if is_generator(function):
        return generator(m, function, frame)
    for other in frame.maybe:
        if other is not value and not (type(other) is type(value) and other == value):
            return _best(value, other)
    return value


def _best(value: Any, other: Any) -> Any:
    """Of two possible results a kernel is worth following, else the result is unknown."""
    for candidate in (value, other):
        if isinstance(candidate, (PrimFunc, KernelHandle)):
            return candidate
    return Unknown("the branches return different values")


def instantiate(
    m: Machine, node: ast.AST, factory: JitFactory, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Call a jit factory: an instance for every kernel that it builds."""
    if factory.owner is not None:
        args = [factory.owner, *args]
    if factory.tuning is not None:
        return _tuned(m, node, factory, args, kwargs)
    value = call_function(m, node, factory.function, args, kwargs)
    if isinstance(value, PrimFunc):
        m.program.ways.configure(value.record, factory.settings, factory.spans)
        return KernelHandle(value.record)
    if isinstance(value, Unknown):
        return value
    return Unknown("the factory returns no kernel", span_of(node))


MAX_CONFIGURATIONS = 16


def _tuned(
    m: Machine, node: ast.AST, factory: JitFactory, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """A factory under autotune: an instance for each configuration, the first as the result."""
    configs = factory.tuning
    plain = JitFactory(factory.function, factory.settings, factory.spans)
    if isinstance(configs, Function):
        configs = call_function(m, node, configs, [tuple(args), dict(kwargs)], {})
    names = [a.arg for a in factory.function.node.args.args]
    given = {*names[: len(args)], *kwargs}
    if not isinstance(configs, (list, tuple)) or is_many(configs):
        required = names[: len(names) - len(factory.function.defaults)]
        if given.issuperset(required):  # nothing is left to be tuned
            return instantiate(m, node, plain, args, kwargs)
        reason = first_unknown(configs) or Unknown("the configurations are not known")
        return Unknown(f"autotune: {reason.cause}", span_of(node))
    results: list[Any] = []
    for config in configs[:MAX_CONFIGURATIONS]:
        if isinstance(config, dict):
            extra = {str(k): v for k, v in config.items() if k not in given and k in names}
            results.append(instantiate(m, node, plain, args, {**kwargs, **extra}))
    return results[0] if results else Unknown("autotune without configurations", span_of(node))


def construct(
    m: Machine, node: ast.AST, cls: ClassValue, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """Make an object of a user's class."""
    from tl_ascend.frontend.models.classes import construct_fields

    if cls.kind == "enum":
        return _member_of(node, cls, args)
    instance = Instance(cls)
    if cls.exception is not None:
        instance.attributes["args"] = tuple(args)
    try:
        init = cls.find("__init__")
    except KeyError:
        if cls.kind in ("dataclass", "tuple"):
            return construct_fields(m, node, cls, args, kwargs)
        if cls.exception is not None and not kwargs:
            return instance
        if (args or kwargs) and not cls.decorated and not cls.defines("__new__"):
            raise python_error(node, TypeError(f"{cls.name}() takes no arguments")) from None
        if args or kwargs or cls.defines("__new__"):
            return Unknown(f"how {cls.name} uses its arguments is not known", span_of(node))
        return instance
    if isinstance(init, Function):
        call_function(m, node, init, [instance, *args], kwargs)
    return instance


def _member_of(node: ast.AST, cls: ClassValue, args: list[Any]) -> Any:
    unknown = first_unknown(args)
    if (
        unknown is not None
        or len(args) != 1
        or cls.decorated
        or cls.defines("_missing_", "__new__")
    ):
        return unknown or Unknown(f"{cls.name} of this value", span_of(node))
    for name in cls.members:
        member = cls.attributes[name]
        if member is args[0] or (member if cls.whole else member.value) == args[0]:
            return member
    if cls.whole:
        return Unknown(f"{cls.name} of this value", span_of(node))
    raise python_error(node, ValueError(f"{args[0]!r} is not a valid {cls.name}"))


def _call_instance(
    m: Machine, node: ast.AST, owner: Instance, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    for name in ("__call__", "forward"):
        try:
            method = owner.cls.find(name)
        except KeyError:
            continue
        if isinstance(method, Function):
            return call_function(m, node, method, [owner, *args], kwargs)
    return Unknown("the object is not callable", span_of(node))
