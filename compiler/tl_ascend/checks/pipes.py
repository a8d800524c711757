"""Pipes that flags and barriers name: those that there are, and between which there are flags."""

from __future__ import annotations

from difflib import get_close_matches

from tl_ascend.checks.context import Call, CheckContext, calls_of
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import CoreScope, walk_stmts
from tl_ascend.source.span import Span
from tl_ascend.target.events import CROSS_MODES, CROSS_PIPES, EVENTS
from tl_ascend.target.hardware import Core, Pipe

_PIPES = tuple(pipe.value for pipe in Pipe)
_FOREIGN = {Core.VECTOR: ("M", "MTE1", "FIX"), Core.CUBE: ("V",)}
_OWN = {Core.VECTOR: ("V", "MTE2", "MTE3", "S"), Core.CUBE: ("M", "MTE1", "MTE2", "FIX", "S")}
_HALVES = "vector cores", "cube core"
NO_FLAG = "flag that does not exist"


def pipe_names(context: CheckContext) -> None:
    """Pipes go by their names; upstream hands what is written to the device compiler. A word is told
    once, with all its places."""
    places: dict[str, list[Span]] = {}
    for call in calls_of(walk_stmts(context.before.body)):
        for param in ("src", "dst", "pipe") if call.row.kind == "sync" else ():
            word = call.arg(param)
            if isinstance(word, str) and word and word.upper() not in _PIPES:
                places.setdefault(word, []).append(call.span(param))
    for word, spans in places.items():
        near = get_close_matches(word.upper(), _PIPES, 1)
        first, *others = dict.fromkeys(spans)
        context.report.add(
            "kernel-form",
            first,
            f"there is no pipe {word!r}: they are {', '.join(p.lower() for p in _PIPES)}",
            notes=(f"Did you mean {near[0].lower()!r}?",) if near else (),
            related=tuple(Related(span, "here, too") for span in others),
        )


def pairs_of_pipes(context: CheckContext) -> None:
    """The hardware has flags between some of the pipes only. A pair is told once, with its places."""
    places: dict[tuple[str, str], list[Span]] = {}
    for call in calls_of(walk_stmts(context.before.body)):
        if call.row.name not in ("set_flag", "wait_flag"):
            continue
        pair = str(call.arg("src")).upper(), str(call.arg("dst")).upper()
        if set(pair) <= set(_PIPES) and "_".join(pair) not in EVENTS:
            places.setdefault(pair, []).append(call.op.span)
    for (source, target), spans in places.items():
        first, *others = dict.fromkeys(spans)
        ends = sorted(e.split("_")[1] for e in EVENTS if e.startswith(f"{source}_"))
        context.report.add(
            "kernel-form",
            first,
            f"the hardware has no flag from {source} to {target}",
            notes=(f"From {source} flags lead to {', '.join(ends)}.",) if ends else (),
            related=tuple(Related(span, "here, too") for span in others),
            causes=tuple((NO_FLAG, span) for span in spans),
        )


def pipes_of_cores(context: CheckContext) -> None:
    """Each half of a core has pipes of its own. A pair is told once, with its places; where a scope is
    that of the wrong half, that is told."""
    if context.platform.npu_arch != "2201" or any(
        finding.name == "scope-ownership" for finding in context.report.findings
    ):
        return
    places: dict[tuple[Core, str, tuple[str, str]], list[Span]] = {}
    for scope in walk_stmts(context.before.body):
        if not isinstance(scope, CoreScope) or scope.inferred:
            continue
        for call in calls_of(walk_stmts(scope.body)):
            if call.row.name in ("set_flag", "wait_flag"):
                pair = str(call.arg("src")).upper(), str(call.arg("dst")).upper()
                wrong = next((pipe for pipe in pair if pipe in _FOREIGN.get(scope.core, ())), None)
                if wrong is not None and "_".join(pair) in EVENTS:
                    places.setdefault((scope.core, wrong, pair), []).append(call.op.span)
    for (core, wrong, (source, target)), spans in places.items():
        first, *others = dict.fromkeys(spans)
        half, other = ("cube core", "vector cores") if core is Core.CUBE else _HALVES
        context.report.add(
            "kernel-form",
            first,
            f'{wrong} is a pipe of the {other}: in T.Scope("{core.value}") there is no flag from '
            f"{source} to {target}",
            notes=(f"Name a pipe of the {half}: {', '.join(_OWN[core])}.",),
            related=tuple(Related(span, "here, too") for span in others),
            causes=tuple((NO_FLAG, span) for span in spans),
        )


def cross_flag_pipe(call: Call, context: CheckContext) -> None:
    """What sets a flag between the cores, and whom it tells."""
    pipe, mode = call.arg("pipe"), call.arg("mode")
    word = pipe.upper() if isinstance(pipe, str) else ""
    if word in _PIPES and word not in CROSS_PIPES:
        context.report.add(
            "cross-flag-id",
            call.span("pipe"),
            f"{word} cannot set a flag between the cores: {', '.join(CROSS_PIPES[:-1])} and "
            f"{CROSS_PIPES[-1]} can",
            notes=("Name the pipe whose work the other core waits for.",),
        )
    modes = CROSS_MODES.get(context.platform.name, ())
    if isinstance(mode, int) and modes and mode not in modes:
        context.report.add(
            "cross-flag-id",
            call.span("mode"),
            f"flags between the cores have no mode {mode} on {context.platform.name}: they are "
            f"{', '.join(map(str, modes))}",
            notes=("2 is between the cube core and both vector cores of a block.",),
        )
