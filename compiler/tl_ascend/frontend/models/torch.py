"""Torch as kernel files use it: shapes and types of host tensors, data of small literal ones.

Only what can reach a factory's arguments is modelled: a shape that is not known is None, data is
kept (as numpy) for small tensors built from literals, and everything else is unknown.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.classes import Marker
from tl_ascend.frontend.values import (
    Builtin,
    DTypeRef,
    Namespace,
    TorchDType,
    Unknown,
    first_unknown,
)
from tl_ascend.source.units import span_of
from tl_ascend.target.dtypes import dtype

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program

MAX_DATA = 4096


class HostTensor:
    """A tensor of the host program. `shape`: None where unknown; `data`: a numpy array or None.

    Views share memory with the tensor that they are a view `of`: a change that is not followed makes
    the data of all of them unknown. `exact`: shape and type are stated by the program, not
    concluded.
    """

    __slots__ = ("_data", "dtype", "exact", "root", "shape", "spoiled")

    def __init__(
        self,
        shape: tuple[Any, ...] | None,
        kind: Any = None,
        data: Any = None,
        of: HostTensor | None = None,
        exact: bool = False,
    ) -> None:
        self.shape = shape
        self.dtype = kind
        self._data = data
        self.root: HostTensor = of.root if of is not None else self
        self.spoiled = False
        self.exact = exact

    @property
    def data(self) -> Any:
        return None if self.root.spoiled else self._data

    def forget(self) -> None:
        """Something has changed elements, and it is not known to what."""
        self.root.spoiled = True

    def store(self, index: Any, value: Any) -> None:
        """`tensor[index] = value`."""
        plain = isinstance(value, (int, float))
        if self.data is None or not plain or not _is_plain_index(index):
            self.forget()
            return
        try:
            self.data[index] = value
        except (IndexError, TypeError, ValueError, OverflowError):
            self.forget()


def _is_plain_index(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return all(
        isinstance(p, int)
        or p is Ellipsis
        or (
            isinstance(p, slice)
            and all(isinstance(b, (int, type(None))) for b in (p.start, p.stop, p.step))
        )
        for p in parts
    )


def install(program: Program) -> None:
    """`import torch` and the methods of tensors."""
    program.externals["torch"] = lambda: _torch(program.cube_cores)
    program.externals["torch_npu"] = lambda: Namespace("torch_npu", {}, _torch_member)
    program.attribute_models[HostTensor] = _member
    program.subscript_models[HostTensor] = _item
    program.binary_models[HostTensor] = _binary


def _torch(cube_cores: int) -> Namespace:
    attributes: dict[str, Any] = {"npu": _npu(cube_cores)}
    for name in ("randn", "rand", "zeros", "ones", "empty"):
        attributes[name] = Builtin(name, _filled)
    for name in ("zeros_like", "ones_like", "empty_like", "randn_like", "rand_like", "full_like"):
        attributes[name] = Builtin(name, _like)
    attributes["full"] = Builtin("full", _full)
    attributes["randint"] = Builtin("randint", _randint)
    attributes["arange"] = Builtin("arange", _arange)
    attributes["tensor"] = Builtin("tensor", _literal)
    attributes["as_tensor"] = Builtin("as_tensor", _literal)
    attributes["cat"] = Builtin("cat", _cat)
    attributes["randperm"] = Builtin(
        "randperm", lambda m, n, a, k: _sized(_sizes(a[:1]), k, "int64")
    )
    attributes["inf"] = math.inf
    attributes["Tensor"] = Marker("Tensor")
    attributes["set_default_dtype"] = Builtin("set_default_dtype", _other_default)
    for name in ("manual_seed", "set_default_device", "set_printoptions"):
        attributes[name] = Builtin(name, lambda m, n, a, k: None)
    attributes["device"] = Builtin("device", lambda m, n, a, k: a[0] if a else None)
    for name in _SAME_SHAPE_FUNCTIONS:
        attributes[name] = Builtin(name, _first_shape)
    functional = Namespace("torch.nn.functional", _functional(), _torch_member)
    attributes["nn"] = Namespace("torch.nn", {"functional": functional}, _torch_member)
    attributes["testing"] = Namespace("torch.testing", {}, _silent)
    return Namespace("torch", attributes, _torch_member)


_SAME_SHAPE_FUNCTIONS = (
    "abs clamp exp log neg relu round rsqrt sigmoid sign sin cos sqrt tanh tril triu flip cumsum "
    "softmax"
).split()


def _functional() -> dict[str, Any]:
    names = "normalize logsigmoid softmax silu gelu relu sigmoid softplus dropout layer_norm log_softmax"
    found: dict[str, Any] = {name: Builtin(name, _first_shape) for name in names.split()}
    found["pad"] = Builtin("pad", _pad)
    return found


def _other_default(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """From here on tensors have other types than those that torch starts with."""
    m.program.plain_torch = False


def _pad(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """`pad(x, (left, right, top, bottom, ...))` from the last dimension on."""
    amounts = args[1] if len(args) > 1 else kwargs.get("pad")
    if not args or not isinstance(args[0], HostTensor) or args[0].shape is None:
        return first_unknown(args) or HostTensor(None)
    shape = list(args[0].shape)
    if not isinstance(amounts, (list, tuple)) or len(amounts) > 2 * len(shape):
        return HostTensor(None, args[0].dtype)
    if not all(isinstance(v, int) for v in (*amounts, *shape)):
        return HostTensor(None, args[0].dtype)
    for index in range(len(amounts) // 2):
        shape[-1 - index] += amounts[2 * index] + amounts[2 * index + 1]
    return HostTensor(tuple(shape), args[0].dtype)


def _silent(name: str) -> Any:
    return Builtin(name, lambda m, n, a, k: None)


def _torch_member(name: str) -> Any:
    found = dtype(name)
    if found is not None:  # torch.half is torch.float16
        return TorchDType(found.name)
    return Unknown(f"torch.{name} is not evaluated")


def _npu(cube_cores: int) -> Namespace:
    """The device as the settings describe it: no device is asked."""
    properties = Namespace(
        "the properties of the device",
        {"cube_core_num": cube_cores, "vector_core_num": 2 * cube_cores, "name": "Ascend910_93"},
    )
    return Namespace(
        "torch.npu",
        {
            "get_device_properties": Builtin("properties", lambda m, n, a, k: properties),
            "is_available": Builtin("is_available", lambda m, n, a, k: True),
            "current_device": Builtin("current_device", lambda m, n, a, k: 0),
            "device_count": Builtin("device_count", lambda m, n, a, k: 1),
        },
        _silent,
    )


def _sizes(args: list[Any]) -> tuple[Any, ...] | None:
    """A shape from `(2, 3)`, `((2, 3),)` or `([2, 3],)`; None where it is not known."""
    parts = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    shape = tuple(parts)
    return shape if all(isinstance(p, (int, Unknown)) for p in shape) else None


def _kind(kwargs: dict[str, Any], default: str) -> Any:
    value = kwargs.get("dtype")
    return value if isinstance(value, (str, Unknown)) else DTypeRef(default)


def _sized(shape: tuple[Any, ...] | None, kwargs: dict[str, Any], default: str) -> HostTensor:
    return HostTensor(shape, _kind(kwargs, default), exact=True)


def _filled(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    size = kwargs.get("size")
    shape = _sizes([size] if size is not None else args)
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else ""
    )
    value = {"zeros": 0, "ones": 1}.get(name)
    tensor = _sized(shape, kwargs, "float32")
    return _with_fill(tensor, value)


def _with_fill(tensor: HostTensor, value: Any) -> HostTensor:
    import numpy as np

    shape = tensor.shape
    if (
        shape is not None
        and isinstance(value, (int, float))
        and all(isinstance(s, int) for s in shape)
    ):
        if 0 <= math.prod(shape) <= MAX_DATA:
            whole = isinstance(value, int) and "int" in str(tensor.dtype)
            data = np.full(shape, value, dtype=np.int64 if whole else np.float64)
            return HostTensor(shape, tensor.dtype, data, exact=True)
    return tensor


def _full(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not args:
        return Unknown("torch.full of an unknown size", span_of(node))
    value = args[1] if len(args) > 1 else kwargs.get("fill_value")
    default = "int64" if isinstance(value, int) else "float32"
    return _with_fill(_sized(_sizes(args[:1]), kwargs, default), value)


def _like(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], HostTensor):
        return HostTensor(args[0].shape, kwargs.get("dtype", args[0].dtype))
    return first_unknown(args) or Unknown("like an unknown tensor", span_of(node))


def _randint(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    size = kwargs.get("size")
    if size is None:
        size = next((a for a in args if isinstance(a, (list, tuple))), None)
    return _sized(_sizes([size]) if size is not None else None, kwargs, "int64")


def _arange(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import numpy as np

    if args and all(isinstance(a, int) for a in args):
        count = len(range(*args[:3]))
        data = np.arange(*args[:3]) if count <= MAX_DATA else None
        return HostTensor((count,), _kind(kwargs, "int64"), data)
    return HostTensor(None, _kind(kwargs, "int64"))


def _literal(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import numpy as np

    value = args[0] if args else None
    if isinstance(value, HostTensor):
        return value
    if first_unknown(value) is not None or not isinstance(value, (int, float, bool, list, tuple)):
        return first_unknown(value) or Unknown("a tensor of unknown data", span_of(node))
    try:
        data = np.array(value)
    except (ValueError, TypeError, OverflowError):
        return Unknown("a tensor of unknown data", span_of(node))
    if data.dtype == object:
        return Unknown("a tensor of unknown data", span_of(node))
    default = (
        "int64" if data.dtype.kind in "iu" else "bool" if data.dtype.kind == "b" else "float32"
    )
    return HostTensor(data.shape, _kind(kwargs, default), data if data.size <= MAX_DATA else None)


def _cat(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import numpy as np

    parts = args[0] if args and isinstance(args[0], (list, tuple)) else []
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    if not parts or not all(isinstance(p, HostTensor) and p.shape is not None for p in parts):
        return HostTensor(None)
    if not isinstance(dim, int) or not all(isinstance(s, int) for p in parts for s in p.shape):
        return HostTensor(None)
    first = list(parts[0].shape)
    if not -len(first) <= dim < len(first):
        return HostTensor(None)
    first[dim] = sum(p.shape[dim] for p in parts if len(p.shape) == len(first))
    data = None
    if all(p.data is not None for p in parts):
        data = np.concatenate([p.data for p in parts], axis=dim)
    return HostTensor(tuple(first), parts[0].dtype, data)


def _first_shape(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> Any:
    import numpy as np

    if not args or not isinstance(args[0], HostTensor):
        return first_unknown(args) or Unknown("a function of an unknown tensor", span_of(node))
    tensor = args[0]
    data = None
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else ""
    )
    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
    if name == "cumsum" and tensor.data is not None and isinstance(dim, int):
        data = np.cumsum(tensor.data, axis=dim)
    return HostTensor(tensor.shape, kwargs.get("dtype", tensor.dtype), data)


# --- members of tensors ----------------------------------------------------------------------

_CASTS = {
    "half": "float16",
    "float": "float32",
    "bfloat16": "bfloat16",
    "int": "int32",
    "long": "int64",
    "bool": "bool",
    "double": "float64",
    "short": "int16",
    "byte": "uint8",
}
_SAME_SHAPE = frozenset(
    "abs exp clamp round neg sqrt sigmoid tanh softmax relu masked_fill pin_memory".split()
)
_SAME_MEMORY = frozenset("npu cpu cuda numpy contiguous detach requires_grad_".split())


def _member(m: Machine, node: ast.AST, owner: HostTensor, name: str) -> Any:
    if name == "shape":
        return _shape_value(owner)
    if name == "dtype":
        return owner.dtype if owner.dtype is not None else Unknown("an unknown element type")
    if name == "ndim":
        return len(owner.shape) if owner.shape is not None else Unknown("an unknown rank")
    if name in ("T", "mT"):
        return _transposed(owner, -2, -1)
    if name in ("device", "grad", "is_cuda", "requires_grad"):
        return Unknown(f"{name} of a tensor")
    return Builtin(name, lambda m2, at, args, kwargs: _method(m2, at, owner, name, args, kwargs))


def _shape_value(owner: HostTensor) -> Any:
    return (
        owner.shape if owner.shape is not None else Unknown("the shape of this tensor is not known")
    )


def _method(
    m: Machine, node: ast.AST, t: HostTensor, name: str, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    if name in _CASTS:
        return _cast(t, DTypeRef(_CASTS[name]))
    if name == "to":
        kinds = (a for a in (*args, kwargs.get("dtype")) if isinstance(a, DTypeRef))
        return _cast(t, next(kinds, t.dtype))
    if name in _SAME_MEMORY:
        return HostTensor(t.shape, t.dtype, t.data, t, exact=t.exact)
    if name == "clone":
        data = t.data.copy() if t.data is not None else None
        return HostTensor(t.shape, t.dtype, data, exact=t.exact)
    if name in _SAME_SHAPE:
        return HostTensor(t.shape, t.dtype)
    if name.endswith("_") and not name.startswith("_"):
        t.forget()
        return t
    action = _METHODS.get(name)
    return action(node, t, args, kwargs) if action is not None else HostTensor(None)


def _cast(t: HostTensor, kind: Any) -> HostTensor:
    """Whether a cast copies depends on the type that the tensor has."""
    if kind == t.dtype or t.data is None:
        return HostTensor(t.shape, kind, t.data, t, exact=t.exact)
    return HostTensor(t.shape, kind, t.data.copy(), exact=t.exact)


def _size(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    dim = args[0] if args else kwargs.get("dim")
    if t.shape is None or dim is None:
        return _shape_value(t)
    if isinstance(dim, int) and -len(t.shape) <= dim < len(t.shape):
        return t.shape[dim]
    return Unknown("a size of an unknown dimension", span_of(node))


def _numel(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if t.shape is not None and all(isinstance(s, int) for s in t.shape):
        return math.prod(t.shape)
    return Unknown("the size of this tensor is not known", span_of(node))


def _reshape(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape = _sizes(args)
    if shape is None or t.shape is None or not all(isinstance(s, int) for s in (*shape, *t.shape)):
        return HostTensor(None, t.dtype, None, t)
    if -1 in shape:
        known = math.prod(s for s in shape if s != -1)
        if not known or math.prod(t.shape) % known:
            return HostTensor(None, t.dtype, None, t)
        shape = tuple(math.prod(t.shape) // known if s == -1 else s for s in shape)
    data = t.data.reshape(shape) if t.data is not None and t.data.size == math.prod(shape) else None
    return HostTensor(shape, t.dtype, data, t, exact=t.exact)


def _permute(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    order = _sizes(args)
    if t.shape is None or order is None or sorted(order) != list(range(len(t.shape))):
        return HostTensor(None, t.dtype, None, t)
    return HostTensor(tuple(t.shape[i] for i in order), t.dtype, None, t)


def _transpose(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 2 and all(isinstance(a, int) for a in args):
        return _transposed(t, args[0], args[1])
    return HostTensor(None, t.dtype, None, t)


def _transposed(t: HostTensor, a: int, b: int) -> HostTensor:
    if t.shape is None or not all(-len(t.shape) <= i < len(t.shape) for i in (a, b)):
        return HostTensor(None, t.dtype, None, t)
    shape = list(t.shape)
    shape[a], shape[b] = shape[b], shape[a]
    return HostTensor(tuple(shape), t.dtype, None, t)


def _unsqueeze(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if t.shape is None or not args or not isinstance(args[0], int):
        return HostTensor(None, t.dtype, None, t)
    shape = list(t.shape)
    shape.insert(args[0] if args[0] >= 0 else len(shape) + 1 + args[0], 1)
    return HostTensor(tuple(shape), t.dtype, None, t)


def _squeeze(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if t.shape is None:
        return t
    if args and isinstance(args[0], int) and -len(t.shape) <= args[0] < len(t.shape):
        at = args[0] % len(t.shape)
        kept = [s for i, s in enumerate(t.shape) if i != at or s != 1]
        return HostTensor(tuple(kept), t.dtype, None, t)
    return HostTensor(tuple(s for s in t.shape if s != 1), t.dtype, None, t)


def _items(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if t.data is None:
        return Unknown("the data of this tensor is not known", span_of(node))
    return t.data.tolist()


def _reduced(node: ast.AST, t: HostTensor, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if t.data is None or args or kwargs:
        return HostTensor(None, t.dtype)
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else ""
    )
    value = getattr(t.data, name)()
    return HostTensor((), t.dtype, value)


_METHODS: dict[str, Callable[..., Any]] = {
    "size": _size,
    "dim": lambda n, t, a, k: len(t.shape) if t.shape is not None else Unknown("an unknown rank"),
    "numel": _numel,
    "nelement": _numel,
    "view": _reshape,
    "reshape": _reshape,
    "permute": _permute,
    "transpose": _transpose,
    "t": lambda n, t, a, k: _transposed(t, -2, -1),
    "unsqueeze": _unsqueeze,
    "squeeze": _squeeze,
    "item": _items,
    "tolist": _items,
    "max": _reduced,
    "min": _reduced,
    "sum": _reduced,
    "element_size": lambda n, t, a, k: _element_size(t),
}


def _element_size(t: HostTensor) -> Any:
    found = dtype(t.dtype) if isinstance(t.dtype, str) else None
    return found.bytes if found is not None else Unknown("an unknown element type")


def _item(m: Machine, node: ast.AST, t: HostTensor, index: Any) -> Any:
    parts = index if isinstance(index, tuple) else (index,)
    if t.data is not None and all(isinstance(p, (int, slice)) for p in parts):
        try:
            data = t.data[index]
        except (IndexError, TypeError):
            return HostTensor(None, t.dtype, None, t)
        return HostTensor(tuple(getattr(data, "shape", ())), t.dtype, data, t)
    if t.shape is None or any(isinstance(p, (HostTensor, Unknown, list)) for p in parts):
        return HostTensor(None, t.dtype, None, t)
    return HostTensor(_indexed_shape(t.shape, parts), t.dtype, None, t)


def _indexed_shape(shape: tuple[Any, ...], parts: tuple[Any, ...]) -> tuple[Any, ...] | None:
    out: list[Any] = []
    at = 0
    used = sum(p is not None and p is not Ellipsis for p in parts)
    for part in parts:
        if part is None:
            out.append(1)
            continue
        if part is Ellipsis:
            skip = len(shape) - used
            out += shape[at : at + skip]
            at += skip
            continue
        if at >= len(shape) or not isinstance(part, (int, slice)):
            return None
        if isinstance(part, slice):
            length = _slice_length(shape[at], part)
            if length is None:
                return None
            out.append(length)
        at += 1
    return (*out, *shape[at:])


def _slice_length(size: Any, part: slice) -> int | None:
    bounds = (part.start, part.stop, part.step)
    if not isinstance(size, int) or not all(isinstance(b, (int, type(None))) for b in bounds):
        return None
    return len(range(*part.indices(size))) if part.step != 0 else None


def _binary(m: Machine, node: ast.AST, op: str, a: Any, b: Any) -> Any:
    """Element-wise: the shape of the tensor operand with more dimensions."""
    import numpy as np

    tensors = [x for x in (a, b) if isinstance(x, HostTensor)]
    if op == "@" or any(t.shape is None for t in tensors):
        return HostTensor(None, tensors[0].dtype)
    plain = [x.data if isinstance(x, HostTensor) else x for x in (a, b)]
    if op in ("+", "-", "*", "//") and all(
        isinstance(p, (int, float, np.ndarray, np.generic)) for p in plain
    ):
        try:
            data = {"+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide}[op](
                *plain
            )
            return HostTensor(tuple(np.shape(data)), tensors[0].dtype, data)
        except ValueError:
            return HostTensor(None, tensors[0].dtype)
    best = max(tensors, key=lambda t: len(t.shape or ()))
    return HostTensor(best.shape, best.dtype)
