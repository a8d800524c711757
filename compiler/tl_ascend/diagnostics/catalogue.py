"""Every diagnostic: code, name, default severity, whose rule it is. Codes are never reused.

Ranges: TL1xx front end, TL2xx data movement, TL3xx operands, TL4xx synchronisation, TL5xx capacity
and alignment, TL6xx not supported, TL7xx toolchain and launch, TL8xx advice, TL9xx internal.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum


class Severity(IntEnum):
    """How loud a finding is; compare with `>=`."""

    HINT = 0
    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def label(self) -> str:
        return self.name.lower()


class Owner(Enum):
    """Who refuses: the hardware, upstream's compiler, or Python and this tool."""

    HARDWARE = "hardware"
    UPSTREAM = "upstream"
    PYTHON = "python"
    TOOL = "tl-ascend"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the catalogue. `name` reads after "allow"; `summary` is one sentence;
    `tag`: how editors show what it points at: `unnecessary` does nothing, `deprecated` is struck out.
    `blocks`: no program is emitted of a kernel with such an error; not so where only the caller is
    concerned, or an order is missing: the program says what the author wrote.
    `everywhere`: told only where all instances of a kernel have it."""

    code: str
    name: str
    severity: Severity
    owner: Owner
    summary: str
    tag: str = ""
    blocks: bool = True
    everywhere: bool = False


_E, _W, _I, _H = Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.HINT

RULES: tuple[Rule, ...] = (
    Rule("TL101", "syntax-error", _E, Owner.PYTHON, "The text is not valid Python."),
    Rule("TL102", "unreadable-file", _E, Owner.PYTHON, "The file cannot be read as text."),
    Rule("TL103", "python-error", _E, Owner.PYTHON, "Python would raise here, for certain."),
    Rule("TL104", "unknown-api", _E, Owner.UPSTREAM, "T has no such name, or no such argument."),
    Rule("TL105", "budget-exceeded", _W, Owner.TOOL, "Evaluation stopped at its budget."),
    Rule(
        "TL106", "kernel-form", _E, Owner.UPSTREAM, "A kernel construct in a form that is refused."
    ),
    Rule("TL107", "bad-allocation", _E, Owner.UPSTREAM, "An allocation with an impossible shape."),
    Rule(
        "TL108",
        "out-idx",
        _E,
        Owner.UPSTREAM,
        "out_idx selects a parameter that is no output.",
        blocks=False,
    ),
    Rule(
        "TL109",
        "dropped-call",
        _W,
        Owner.UPSTREAM,
        "A tile call that is built but not emitted.",
        tag="unnecessary",
    ),
    Rule("TL110", "unchecked-instances", _I, Owner.TOOL, "Instances that are not checked."),
    Rule("TL111", "bad-settings", _W, Owner.TOOL, "Settings that cannot be understood."),
    Rule("TL112", "workspace", _W, Owner.UPSTREAM, "A workspace that jit does not allocate."),
    Rule(
        "TL113",
        "unused-ignore",
        _W,
        Owner.TOOL,
        "A comment that ignores what is not there.",
        tag="unnecessary",
    ),
    Rule(
        "TL121",
        "call-argument",
        _E,
        Owner.UPSTREAM,
        "A tensor that a kernel is called with is not what its parameter says.",
        blocks=False,
    ),
    Rule(
        "TL122",
        "scalar-parameter",
        _W,
        Owner.UPSTREAM,
        "A scalar parameter of a type that a launch cannot pass.",
    ),
    Rule("TL123", "unbound-size", _E, Owner.UPSTREAM, "A symbolic size that no input has."),
    Rule(
        "TL124",
        "deprecated-api",
        _H,
        Owner.UPSTREAM,
        "A name of T that upstream will remove.",
        tag="deprecated",
    ),
    Rule("TL201", "copy-scope", _E, Owner.HARDWARE, "No data path between these two memories."),
    Rule(
        "TL202", "copy-shape", _E, Owner.UPSTREAM, "Copy extents do not fit or cannot be deduced."
    ),
    Rule(
        "TL203", "dynamic-shape", _E, Owner.UPSTREAM, "A symbolic size where a constant is needed."
    ),
    Rule("TL204", "scope-conflict", _W, Owner.HARDWARE, "No memory serves all uses of a buffer."),
    Rule("TL205", "copy-align", _E, Owner.HARDWARE, "Rows or start of a transfer not on 32 bytes."),
    Rule(
        "TL301", "gemm-operand", _E, Owner.UPSTREAM, "Memory, shape or dtype of a matrix operand."
    ),
    Rule("TL302", "operand-size", _E, Owner.UPSTREAM, "Operands with different element counts."),
    Rule("TL303", "dtype-unsupported", _E, Owner.HARDWARE, "No such dtype in this unit or route."),
    Rule(
        "TL304",
        "vector-align",
        _E,
        Owner.HARDWARE,
        "Bytes or rows that the vector unit cannot take.",
    ),
    Rule("TL305", "scalar-half", _E, Owner.UPSTREAM, "Arithmetic of 16-bit floats as scalars."),
    Rule("TL306", "gemm-init", _W, Owner.UPSTREAM, "An accumulator that nothing sets to zero."),
    Rule("TL307", "scope-ownership", _E, Owner.HARDWARE, "A buffer or call on the wrong core."),
    Rule(
        "TL308", "out-of-bounds", _E, Owner.HARDWARE, "An element or a part outside of its buffer."
    ),
    Rule("TL309", "reduce-shape", _E, Owner.UPSTREAM, "A reduction into a tile of a wrong shape."),
    Rule(
        "TL311",
        "slice-noncontiguous",
        _E,
        Owner.UPSTREAM,
        "A vector operation on a part of a tile that is no run of elements.",
    ),
    Rule("TL312", "gemm-tail", _E, Owner.UPSTREAM, "A last step along K that comes out wrong."),
    Rule(
        "TL313",
        "progression-step",
        _W,
        Owner.UPSTREAM,
        "A sequence whose step upstream's route pto does not take.",
        blocks=False,
    ),
    Rule(
        "TL314",
        "operand-spoilt",
        _W,
        Owner.UPSTREAM,
        "A tile is read again that upstream's route pto has overwritten.",
        blocks=False,
    ),
    Rule("TL315", "vector-operand", _E, Owner.HARDWARE, "A vector operation on no tile of the UB."),
    Rule(
        "TL316",
        "cast-mode",
        _E,
        Owner.HARDWARE,
        "A rounding mode that a conversion of the vector unit does not take.",
    ),
    Rule(
        "TL319",
        "route-operation",
        _W,
        Owner.UPSTREAM,
        "An operation that upstream's compiler lacks on this route.",
        blocks=False,
    ),
    Rule("TL321", "unwritten", _I, Owner.HARDWARE, "A tile is read that nothing has written."),
    Rule(
        "TL326",
        "halved-tile",
        _W,
        Owner.UPSTREAM,
        "A tile that upstream's compiler must not halve for threads=2.",
        blocks=False,
    ),
    Rule(
        "TL327",
        "unpadded-tail",
        _I,
        Owner.UPSTREAM,
        "A tail that upstream's template does not fill.",
        blocks=False,
    ),
    Rule(
        "TL401",
        "cross-flag-id",
        _E,
        Owner.HARDWARE,
        "No such flag between the cores, or one that is taken.",
    ),
    Rule("TL402", "flag-id", _W, Owner.HARDWARE, "A flag id out of range, or used by a template."),
    Rule(
        "TL403",
        "autosync-config",
        _E,
        Owner.UPSTREAM,
        "Options for automatic flags that do not go with the kernel.",
    ),
    Rule(
        "TL404", "flag-unmatched", _E, Owner.HARDWARE, "A flag whose sets and waits do not match."
    ),
    Rule(
        "TL405",
        "cross-flag-unmatched",
        _E,
        Owner.HARDWARE,
        "Sets and waits between the cores that do not match.",
    ),
    Rule(
        "TL406",
        "sync-missing",
        _E,
        Owner.HARDWARE,
        "Pipes that touch a tile in no order.",
        blocks=False,
    ),
    Rule(
        "TL407",
        "core-race",
        _E,
        Owner.HARDWARE,
        "Cores that touch a tensor in no order.",
        blocks=False,
    ),
    Rule("TL411", "race", _W, Owner.HARDWARE, "Several blocks write the same place.", blocks=False),
    Rule(
        "TL416",
        "automatic-sync",
        _W,
        Owner.UPSTREAM,
        "An order that upstream's automatic synchronisation does not keep.",
        blocks=False,
    ),
    Rule(
        "TL417",
        "lost-store",
        _W,
        Owner.UPSTREAM,
        "A store that upstream's split of the cores takes off the vector cores.",
        blocks=False,
    ),
    Rule("TL501", "l1-overflow", _E, Owner.HARDWARE, "Buffers alive together exceed L1."),
    Rule(
        "TL502",
        "l0-overflow",
        _E,
        Owner.HARDWARE,
        "Buffers or template slots exceed L0A, L0B or L0C.",
    ),
    Rule("TL503", "ub-overflow", _E, Owner.HARDWARE, "Buffers alive together exceed the UB."),
    Rule(
        "TL504",
        "address-conflict",
        _E,
        Owner.HARDWARE,
        "Annotated addresses that are not aligned, or bytes that two buffers share.",
    ),
    Rule(
        "TL505",
        "fractal-overlap",
        _W,
        Owner.UPSTREAM,
        "Tiles that are no multiple of a fractal, with elements at one place.",
        blocks=False,
    ),
    Rule(
        "TL509",
        "duplicate-name",
        _W,
        Owner.UPSTREAM,
        "Two buffers of one name, which upstream's planner refuses.",
        blocks=False,
    ),
    Rule("TL601", "not-lowered", _I, Owner.TOOL, "This form is not lowered by tl-ascend yet."),
    Rule(
        "TL801",
        "parallel-not-vectorised",
        _I,
        Owner.UPSTREAM,
        "A T.Parallel body becomes scalar code.",
    ),
    Rule(
        "TL802",
        "parallel-unsupported",
        _E,
        Owner.UPSTREAM,
        "A T.Parallel loop that upstream's compiler refuses or miscompiles.",
    ),
    Rule(
        "TL803", "tail", _W, Owner.PYTHON, "Rows that no block handles, or padding taken for data."
    ),
    Rule(
        "TL808",
        "pipeline-stages",
        _W,
        Owner.UPSTREAM,
        "A loop over both cores in stages that upstream's compiler cuts, lengthens or refuses.",
        blocks=False,
    ),
    Rule("TL811", "perf-launch", _H, Owner.HARDWARE, "A launch that wastes the device."),
    Rule(
        "TL812",
        "unused-buffer",
        _H,
        Owner.TOOL,
        "A buffer that nothing in the kernel uses.",
        tag="unnecessary",
        everywhere=True,
    ),
    Rule(
        "TL816",
        "round-trip",
        _H,
        Owner.HARDWARE,
        "A copy between the cores, which leads through GM.",
    ),
    Rule(
        "TL901", "internal-error", _E, Owner.TOOL, "A bug of tl-ascend, or of a back end of others."
    ),
)

BY_NAME: dict[str, Rule] = {rule.name: rule for rule in RULES}
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
