"""How calls of jit and compile compile kernels, and what instances that no call compiles take of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tl_ascend.frontend.memo import fresh
from tl_ascend.frontend.values import KernelRecord, Unknown, first_unknown
from tl_ascend.ir.nodes import Options
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import PLATFORMS


class Ways:
    """The options that calls give each prim_func, by its place, in the order of the calls. Options that
    are not known, and calls that are to fail, are no way."""

    def __init__(self) -> None:
        self._found: dict[Span, list[Options]] = {}
        self._doubtful: set[Span] = set()
        self.latest: list[KernelRecord] = []  # configured since somebody cleared it

    def doubt_latest(self) -> None:
        """What was configured last may be otherwise."""
        for record in self.latest:
            record.doubtful = True
            self._doubtful.add(record.span)

    def configure(
        self, record: KernelRecord, settings: Mapping[str, Any], spans: Mapping[str, Span]
    ) -> None:
        """Attach the options of jit or compile to a kernel."""
        _attach(record, options_of(settings, spans))
        self.latest.append(record)
        unknown = first_unknown(*(settings.get(k) for k in ("pass_configs", "target")))
        if unknown is not None:
            record.unknown = record.unknown or unknown
        elif not record.expected_to_fail:
            self._note(record.span, record.options)

    def update(self, other: Ways) -> None:
        """What another evaluation found, behind what is known."""
        for span, options in other._found.items():
            for one in options:
                self._note(span, one)
        self._doubtful |= other._doubtful

    def lacks(self, record: KernelRecord) -> bool:
        """True for an instance that no call compiles, of a kernel that no call compiles either."""
        return _left(record) and record.span not in self._found

    def applied(self, records: Iterable[KernelRecord]) -> Iterator[KernelRecord]:
        """The instances; those that no call compiles in each way that calls compile their kernel."""
        for record in records:
            ways = self._found.get(record.span, []) if _left(record) else []
            for options in ways:
                made = fresh(record)
                made.variant = len(ways) > 1
                made.doubtful |= record.span in self._doubtful
                _attach(made, options)
                yield made
            if not ways:
                yield record

    def _note(self, span: Span, options: Options) -> None:
        known = self._found.setdefault(span, [])
        if not any(replace(options, spans=one.spans) == one for one in known):
            known.append(options)


def to_compile(records: list[KernelRecord], record: KernelRecord, fails: bool) -> KernelRecord:
    """The instance that a call of compile makes of a kernel: a further one where another call made one
    before. `fails`: the call is to fail."""
    if record.options.compiled:
        record = replace(fresh(record), expected_to_fail=fails)
        records.append(record)
    record.expected_to_fail |= fails
    return record


def options_of(settings: Mapping[str, Any], spans: Mapping[str, Span]) -> Options:
    """Options from the keywords of jit or compile; what is unknown counts as not given."""
    target = settings.get("target", "auto")
    platform = settings.get("platform")
    configs = settings.get("pass_configs")
    known = configs if isinstance(configs, dict) else {}
    return Options(
        _positions(settings.get("out_idx")),
        _positions(settings.get("workspace_idx")),
        target if isinstance(target, str) else "auto",
        MappingProxyType({str(k): v for k, v in known.items() if not isinstance(v, Unknown)}),
        MappingProxyType(dict(spans)),
        compiled=True,
        platform=platform if isinstance(platform, str) and platform in PLATFORMS else "",
    )


def _attach(record: KernelRecord, options: Options) -> None:
    record.options = options
    if record.kernel is not None:
        record.kernel = replace(record.kernel, options=options)


def _left(record: KernelRecord) -> bool:
    return record.origin != "call" and not record.options.compiled


def _positions(value: Any) -> tuple[int, ...]:
    if isinstance(value, int):
        return (value,)
    if isinstance(value, (list, tuple)):
        return tuple(v for v in value if isinstance(v, int))
    return ()
