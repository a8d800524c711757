"""The program: a file, what it imports, and the kernels that its evaluation finds."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Protocol

from tl_ascend.diagnostics.report import Report
from tl_ascend.frontend import (
    assignments,
    comprehensions,
    contexts,
    decorators,
    exceptions,
    expressions,
    kernels,
    language_loops,
    language_views,
    patterns,
    reach,
    statements,
)
from tl_ascend.frontend.compiling import Ways
from tl_ascend.frontend.damage import Damage
from tl_ascend.frontend.kernel_calls import check_call
from tl_ascend.frontend.language import language
from tl_ascend.frontend.language_names import name_of_t
from tl_ascend.frontend.language_values import converted
from tl_ascend.frontend.machine import (
    LEAVING,
    HostCodeCut,
    LoopExit,
    Machine,
    Raised,
    Returned,
    certain_error,
    python_error,
    why_stopped,
)
from tl_ascend.frontend.memo import Memo, Reads
from tl_ascend.frontend.models import install
from tl_ascend.frontend.models.torch import HostTensor
from tl_ascend.frontend.values import (
    DTypeRef,
    Env,
    Function,
    KernelHandle,
    KernelRecord,
    Namespace,
    PrimFunc,
    Unknown,
)
from tl_ascend.ir.expr import Var
from tl_ascend.ir.nodes import Buffer, Param
from tl_ascend.ops.table import TABLE
from tl_ascend.source.budget import Budget, OutOfBudget
from tl_ascend.source.span import Span
from tl_ascend.source.units import FileUnits, Unit, constant_assignment, span_of
from tl_ascend.target.dtypes import dtype

# Importing these registers what each kind of node and each name of T means.
MEANINGS = (
    *(assignments, comprehensions, contexts, decorators, exceptions, expressions, kernels),
    *(patterns, statements, language_loops, language_views),
)

# Names that notebooks and type checkers bind.
_GIVEN = frozenset({"display", "get_ipython", "reveal_locals", "reveal_type"})
STATEMENT_STEPS = 140_000
MAX_IMPORTS = 64


class Loader(Protocol):
    """Finds project files; the front end itself reads nothing."""

    def resolve(self, importer: str, name: str, level: int) -> FileUnits | None:
        """The file of a module as seen from a file, None where it is not of the project."""


class NoFiles:
    """A loader for a text on its own."""

    def resolve(self, importer: str, name: str, level: int) -> FileUnits | None:
        return None


class Module:
    """A file under evaluation."""

    def __init__(self, file: FileUnits, name: str) -> None:
        self.file = file
        self.path = file.source.path
        self.name = name
        self.env = Env(None, self)
        self.env.function = True
        self.env.names["__name__"] = name
        self.env.names["__file__"] = self.path
        self.names = reach.Names(file)
        self.damage = Damage(file)
        self.done = False
        self.ended = False  # the program has left before it came to the rest of the file


Model = Callable[..., Any]


class Program:
    """Everything that one evaluation shares."""

    def __init__(
        self, loader: Loader, budget: Budget, report: Report, memo: Memo | None = None
    ) -> None:
        self.loader = loader
        self.budget = budget
        self.report = report
        self.memo = memo or Memo()
        self.reads = Reads()
        self.max_instances = 16
        self.cube_cores = 24
        self.plain_torch = True  # tensors have torch's own default types
        self.stated: dict[str, tuple[str, ...]] = {}
        self.seen: dict[Span, set[Any]] = {}
        self.cut: dict[Span, int] = {}
        self.records: list[KernelRecord] = []
        self.ways = Ways()
        self.exhausted: set[Span] = set()
        self.symbols: set[Var] = set()  # dimensions that the author declared symbolic
        self.modules: dict[str, Module] = {}
        self.main = ""  # the path of the file that is checked
        self.builtins: dict[str, Any] = {}
        self.externals: dict[str, Callable[[], Any]] = {}
        self.methods: dict[type, dict[str, Model]] = {}
        self.attribute_models: dict[type, Model] = {}
        self.subscript_models: dict[type, Model] = {}
        self.binary_models: dict[type, Model] = {}
        self._namespaces: dict[str, Any] = {}
        self._missing: set[tuple[str, str]] = set()  # names that are told, by file
        install(self)

    # --- running -----------------------------------------------------------------------------

    def run(self, file: FileUnits) -> Module:
        """Evaluate a file as the main program, then its tests, then what its author states."""
        from tl_ascend.frontend.instances import stated_instances
        from tl_ascend.frontend.tests import tests

        module = Module(file, "__main__")
        self.modules[module.path] = module
        self.main = module.path
        machine = Machine(self, module, self.budget, self.report)
        self._run_units(machine, module)
        for unit, step in tests(machine, module):
            self._guarded(machine, unit, step)
        for unit, step in stated_instances(machine, module):
            self._guarded(machine, unit, step)
        return module

    def lacks_instances(self, module: Module) -> bool:
        """True where some factory has no instance that is known whole."""
        from tl_ascend.frontend.instances import lacking

        return bool(lacking(self, module))

    def lacks_options(self) -> bool:
        """True where the author states an instance of which no call says how it is compiled."""
        return any(r.origin == "stated" and self.ways.lacks(r) for r in self.records)

    def fall_back(self, module: Module) -> None:
        """Factories that lack an instance: default arguments, then symbolic dimensions."""
        from tl_ascend.frontend.instances import uncalled_factories

        machine = Machine(self, module, self.budget, self.report)
        for unit, step in uncalled_factories(machine, module):
            self._guarded(machine, unit, step)

    def _run_units(self, m: Machine, module: Module) -> None:
        for unit in module.file.units:
            constant = constant_assignment(unit.tree)
            if constant is not None:
                module.env.names[constant[0]] = constant[1]
                continue
            self._unit(m, module, unit)
        module.done = True

    def _unit(self, m: Machine, module: Module, unit: Unit) -> None:
        def action() -> None:
            try:
                m.doubt = int(module.ended)  # the rest still shows what the kernels are
                m.execute(unit.tree)
            except Raised as error:
                module.ended = module.ended or isinstance(error.exception, LEAVING)
                raise

        self._guarded(m, unit, action)

    def _guarded(self, m: Machine, unit: Unit, action: Callable[[], Any]) -> None:
        """Run a top-level step; what stops it ends this step only. Of a step of damaged text nothing is
        told."""
        told, made = len(m.report.findings), len(self.records)
        self.ways.latest.clear()
        try:
            with self.budget.allowance(STATEMENT_STEPS):
                action()
        except (OutOfBudget, RecursionError, MemoryError) as error:
            at = span_of(m.position) if m.position is not None else span_of(unit.tree)
            m.report.add("budget-exceeded", at, why_stopped(error))
        except (Raised, HostCodeCut, LoopExit, Returned):
            # Host code that stops here stops for reasons that we may not know well enough.
            return
        finally:
            m.unwind()
            if unit.home in m.module.damage.lost:
                del m.report.findings[told:]
                self.ways.doubt_latest()
                for record in self.records[made:]:
                    record.doubtful = True

    # --- names -------------------------------------------------------------------------------

    def note_read(self, module: Module, name: str, value: Any) -> None:
        """A global was read by the calls in progress."""
        self.reads.note(module, name, value)

    def missing_name(self, m: Machine, node: ast.Name) -> Any:
        """A name that nothing binds is a certain error only where no code of the file binds it."""
        if hasattr(builtins, node.id) or m.module.names.binds(node.id):
            return Unknown(f"{node.id} is not evaluated", span_of(node))
        mistake = python_error(node, NameError(f"name {node.id!r} is not defined"))
        if self._at_import(m, node.id):
            key = m.module.path, node.id
            if key in self._missing:  # Python raises at the first
                return Unknown(mistake.message, span_of(node), reported=True)
            if not m.doubtful and not m.tolerant and not m.handlers:
                self._missing.add(key)
            mistake.certain = True
        raise mistake

    def _at_import(self, m: Machine, name: str) -> bool:
        """True where the file that is checked reads a name at module level, and nobody can have bound it
        from outside, as notebooks do."""
        outside = name.startswith("__") or name in _GIVEN or m.module.names.dynamic
        return m.env is m.module.env and m.module.path == self.main and not outside

    def import_module(self, m: Machine, node: ast.AST, name: str, level: int) -> Any:
        """`import a.b.c` binds the module of `a`."""
        head = name.split(".")[0]
        found = self._module(m, name, level)
        self._doubt(m, node, found, "*")
        if "." not in name or isinstance(found, Unknown):
            return self._module(m, head, level) if not isinstance(found, Unknown) else found
        return self._module(m, head, level)

    def resolve_dotted(self, module: Any, name: str) -> Any:
        """`import a.b as x` binds the innermost module."""
        value = module
        for part in name.split(".")[1:]:
            if not isinstance(value, Namespace):
                return value
            value = value.attributes.get(part) or (value.fallback(part) if value.fallback else None)
        return value if value is not None else Unknown(f"module {name} is not evaluated")

    def import_name(self, m: Machine, node: ast.AST, module: str, level: int, name: str) -> Any:
        """`from module import name`."""
        owner = self._module(m, module, level)
        self._doubt(m, node, owner, name)
        if name == "*":
            if isinstance(owner, Namespace) and owner.name == "T":
                m.env.names.update(star_names(owner))
            elif isinstance(owner, Namespace) and isinstance(owner.attributes.get("__env__"), Env):
                m.env.names.update(
                    {k: v for k, v in owner.attributes.items() if not k.startswith("_")}
                )
            return None
        if isinstance(owner, Namespace):
            if name in owner.attributes:
                return self._read(owner, name)
            if owner.lookup is not None:
                return owner.lookup(m, node, name)
            if owner.fallback is not None:
                return owner.fallback(name)
        sub = self._module(m, f"{module}.{name}" if module else name, level)
        if not isinstance(sub, Unknown):
            return sub
        if isinstance(owner, Namespace) and self.lacks(m, owner, name):
            error = ImportError(f"cannot import name {name!r} from {owner.name!r}")
            raise certain_error(node, error)
        return owner if isinstance(owner, Unknown) else Unknown(f"{module}.{name} is not evaluated")

    def _doubt(self, m: Machine, node: ast.AST, owner: Any, name: str) -> None:
        """What a damaged text would have defined is not known to those that import it either."""
        env = owner.attributes.get("__env__") if isinstance(owner, Namespace) else None
        lost = env.globals.damage.names if isinstance(env, Env) and env.globals else ()
        if name in lost or (name == "*" and lost):
            m.module.damage.lose_home(span_of(node).home)

    def _read(self, owner: Namespace, name: str) -> Any:
        env = owner.attributes.get("__env__")
        if isinstance(env, Env) and env.globals is not None:
            self.note_read(env.globals, name, owner.attributes[name])
        return owner.attributes[name]

    def imported(self, importer: str, name: str, level: int) -> str:
        """The path of a module that a kept call imports, empty where there is none. It is loaded."""
        file = self.loader.resolve(importer, name, level)
        if file is None or importer not in self.modules:
            return ""
        machine = Machine(self, self.modules[importer], self.budget, Report())
        self._project_module(machine, file, name)
        return file.source.path

    def lacks(self, m: Machine, owner: Namespace, name: str) -> bool:
        """True where a module that stands beside the importing file surely has no such name."""
        env = owner.attributes.get("__env__")
        module = env.globals if isinstance(env, Env) else None
        if module is None or not module.done or module.ended or name.startswith("__"):
            return False
        path = PurePath(module.path)
        beside = path.parent == PurePath(m.module.path).parent and path.name != "__init__.py"
        known = not module.names.binds(name) and not module.names.binds("__getattr__")
        return beside and known and not module.names.dynamic and name not in owner.attributes

    def _module(self, m: Machine, name: str, level: int) -> Any:
        if level == 0 and name in self.externals:
            if name not in self._namespaces:
                self._namespaces[name] = self.externals[name]()
            return self._namespaces[name]
        head = name.split(".")[0]
        if level == 0 and head in self.externals:
            return self.resolve_dotted(self._module(m, head, 0), name)
        file = self.loader.resolve(m.module.path, name, level)
        self.reads.note_import(m.module, name, level, "" if file is None else file.source.path)
        if file is None or len(self.modules) > MAX_IMPORTS:
            return Unknown(f"module {name} is not evaluated")
        return self._project_module(m, file, name)

    def _project_module(self, m: Machine, file: FileUnits, name: str) -> Any:
        path = file.source.path
        module = self.modules.get(path)
        if module is None:
            module = self.modules[path] = Module(file, name)
            inner = Machine(self, module, self.budget, Report())
            inner.uid = m.uid
            made = len(self.records)
            self._run_units(inner, module)
            for record in self.records[made:]:
                record.of_import = True
            m.uid = inner.uid
        module.env.names.setdefault("__env__", module.env)
        return Namespace(name, module.env.names)

    # --- kernels -----------------------------------------------------------------------------

    def language(
        self, m: Machine, node: ast.AST, row: Any, args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        return language(m, node, row, args, kwargs)

    def convert(self, m: Machine, node: ast.AST, kind: DTypeRef, args: list[Any]) -> Any:
        """`T.float16(x)`."""
        found = dtype(kind)
        if found is None or len(args) != 1:
            return Unknown(f"{kind} is called", span_of(node))
        return converted(args[0], found)

    def run_kernel(
        self, m: Machine, node: ast.AST, kernel: KernelHandle | PrimFunc, args: list[Any]
    ) -> Any:
        """Calling a compiled kernel yields its outputs: shapes are known, data is not."""
        record = kernel.record
        check_call(m, node, record, args)
        params = record.kernel.params if record.kernel is not None else ()
        found = [_output(params, index) for index in record.options.out_idx]
        if not found or any(isinstance(f, Unknown) for f in found):
            return Unknown("the result of a kernel", span_of(node))
        return found[0] if len(found) == 1 else found

    def doubts(self, record: KernelRecord) -> bool:
        """True where damaged text has a part in a kernel, or may have one in how it is called."""
        module = self.modules.get(record.span.home.path)
        if module is None or not module.damage.lost:
            return False
        places = (record.span, *record.around)
        if any(place.home in module.damage.lost for place in places):
            return True
        said, uncalled = module.damage.said, record.origin in ("defaults", "symbolic")
        if not record.options.compiled and "compile" in said:
            return True
        named = (record.factory or record.name) in said
        return named and (uncalled or not record.options.compiled)

    # --- what leads to kernels ---------------------------------------------------------------

    def is_factory(self, function: Function) -> bool:
        """True for a function around a prim_func."""
        return reach.contains_kernel(function.node)

    def reaches(self, function: Function) -> bool:
        """True where a call of this function may lead to a kernel."""
        return function.module.names.reaches(function.node)

    def mentions_kernels(self, module: Module, node: ast.AST) -> bool:
        """True where this code mentions something that leads to a kernel."""
        return module.names.reaches(node)


def star_names(owner: Namespace) -> dict[str, Any]:
    """What `from tilelang.language import *` binds."""
    found = {
        name: name_of_t(name) for name, row in TABLE.items() if "." not in name and row.defined
    }
    return {**found, **owner.attributes}


def _output(params: tuple[Param, ...], index: int) -> Any:
    if not -len(params) <= index < len(params):
        return Unknown("an output that the kernel does not have")
    value = params[index].value
    if isinstance(value, Buffer) and all(isinstance(s, int) for s in value.shape):
        return HostTensor(value.shape, DTypeRef(value.dtype.name))
    return Unknown("the result of a kernel")
