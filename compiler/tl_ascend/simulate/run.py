"""Evaluate a kernel on numpy arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, prod
from typing import Any

import numpy as np

from tl_ascend.ir.drawn import drawn, example
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.meetings import joining
from tl_ascend.ir.nodes import (
    AUTO_CV_SYNC,
    Buffer,
    CoreScope,
    Kernel,
    Param,
    Stmt,
    TileOp,
    walk_stmts,
)
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import op_text, show
from tl_ascend.simulate import rows
from tl_ascend.simulate.elements import Array, Element
from tl_ascend.simulate.errors import BadArgument, UnwrittenMemory
from tl_ascend.simulate.executor import Executor, Plan
from tl_ascend.simulate.expressions import cast_to
from tl_ascend.simulate.machine import Machine, Printed
from tl_ascend.simulate.memory import Box, Storage, View
from tl_ascend.simulate.sync import ALL_BLOCKS, Barrier, Flags, Wait, run_together
from tl_ascend.simulate.turns import Turns, led_through_gm, turns_of

assert rows.FAMILIES


@dataclass(frozen=True, slots=True)
class Result:
    """`outputs`: the tensors that the kernel's `out_idx` names, in its order; `printed`: what
    T.printf and T.dump_tensor sent, in the order of the evaluation."""

    outputs: tuple[Array, ...]
    printed: tuple[Printed, ...]


def run(
    kernel: Kernel, *arguments: Any, blocks: int | None = None, backwards: bool = False
) -> Result:
    """Evaluate a kernel; see `tl_ascend.evaluate`. Unless blocks wait for each other, `blocks`: only so
    many of the first ones; `backwards`: from the last one on. Errors: EvaluationError."""
    if not isinstance(kernel, Kernel):
        raise BadArgument(f"a kernel of tl_ascend.load is wanted, not {type(kernel).__name__}")
    machine = Machine(kernel)
    given = _given(machine.kernel, arguments)
    with np.errstate(all="ignore"):
        bound = _bind(machine, given)
        _launch(machine, blocks, backwards)
    outputs = set(_positions(kernel, kernel.options.out_idx))
    for at, param in enumerate(machine.kernel.params):
        if isinstance(param.value, Buffer):
            hidden = at in _hidden(machine.kernel) and at not in outputs
            _deliver(machine, machine.tensors[param.value.uid], bound.get(at), hidden)
    return Result(tuple(_outputs(machine, given)), tuple(machine.printed))


# --- arguments --------------------------------------------------------------------------------------


def _hidden(kernel: Kernel) -> set[int]:
    """Parameters that callers of the compiled kernel do not pass."""
    return set(_positions(kernel, (*kernel.options.out_idx, *kernel.options.workspace_idx)))


def _positions(kernel: Kernel, named: tuple[int, ...]) -> list[int]:
    """Positions counted from the front; those of no parameter are left out."""
    count = len(kernel.params)
    return [at % count for at in named if -count <= at < count]


def _given(kernel: Kernel, arguments: tuple[Any, ...]) -> list[Any]:
    """An argument for each parameter; None for what is allocated here. Errors: BadArgument."""
    hidden = _hidden(kernel)
    if len(arguments) == len(kernel.params):
        return _complete(kernel, list(arguments), hidden)
    wanted = len(kernel.params) - len(hidden)
    if len(arguments) != wanted:
        names = ", ".join(p.name for at, p in enumerate(kernel.params) if at not in hidden)
        either = (
            f"{wanted} ({names}) or all {len(kernel.params)}" if hidden else f"{wanted} ({names})"
        )
        text = f"{kernel.name} takes {either} arguments, and {len(arguments)} are given"
        raise BadArgument(text, kernel.span)
    rest = iter(arguments)
    found = [None if at in hidden else next(rest) for at in range(len(kernel.params))]
    return _complete(kernel, found, hidden)


def _complete(kernel: Kernel, arguments: list[Any], hidden: set[int]) -> list[Any]:
    """The arguments. Errors: BadArgument where None stands for what callers pass."""
    for at, (param, argument) in enumerate(zip(kernel.params, arguments, strict=True)):
        if argument is None and at not in hidden:
            text = f"{param.name} is missing: None stands for what out_idx and workspace_idx name"
            raise BadArgument(text, param.span)
    return arguments


def _bind(machine: Machine, given: list[Any]) -> dict[int, Array]:
    """Sizes and scalars by name, tensors in GM. Returns the arrays to update, by position."""
    arrays: dict[int, Array] = {}
    said: dict[int, str] = {}  # where a size comes from, by its variable
    statements = walk_stmts(machine.kernel.body)
    written = {root(r.buffer).uid for s in statements for r in effect_of(s).writes}
    machine.sizes.update({var.uid: example(var) for var in drawn(machine.kernel)})
    for at, (param, argument) in enumerate(zip(machine.kernel.params, given, strict=True)):
        if isinstance(param.value, Var):
            machine.sizes[param.value.uid] = cast_to(_number(param, argument), param.value.type)
        elif argument is not None:
            arrays[at] = _array(param, argument, written)
            _learn_sizes(machine, param.value, arrays[at], said)
    for at, param in enumerate(machine.kernel.params):
        if isinstance(param.value, Buffer):
            machine.tensors[param.value.uid] = _tensor(machine, param.value, arrays.get(at), said)
    return arrays


def _number(param: Param, argument: Any) -> Any:
    if isinstance(argument, np.generic):
        argument = argument.item()
    if isinstance(argument, (bool, int, float)):
        _check_range(param, argument)
        return argument
    raise BadArgument(f"{param.name} is a number, not {type(argument).__name__}", param.span)


def _check_range(param: Param, number: float) -> None:
    """Errors: BadArgument where an integer parameter cannot hold a number."""
    kind = param.value.dtype
    if kind.limits is None:
        return
    low, high = kind.limits
    if number != number or number in (inf, -inf) or int(number) != number:
        raise BadArgument(f"{param.name} is a whole number, not {number}", param.span)
    if not low <= number <= high:
        text = f"{param.name} holds {kind}, from {low} to {high}, and {number} is given"
        raise BadArgument(text, param.span)


def _array(param: Param, argument: Any, written: set[int]) -> Array:
    if not isinstance(argument, np.ndarray):
        text = f"{param.name} is a tensor: a numpy array is wanted, not {type(argument).__name__}"
        raise BadArgument(text, param.span)
    if not argument.flags.writeable and param.value.uid in written:
        text = f"{param.name} is written, and its array is read-only"
        raise BadArgument(text, param.span)
    return argument


def _learn_sizes(machine: Machine, buffer: Buffer, array: Array, said: dict[int, str]) -> None:
    """Symbolic dimensions stand for the sizes of the arrays, and `said` notes of which. Errors:
    BadArgument."""
    if array.ndim != len(buffer.shape):
        text = f"{buffer.name} has {len(buffer.shape)} dimensions, and the array {array.ndim}"
        raise BadArgument(text, buffer.span)
    for wanted, size in zip(buffer.shape, array.shape, strict=True):
        if isinstance(wanted, Var):
            said.setdefault(wanted.uid, f"{wanted.name} is {size} in {buffer.name}")
            wanted = machine.sizes.setdefault(wanted.uid, size)
        if not isinstance(wanted, Expr) and wanted != size:
            raise _misfit(buffer, array, said)


def _misfit(buffer: Buffer, array: Array, said: dict[int, str]) -> BadArgument:
    """What the shapes are, and where the sizes that symbols stand for come from."""
    shape = ", ".join(map(show, buffer.shape))
    text = f"{buffer.name} has the shape [{shape}], and the array {list(array.shape)}"
    symbols = dict.fromkeys(var.uid for extent in buffer.shape for var in free_vars(extent))
    known = [said[uid] for uid in symbols if uid in said]
    return BadArgument(f"{text}: {', '.join(known)}" if known else text, buffer.span)


def _tensor(
    machine: Machine, buffer: Buffer, array: Array | None, said: dict[int, str] | None = None
) -> View:
    kind, shape = machine.kind(buffer), machine.shape(buffer)
    if array is not None and array.shape != shape:
        raise _misfit(buffer, array, said or {})
    storage = Storage(buffer.name, prod(shape) * kind.size)
    if array is not None:
        storage.fill(kind.encode(_checked(buffer, kind, array)).tobytes())
    return View.of(buffer.name, storage, kind, shape)


def _checked(buffer: Buffer, kind: Element, array: Array) -> Array:
    """An array of the parameter's type; bfloat16 also in float32. Errors: BadArgument."""
    name = array.dtype.name
    if name == kind.dtype.name or (name == "float32" and kind.dtype.name == "bfloat16"):
        return array.astype(np.float32) if name == "bfloat16" else array
    if kind.dtype.kind == "bool" and array.dtype == np.bool_:
        return array
    text = f"{buffer.name} holds {kind.dtype}, and the array {name}"
    raise BadArgument(text, buffer.span)


