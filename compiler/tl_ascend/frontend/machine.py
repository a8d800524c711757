"""The state of an evaluation and its dispatch. What each kind of node means is registered by
`expressions.py`, `statements.py` and `kernels.py`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Cause, Finding, Fix, Related, Report
from tl_ascend.frontend.changes import Changes, Unclear
from tl_ascend.frontend.counted import counts
from tl_ascend.frontend.limits import TooLong
from tl_ascend.frontend.values import Env, Function, Unknown
from tl_ascend.ir.floors import MAX_FLOORS, Floor
from tl_ascend.source.budget import Budget
from tl_ascend.source.span import Span
from tl_ascend.source.units import children, span_of

if TYPE_CHECKING:
    from tl_ascend.frontend.builder import Builder
    from tl_ascend.frontend.modules import Module, Program

MAX_CALL_DEPTH = 60
MAX_EXPRESSION_DEPTH = 120


UNDECIDED = Unknown("changed by code of which it is not known whether it runs")


def place_of(node: ast.AST) -> Span:
    """Where to point for a node: at the name of a function, not at its whole body."""
    return span_of(node, "name") if isinstance(node, ast.FunctionDef) else span_of(node)


class Mistake(Exception):
    """A mistake of the author: caught at the statement, reported, and its value unknown.
    `certain`: told even in host code, where evaluation may otherwise not know enough."""

    def __init__(
        self,
        name: str,
        node: ast.AST | Span,
        message: str,
        notes: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        certain: bool = False,
        error: BaseException | None = None,
        severity: Severity | None = None,
        fixes: tuple[Fix, ...] = (),
        causes: tuple[Cause, ...] = (),
    ) -> None:
        super().__init__(message)
        self.causes = causes
        self.severity = severity
        self.fixes = fixes
        self.error = error  # the exception of Python that this is
        self.certain = certain
        self.name = name
        self.span = node if isinstance(node, Span) else place_of(node)
        self.message = message
        self.notes = notes
        self.related = related


def python_error(node: ast.AST, error: BaseException, message: str = "") -> Mistake:
    """What Python raises here, for certain."""
    kind = type(error).__name__
    text = message or str(error)
    return Mistake("python-error", node, f"{kind}: {text}" if text else kind, error=error)


def certain_error(node: ast.AST, error: BaseException) -> Mistake:
    """The same where it is told even in host code."""
    mistake = python_error(node, error)
    mistake.certain = True
    return mistake


def why_stopped(error: BaseException) -> str:
    """What to say where evaluation ran into a limit, ours or Python's."""
    if isinstance(error, RecursionError):
        return "evaluation stopped: values or calls are nested too deeply"
    if isinstance(error, MemoryError):
        return "evaluation stopped: out of memory"
    return str(error)


class Returned(Exception):
    """`return` unwinds the function."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class LoopExit(Exception):
    """`break` or `continue` of a Python loop."""

    def __init__(self, again: bool) -> None:
        super().__init__()
        self.again = again


class Raised(Exception):
    """`raise` or a failing `assert` of the user's code, on its way to the caller."""

    def __init__(self, span: Span, message: str, exception: Any) -> None:
        super().__init__(message)
        self.span = span
        self.message = message
        self.exception = exception


class Skipped(BaseException):
    """What `pytest.skip` and its like raise."""


LEAVING = (SystemExit, Skipped)  # not for what is wrong


def unknown_of(error: TooLong, node: ast.AST) -> Unknown:
    """What stands for the value that was not built."""
    return error.unknown if isinstance(error, Unclear) else Unknown(str(error), span_of(node))


Evaluate = Callable[["Machine", Any], Any]
EXPRESSIONS: dict[type, Evaluate] = {}
STATEMENTS: dict[type, Evaluate] = {}
KERNEL_STATEMENTS: dict[type, Evaluate] = {}


