"""The tests of a file as pytest would run them: parameters, fixtures, what is set up before."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tl_ascend.frontend.calls import call_function
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.testing import MARKS, USES, marks_of, of_fixture
from tl_ascend.frontend.values import ClassValue, Function, Instance, Namespace, Unknown
from tl_ascend.source.units import Unit

MAX_TEST_RUNS = 64
# Fixtures of pytest itself.
_OF_PYTEST = frozenset(
    "request tmp_path tmp_path_factory tmpdir monkeypatch capsys capfd caplog recwarn pytestconfig "
    "record_property".split()
)
_SET_UP = ("setup_class", "setUpClass", "setup_method", "setUp")


def tests(m: Machine, module: Any) -> Iterator[tuple[Unit, Callable[[], Any]]]:
    """Each run of each test that leads to a kernel, if all its arguments are supplied."""
    for unit in module.file.units:
        for function, owner in _test_functions(module, unit):
            if not m.program.reaches(function):
                continue
            fixtures = _Fixtures(m, unit, module, owner)
            names = fixtures.needed(function)
            if names is None:
                continue
            rows = [*function.parameters, *fixtures.parameters(function, names)]
            for combined in itertools.islice(itertools.product(*rows), MAX_TEST_RUNS):
                yield unit, _run(m, unit, function, fixtures, combined)


def _test_functions(module: Any, unit: Unit) -> Iterator[tuple[Function, ClassValue | None]]:
    if isinstance(unit.tree, ast.FunctionDef) and unit.tree.name.startswith("test"):
        value = module.env.names.get(unit.tree.name)
        if isinstance(value, Function) and value.node is unit.tree:
            yield value, None
    if isinstance(unit.tree, ast.ClassDef):
        cls = module.env.names.get(unit.tree.name)
        if isinstance(cls, ClassValue) and cls.node is unit.tree:
            for name, value in list(cls.attributes.items()):
                if name.startswith("test") and isinstance(value, Function):
                    yield value, cls


def _run(
    m: Machine,
    unit: Unit,
    function: Function,
    fixtures: _Fixtures,
    rows: tuple[dict[str, Any], ...],
) -> Callable[[], Any]:
    given = {name: value for row in rows for name, value in row.items()}
    marks = {mark for row in rows for mark in row.get(MARKS, ())}
    marks.update(function.decorated, fixtures.marks())

    def run() -> None:
        if "xfail" in marks:
            m.expecting_failure += 1
        unclear = any(fixtures.find(name) is None for name in _used(marks))
        m.doubt = int(unclear or not marks.isdisjoint(("skip", "perhaps")))
        first, values = fixtures.supply(function, given)
        call_function(m, unit.tree, function, first, values)

    return lambda: m.attempt(unit.tree, run)


def _names(function: Function, bound: bool) -> list[str]:
    """Parameters that pytest supplies."""
    spec = function.node.args
    names = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    count = len(names) - len(function.defaults)
    return names[1 if bound else 0 : count] + [a.arg for a in spec.kwonlyargs]


def _used(marks: Iterable[str]) -> list[str]:
    """Fixtures that marks name: `pytest.mark.usefixtures`."""
    found = [mark.split()[1:] for mark in marks if mark.startswith(f"{USES} ")]
    return list(itertools.chain(*found))


class _Fixtures:
    """What the tests of one unit may ask for."""

    def __init__(self, m: Machine, unit: Unit, module: Any, owner: ClassValue | None) -> None:
        self._m = m
        self._unit = unit
        self._module = module
        self._owner = owner

    def marks(self) -> tuple[str, ...]:
        """Those of the class and of the module."""
        found = marks_of(self._module.env.names.get("pytestmark"))
        if self._owner is not None:
            found += self._owner.marks + marks_of(self._owner.attributes.get("pytestmark"))
        return found

    def find(self, name: str) -> tuple[Function, bool] | None:
        """A fixture, and whether it is a method."""
        inner = self._owner.attributes.get(name) if self._owner is not None else None
        for value, method in ((inner, True), (self._module.env.names.get(name), False)):
            if isinstance(value, Function) and "fixture" in value.decorated:
                return value, method and "staticmethod" not in value.decorated
        return None

    def _always(self) -> list[str]:
        places = [self._module.env.names, self._owner.attributes if self._owner else {}]
        return [
            name
            for place in places
            for name, value in place.items()
            if isinstance(value, Function) and "autouse" in value.decorated
        ]

    def _bound(self, function: Function) -> bool:
        return self._owner is not None and "staticmethod" not in function.decorated

    def needed(self, function: Function) -> list[str] | None:
        """The fixtures of a test, those of fixtures first; None where one is not known."""
        direct = {name for rows in function.parameters for row in rows[:1] for name in row}
        asked = [n for n in _names(function, self._bound(function)) if n not in direct]
        found: dict[str, None] = {}
        used = [n for n in _used((*function.decorated, *self.marks())) if self.find(n)]
        for name in (*self._always(), *used, *asked):
            if not self._collect(name, found, ()):
                return None
        return list(found)

    def _collect(self, name: str, found: dict[str, None], above: tuple[str, ...]) -> bool:
        if name in _OF_PYTEST or name in found:
            return True
        fixture = self.find(name)
        if fixture is None or name in above:
            return False
        inner = _names(*fixture)
        done = [self._collect(n, found, (*above, name)) for n in inner]
        found[name] = None
        return all(done)

    def parameters(self, function: Function, names: list[str]) -> list[tuple[dict[str, Any], ...]]:
        """Rows of fixtures with parameters, as far as the test does not give them itself."""
        given = {key for rows in function.parameters for row in rows[:1] for key in row}
        found = [f[0] for n in names if of_fixture(n) not in given and (f := self.find(n))]
        return [rows for fixture in found for rows in fixture.parameters]

    def supply(self, function: Function, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The object of a test method and the arguments of a test."""
        bound = self._bound(function)
        first = [self._object()] if bound else []
        values = dict(given)
        for name in self.needed(function) or ():
            values[name] = self._value(name, first, values)
        return first, {n: self._plain(n, values) for n in self._taken(function, bound, given)}

    def _taken(self, function: Function, bound: bool, given: dict[str, Any]) -> list[str]:
        spec = function.node.args
        every = {a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}
        return list(dict.fromkeys([*_names(function, bound), *(n for n in given if n in every)]))

    def _plain(self, name: str, values: dict[str, Any]) -> Any:
        return values[name] if name in values else Unknown(f"the fixture {name}")

    def _value(self, name: str, first: list[Any], values: dict[str, Any]) -> Any:
        found = self.find(name)
        if found is None:
            return Unknown(f"the fixture {name}")
        fixture, method = found
        parameter = values.get(of_fixture(name), Unknown(f"the parameter of {name}"))
        request = Namespace("request", {"param": parameter}, lambda n: Unknown(f"request.{n}"))
        inner = {"request": request, **values}
        arguments = {n: self._plain(n, inner) for n in _names(fixture, method)}
        owner = first if method else []
        return call_function(self._m, self._unit.tree, fixture, owner, arguments)

    def _object(self) -> Instance:
        """The object whose method is the test, set up."""
        assert self._owner is not None
        made = Instance(self._owner)
        for name in _SET_UP:
            method = self._owner.attributes.get(name)
            if isinstance(method, Function):
                owner = self._owner if "classmethod" in method.decorated else made
                rest = [Unknown(n) for n in _names(method, True)]
                call_function(self._m, self._unit.tree, method, [owner, *rest], {})
        return made