# --- launch -----------------------------------------------------------------------------------------


def _launch(machine: Machine, most: int | None, backwards: bool) -> None:
    """Run all blocks: one after the other, or together where they wait for each other."""
    kernel, plan = machine.kernel, Plan(machine)
    assert kernel.launch is not None
    count = machine.size(kernel.launch.blocks)
    turns = None if _apart(kernel) else turns_of(plan)
    if turns is None and not _apart(kernel):
        plan, turns = _through_gm(machine, plan)
    if not _blocks_meet(kernel):
        numbers = range(count if most is None else min(count, most))
        for number in reversed(numbers) if backwards else numbers:
            run_together(list(_tasks(machine, plan, [number], turns)))
        return
    run_together(list(_tasks(machine, plan, list(range(count)), turns)))


def _through_gm(machine: Machine, plan: Plan) -> tuple[Plan, Turns | None]:
    """Where a tile is read above the copy that brings it from the other half, that copy leads through
    GM, as the compiler has it, and the halves take turns there."""
    kernel = machine.kernel
    machine.kernel = led_through_gm(plan)
    led = Plan(machine) if machine.kernel is not kernel else plan
    turns = turns_of(led) if led is not plan else None
    if turns is None:
        machine.kernel = kernel
        return plan, None
    for param in machine.kernel.params[len(kernel.params) :]:
        assert isinstance(param.value, Buffer)
        machine.tensors[param.value.uid] = _tensor(machine, param.value, None)
    return led, turns