def expression(*kinds: type) -> Callable[[Evaluate], Evaluate]:
    """Register the meaning of an expression node."""
    return _register(EXPRESSIONS, kinds)


def statement(*kinds: type) -> Callable[[Evaluate], Evaluate]:
    """Register the meaning of a statement that runs as Python."""
    return _register(STATEMENTS, kinds)


def kernel_statement(*kinds: type) -> Callable[[Evaluate], Evaluate]:
    """Register the meaning of a statement that is parsed as part of a kernel."""
    return _register(KERNEL_STATEMENTS, kinds)


def _register(
    table: dict[type, Evaluate], kinds: tuple[type, ...]
) -> Callable[[Evaluate], Evaluate]:
    def add(function: Evaluate) -> Evaluate:
        for kind in kinds:
            table[kind] = function
        return function

    return add


class Machine:
    """One evaluation of one file (and of what it imports)."""

    def __init__(self, program: Program, module: Module, budget: Budget, report: Report) -> None:
        self.program = program
        self.module = module
        self.budget = budget
        self.report = report
        self.env: Env = module.env
        self.builder: Builder | None = None
        self.frames: list[FactoryFrame] = []
        self.call_depth = 0
        self.expression_depth = 0
        self.expecting_failure = 0
        self.host_cap: int | None = None
        self.in_host_loop = False
        self.position: ast.AST | None = None
        self.tolerant = 0
        self.muted = False
        self.handlers = False
        self.handling: list[Raised] = []
        self.changes: Changes | None = None
        self.exits = 0
        self.doubt = 0  # as that of a frame, at module level
        self.uid = 0

    def fresh(self) -> int:
        """A number for a buffer or variable, deterministic within an evaluation."""
        self.uid += 1
        return self.uid

    @property
    def strict(self) -> bool:
        """True inside factories and kernels, where a certain Python error is worth a finding."""
        return self.builder is not None or any(
            self.program.is_factory(f.function) for f in self.frames
        )

    @property
    def doubtful(self) -> bool:
        """True where the factory may have gone another way before it came here."""
        if self.builder is not None:
            return False
        for frame in reversed(self.frames):
            if frame.maybe or frame.doubt:
                return True
            if self.program.is_factory(frame.function):
                return False
        return self.doubt > 0

    def eval(self, node: ast.expr) -> Any:
        """The value of an expression. Errors: Mistake, Raised, OutOfBudget, Cancelled."""
        self.tick()
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            return Unknown(f"{type(node).__name__} is not evaluated", span_of(node))
        self.expression_depth += 1
        if self.expression_depth > MAX_EXPRESSION_DEPTH:
            self.expression_depth -= 1
            return self.too_deep(node)
        try:
            return handler(self, node)
        except TooLong as error:
            return unknown_of(error, node)
        finally:
            self.expression_depth -= 1

    def perhaps(self, node: ast.expr) -> Any:
        """The value of an expression that may not be evaluated at all: nothing in it is certain."""
        depth = self.expression_depth
        try:
            with self.undecided():
                return self.eval(node)
        except (Mistake, Raised) as error:
            self.expression_depth = depth
            return Unknown(error.message, error.span)

    def tick(self) -> None:
        """Count one step; host code that leads to no kernel has a cap of its own."""
        self.budget.step()
        if self.host_cap is not None:
            self.host_cap -= 1
            if self.host_cap < 0:
                raise HostCodeCut

    def too_deep(self, node: ast.AST) -> Unknown:
        span = span_of(node)
        text = (
            f"evaluation stopped: this expression is nested more than {MAX_EXPRESSION_DEPTH} deep"
        )
        if self.strict:
            self.say("budget-exceeded", span, text)
        return Unknown(text, span, reported=True)

    def run(self, body: list[ast.stmt]) -> None:
        """Execute statements as Python."""
        for node in body:
            self.execute(node)

    def execute(self, node: ast.stmt) -> None:
        """Execute one statement; a mistake in it is reported and what it would bind is unknown."""
        self.tick()
        handler = None
        if self.builder is not None and self.builder.parsing:
            handler = KERNEL_STATEMENTS.get(type(node))
        handler = handler or STATEMENTS.get(type(node))
        if handler is None:
            return
        self.position = node
        depth = self.expression_depth
        try:
            handler(self, node)
        except TooLong as error:
            self.poison(node, unknown_of(error, node))
        except Mistake as mistake:
            self.expression_depth = depth
            if self.handlers and mistake.name == "python-error" and self.builder is None:
                unclear = Unknown(mistake.message, mistake.span)
                raise Raised(mistake.span, mistake.message, mistake.error or unclear) from None
            self.blame(mistake)
            self.poison(node, Unknown(mistake.message, mistake.span, reported=True))
        record = self.builder.record if self.builder is not None else None
        if record is not None and record.unknown is not None:
            record.unknown = record.unknown.standing(span_of(node))

    def attempt(self, node: ast.AST, action: Callable[[], Any]) -> None:
        """Run an action of our own; a mistake of the author in it is reported."""
        try:
            action()
        except Mistake as mistake:
            self.say(mistake.name, mistake.span, mistake.message, mistake.notes, mistake.related)

    def unwind(self) -> None:
        """Back to module level after something stopped a top-level statement."""
        self.frames.clear()
        self.builder = None
        self.env = self.module.env
        self.call_depth = self.expression_depth = self.expecting_failure = self.tolerant = 0
        self.doubt = 0
        self.host_cap = None
        self.in_host_loop = False
        self.handlers = False
        self.handling.clear()
        self.muted = False

    def blame(self, mistake: Mistake) -> None:
        """Report a mistake, unless it stands in host code, where we may simply not know enough."""
        told = (self.strict or mistake.certain) and not self.tolerant and not self.doubtful
        if self.builder is not None:
            unknown = Unknown(mistake.message, mistake.span, reported=True)
            self.builder.fail(unknown, doubted=not told)
        if told:
            related = (*mistake.related, *self._calls())
            self.say(
                mistake.name,
                mistake.span,
                mistake.message,
                mistake.notes,
                related,
                mistake.severity,
                mistake.fixes,
                mistake.causes,
            )

    def _calls(self) -> tuple[Related, ...]:
        """Where the factory was called from, while it has not come to its kernel."""
        if self.builder is not None:
            return ()
        spans = [f.call_span for f in self.frames if f.call_span is not None]
        return tuple(Related(span, "in this call") for span in spans[:1])

    def say(
        self,
        name: str,
        span: Span,
        message: str,
        notes: tuple[str, ...] = (),
        related: tuple[Related, ...] = (),
        severity: Severity | None = None,
        fixes: tuple[Fix, ...] = (),
        causes: tuple[Cause, ...] = (),
    ) -> None:
        """Report a finding of the current instance, unless a failure is what the caller expects."""
        if not self.expecting_failure and not self.muted:
            report = self.report if self.builder is None else self.builder.record.report
            found = Finding(name, span, message, notes, related, fixes, severity, causes)
            found = found if self.strict else self.at_call(found)
            if found not in report.findings:
                report.findings.append(found)

    def at_call(self, finding: Finding) -> Finding:
        """A mistake in another file, told at the call in the file that is checked."""
        spans = [f.call_span for f in reversed(self.frames)]
        if finding.span.home.path == self.program.main:
            return finding
        here = [s for s in spans if s is not None and s.home.path == self.program.main]
        if not here:
            return finding
        return replace(finding, span=here[0], related=(Related(finding.span, "raised here"),))

    def note_floor(self, node: ast.AST, a: int, b: int) -> None:
        """Remember a division with a remainder for the kernels of this factory."""
        frame, at = (self.frames[-1] if self.frames else None), span_of(node)
        if frame is None or not isinstance(node, ast.BinOp) or at in frame.floors:
            return
        if len(frame.floors) < MAX_FLOORS:
            text = ast.unparse(node.left), ast.unparse(node.right)
            frame.floors[at] = Floor(at, a, b, text, counts(frame.function.node, node))

    def poison(self, node: ast.stmt, value: Unknown) -> None:
        """Bind every name that a failed statement would have bound."""
        for name in bound_names(node):
            self.env.names[name] = value

    @contextmanager
    def catching(self) -> Iterator[None]:
        """Within, a Python error leaves the block for the handlers of its `try`."""
        saved, self.handlers = self.handlers, True
        try:
            yield
        finally:
            self.handlers = saved

    @contextmanager
    def tolerating(self) -> Iterator[None]:
        """Within, a mistake is not told: somebody may handle it, or the code may never run."""
        self.tolerant += 1
        try:
            yield
        finally:
            self.tolerant -= 1

    @property
    def doubter(self) -> Machine | FactoryFrame:
        """Who counts the doubts whether evaluation comes here."""
        return self.frames[-1] if self.frames else self

    @contextmanager
    def doubted(self) -> Iterator[None]:
        """Within, what is wrong with a call is not certain, but what its kernel says is."""
        doubter = self.doubter
        doubter.doubt += 1
        try:
            yield
        finally:
            doubter.doubt -= 1

    @contextmanager
    def undecided(self) -> Iterator[None]:
        """Whether this code runs is not known: a mistake in it is not certain, and what it changes
        is not known any more."""
        with self.listening() as changes:
            try:
                with self.tolerating():
                    yield
            finally:
                changes.forget(UNDECIDED)

    @contextmanager
    def listening(self) -> Iterator[Changes]:
        """Collects what is changed within."""
        outer, self.changes = self.changes, Changes()
        mine = self.changes
        try:
            yield mine
        finally:
            self.changes = outer
            if outer is not None:
                outer.update(mine)

    def changing(self, value: Any, name: str = "") -> None:
        """An object is about to change in place. `name`: an attribute of it."""
        if self.changes is not None:
            self.changes.add(value, name)

    @contextmanager
    def scope(self, env: Env, module: Module | None = None) -> Iterator[None]:
        """Evaluate in another scope."""
        saved = self.env, self.module
        self.env = env
        if module is not None:
            self.module = module
        try:
            yield
        finally:
            self.env, self.module = saved


