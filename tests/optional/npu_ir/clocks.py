"""Which of two pieces of work is certainly done before the other starts, in one run of a core."""

from __future__ import annotations

from dataclasses import dataclass, field

Key = tuple[object, int]  # a statement, and which time it ran


@dataclass(frozen=True)
class Work:
    """One piece of work on a pipe; `known`: up to which number the work of each pipe is done before it
    starts. `reads`, `writes`: bytes, as start and end."""

    key: Key
    pipe: str
    number: int
    known: dict[str, int]
    reads: tuple[tuple[int, int], ...] = ()
    writes: tuple[tuple[int, int], ...] = ()

    def after(self, other: Work) -> bool:
        """Whether the other one is done before this one starts."""
        return self.known.get(other.pipe, 0) >= other.number

    def meets(self, other: Work) -> bool:
        """Whether both touch a byte that one of them writes."""
        mine, theirs = (*self.reads, *self.writes), (*other.reads, *other.writes)
        return _overlap(self.writes, theirs) or _overlap(mine, other.writes)


def _overlap(a: tuple[tuple[int, int], ...], b: tuple[tuple[int, int], ...]) -> bool:
    return any(x < v and u < y for x, y in a for u, v in b)


@dataclass
class Clocks:
    """Pipes run side by side; work of one pipe overlaps too, until a barrier."""

    issued: dict[str, int] = field(default_factory=dict)
    known: dict[str, dict[str, int]] = field(default_factory=dict)
    flags: dict[tuple[str, str, int], dict[str, int]] = field(default_factory=dict)
    pairs: int = 0
    barriers: int = 0
    work: list[Work] = field(default_factory=list)
    times: dict[object, int] = field(default_factory=dict)

    def issue(
        self,
        statement: object,
        pipe: str,
        reads: tuple[tuple[int, int], ...],
        writes: tuple[tuple[int, int], ...],
    ) -> None:
        """Work is handed to a pipe."""
        self.issued[pipe] = self.issued.get(pipe, 0) + 1
        times = self.times[statement] = self.times.get(statement, -1) + 1
        known = dict(self.known.get(pipe, {}))
        key = (statement, times)
        self.work.append(Work(key, pipe, self.issued[pipe], known, reads, writes))

    def set(self, source: str, target: str, event: int) -> None:
        """Set a flag: it tells of all that its pipe was handed and knows."""
        flag = (source, target, event)
        assert flag not in self.flags, f"{flag} is set twice"
        self.flags[flag] = {**self.known.get(source, {}), source: self.issued.get(source, 0)}
        self.pairs += 1

    def wait(self, source: str, target: str, event: int) -> None:
        """Wait for a flag."""
        stamp = self.flags.pop((source, target, event))
        mine = self.known.setdefault(target, {})
        for pipe, number in stamp.items():
            mine[pipe] = max(mine.get(pipe, 0), number)

    def barrier(self, pipe: str) -> None:
        """A barrier of a pipe, or of all."""
        self.barriers += 1
        if pipe == "ALL":
            self.known = {one: dict(self.issued) for one in ("S", "V", "MTE2", "MTE3")}
        else:
            self.known.setdefault(pipe, {})[pipe] = self.issued.get(pipe, 0)