def _tasks(
    machine: Machine, plan: Plan, numbers: list[int], turns: Turns | None
) -> Iterator[Iterator[Wait]]:
    apart = turns is not None or _apart(machine.kernel)
    blocks = [machine.block(number) for number in numbers]
    cores = [core for block in blocks for core in block.cores]
    groups = [[core] for core in cores] if apart else [block.cores for block in blocks]
    firsts = [group[0] for group in groups]
    joined = joining(machine.kernel)
    members = [c for c in firsts if not apart or c.half in joined]
    machine.barrier = Barrier([id(core) for core in members])
    flags = Flags(cores) if apart else None
    return (Executor(plan, group, flags, turns).run() for group in groups)


def _operations(kernel: Kernel, *names: str) -> list[Stmt]:
    return [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op in names]


def _apart(kernel: Kernel) -> bool:
    """True where the author wrote a program for each half and says when one waits for the other.
    Otherwise program order says it, which is what the compiler's flags must preserve."""
    scoped = any(isinstance(stmt, CoreScope) for stmt in walk_stmts(kernel.body))
    waits = _operations(kernel, "set_cross_flag", "wait_cross_flag", "sync_all")
    return scoped and bool(waits) and not kernel.options.on(AUTO_CV_SYNC)


def _blocks_meet(kernel: Kernel) -> bool:
    flags = _operations(kernel, "set_cross_flag")
    modes = [s.args[2] for s in flags if isinstance(s, TileOp)]
    return bool(_operations(kernel, "sync_all")) or ALL_BLOCKS in [
        m for m in modes if m is not None
    ]


# --- results ----------------------------------------------------------------------------------------


def _deliver(machine: Machine, view: View, array: Array | None, hidden: bool) -> None:
    """Bring a tensor back to the caller's array. Errors: UnwrittenMemory where the kernel wrote what
    nothing had written; workspaces may hold such elements."""
    if view.storage.origin is not None and not hidden:
        _report(machine, view)
    if array is not None and array.flags.writeable:
        array[...] = _values(view)


def _report(machine: Machine, view: View) -> None:
    poison = view.spoiled()
    if not poison.any():
        return
    stmt = view.storage.origin
    first = [int(at) for at in np.argwhere(poison)[0]]
    text = op_text(stmt) if isinstance(stmt, TileOp) else "an element store"
    raise UnwrittenMemory(
        f"{int(poison.sum())} elements of {view.name}, the first at {first}, depend on memory that "
        f"nothing wrote, or a transfer as the rest of a block; {text} brought the first there",
        getattr(stmt, "span", None),
    )


def _values(view: View) -> Array:
    found: Array = view.kind.decode(view.cells()).copy()
    return found


def _outputs(machine: Machine, given: list[Any]) -> Iterator[Array]:
    """The outputs: the arrays that were given for them, or new ones. What the kernel never wrote of
    a new one is NaN, or the greatest integer."""
    kernel = machine.kernel
    for at in _positions(kernel, kernel.options.out_idx):
        value = kernel.params[at].value
        if isinstance(value, Buffer):
            known = given[at]
            yield known if known is not None else _fresh(machine.tensors[value.uid])


def _fresh(view: View) -> Array:
    tile = Box(view, (0,) * len(view.shape), view.shape).read()
    values: Array = tile.values.copy()
    poison = tile.poison
    if poison is not None and values.dtype.kind in "iuf":
        empty = np.nan if values.dtype.kind == "f" else np.iinfo(values.dtype).max
        values[poison] = empty
    return values