class HostCodeCut(Exception):
    """Host code that leads to no kernel has used up its steps; its outermost loop or call ends."""


class FactoryFrame:
    """The function whose body is being run: the innermost one is the factory of a prim_func."""

    __slots__ = (
        *("arguments", "call_span", "doubt", "floors", "function", "maybe", "origin", "yielded"),
    )

    def __init__(
        self,
        function: Function,
        arguments: tuple[tuple[str, Any], ...],
        call_span: Span | None,
        origin: str = "call",
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.call_span = call_span
        self.origin = origin
        self.maybe: list[Any] = []  # what it may have returned before
        self.yielded: list[Any] | None = None  # by a generator that is run at once
        self.doubt = 0  # turns of loops that may have ended before they came here
        self.floors: dict[Span, Floor] = {}


def bound_names(node: ast.AST) -> list[str]:
    """Names that a statement (with its nested blocks) binds in its own scope."""
    names: dict[str, None] = {}
    stack: list[ast.AST] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
            names[item.id] = None
        elif isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[item.name] = None
            continue
        elif isinstance(item, (ast.Import, ast.ImportFrom)):
            for alias in item.names:
                names[(alias.asname or alias.name).split(".")[0]] = None
        elif isinstance(item, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and item.name:
            names[item.name] = None
        elif isinstance(item, ast.MatchMapping) and item.rest:
            names[item.rest] = None
        elif isinstance(
            item, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        ):
            continue
        stack += children(item)
    return list(names)
