"""Index and scalar expressions: small immutable nodes, interned, equal by structure.

Plain Python numbers stand for constants; everything symbolic is an `Expr`. Build expressions with the
functions of `fold.py`, which fold constants; the classes here only hold structure.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias
from weakref import WeakValueDictionary

from tl_ascend.target.dtypes import BOOL, FLOAT32, INT32, DType

Scalar: TypeAlias = "int | float | bool | Expr"

MAX_DEPTH = 200

_pool: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()


class Expr:
    """Base of all nodes. Two nodes of the same structure are the same object. `names`: of the fields,
    each of which is an attribute as well."""

    __slots__ = ("__weakref__", "depth", "fields")
    fields: tuple[Any, ...]
    depth: int
    names: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, *fields: Any) -> Expr:
        # 1, 1.0 and True are equal in Python, but not here.
        key = (cls, fields, _kinds(fields))
        node = _pool.get(key)
        if node is None:
            node = object.__new__(cls)
            object.__setattr__(node, "fields", fields)
            object.__setattr__(node, "depth", 1 + max(map(_depth, fields), default=0))
            for name, field in zip(cls.names, fields, strict=True):
                object.__setattr__(node, name, field)
            _pool[key] = node
        return node

    def __reduce__(self) -> tuple[type[Expr], tuple[Any, ...]]:
        return type(self), self.fields

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __bool__(self) -> bool:
        raise TypeError("a symbolic expression has no truth value")

    def __repr__(self) -> str:
        from tl_ascend.ir.text import show

        return show(self)

    @property
    def dtype(self) -> DType:
        return INT32

    @property
    def children(self) -> tuple[Any, ...]:
        """Operands that are expressions or numbers."""
        return ()


def _kinds(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_kinds(f) if type(f) is tuple else type(f) for f in fields])


def _depth(field: Any) -> int:
    if isinstance(field, Expr):
        return field.depth
    if isinstance(field, tuple):
        return max(map(_depth, field), default=0)
    return 0


class Const(Expr):
    """A number with an explicit type, such as `T.float16(1)`."""

    __slots__ = names = ("value", "type")
    value: int | float
    type: DType

    @property
    def dtype(self) -> DType:
        return self.fields[1]  # type: ignore[no-any-return]


class Var(Expr):
    """A variable. `role`: block, subblock, loop, let, shape (a symbolic dimension), drawn (by the host,
    at random), scalar (a parameter) or variable (`T.alloc_var`). `low`, `high`: inclusive range
    where known."""

    __slots__ = names = ("name", "uid", "role", "low", "high", "type")
    name: str
    uid: int
    role: str
    low: int | None
    high: int | None
    type: DType

    @property
    def dtype(self) -> DType:
        return self.fields[5]  # type: ignore[no-any-return]


class Binary(Expr):
    """`op` is one of + - * / // % ** min max & | ^ << >>; integers use floor division."""

    __slots__ = names = ("op", "a", "b")
    op: str
    a: Scalar
    b: Scalar

    @property
    def dtype(self) -> DType:
        return _common_type(self)

    @property
    def children(self) -> tuple[Any, ...]:
        return self.fields[1:]


class Compare(Expr):
    """`op` is one of == != < <= > >=."""

    __slots__ = names = ("op", "a", "b")
    op: str
    a: Scalar
    b: Scalar

    @property
    def dtype(self) -> DType:
        return BOOL

    @property
    def children(self) -> tuple[Any, ...]:
        return self.fields[1:]


class Logic(Expr):
    """`op` is `and`, `or` (two operands) or `not` (one)."""

    __slots__ = names = ("op", "operands")
    op: str
    operands: tuple[Scalar, ...]

    @property
    def dtype(self) -> DType:
        return BOOL

    @property
    def children(self) -> tuple[Any, ...]:
        return self.operands


class Select(Expr):
    """`then` where `condition` holds, else `other`; only one side is evaluated."""

    __slots__ = names = ("condition", "then", "other")
    condition: Scalar
    then: Scalar
    other: Scalar

    @property
    def dtype(self) -> DType:
        return _common_type(self)

    @property
    def children(self) -> tuple[Any, ...]:
        return self.fields


class Cast(Expr):
    """`value` converted to `type`."""

    __slots__ = names = ("type", "value")
    type: DType
    value: Scalar

    @property
    def dtype(self) -> DType:
        return self.fields[0]  # type: ignore[no-any-return]

    @property
    def children(self) -> tuple[Any, ...]:
        return self.fields[1:]


class Load(Expr):
    """One element of a buffer (`nodes.Buffer`) at run time."""

    __slots__ = names = ("buffer", "indices")
    buffer: Any
    indices: tuple[Scalar, ...]

    @property
    def dtype(self) -> DType:
        return self.fields[0].dtype  # type: ignore[no-any-return]

    @property
    def children(self) -> tuple[Any, ...]:
        return self.indices


class Call(Expr):
    """A scalar function (`exp`, `infinity`, `use_swizzle`, ...); `type` is that of the result."""

    __slots__ = names = ("name", "args", "type")
    name: str
    args: tuple[Any, ...]
    type: DType

    @property
    def dtype(self) -> DType:
        return self.fields[2]  # type: ignore[no-any-return]

    @property
    def children(self) -> tuple[Any, ...]:
        return tuple(a for a in self.args if not isinstance(a, str))


def dtype_of(value: Scalar) -> DType:
    """The element type of an expression or a Python number."""
    if isinstance(value, Expr):
        return value.dtype
    if isinstance(value, bool):
        return BOOL
    return FLOAT32 if isinstance(value, float) else INT32


@lru_cache(maxsize=16384)
def _common_type(node: Expr) -> DType:
    """The type of an operator, from its last two operands. Kept, because an expression is a graph:
    asked anew, each shared part would be walked once for every way to it."""
    a, b = node.fields[-2:]
    return promote(dtype_of(a), dtype_of(b))


def promote(a: DType, b: DType) -> DType:
    """The common type of two operands: float beats integer, wide beats narrow."""
    if a == b:
        return a
    rank = {"bool": 0, "uint": 1, "int": 1, "float": 2}
    if rank[a.kind] != rank[b.kind]:
        return a if rank[a.kind] > rank[b.kind] else b
    return a if a.bits >= b.bits else b


def unsigned(value: Expr) -> bool:
    """True for an operator on two unsigned numbers of 32 bits or more, computed modulo 2**bits. Python's
    numbers are signed; what is narrower C++ computes as int."""
    kinds = (dtype_of(value.fields[-2]), dtype_of(value.fields[-1]))
    return all(kind.kind == "uint" and kind.bits >= 32 for kind in kinds)


def walk(value: Any) -> list[Expr]:
    """All nodes of an expression, parents first; shared nodes once."""
    seen: dict[Expr, None] = {}
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, Expr) and node not in seen:
            seen[node] = None
            stack.extend(reversed(node.children))
    return list(seen)


def free_vars(value: Any) -> list[Var]:
    """The variables of an expression, in order of first appearance."""
    return list(_names(value)[0]) if isinstance(value, Expr) else []


def loads(value: Any) -> tuple[Load, ...]:
    """The elements that an expression reads, in order of first appearance."""
    return _names(value)[1] if isinstance(value, Expr) else ()


@lru_cache(maxsize=16384)
def _names(value: Expr) -> tuple[tuple[Var, ...], tuple[Load, ...]]:
    nodes = walk(value)
    return (
        tuple(node for node in nodes if isinstance(node, Var)),
        tuple(node for node in nodes if isinstance(node, Load)),
    )
