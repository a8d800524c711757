"""A trace for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from tl_ascend.driver.trace import Step


def lines(title: str, steps: list[Step], full: bool, limit: float | None) -> Iterator[Text]:
    """A kernel's stages. `full`: with the whole text of each; `limit`: what took more milliseconds is
    marked."""
    yield Text(f"# {title}\n", "bold")
    for step in steps:
        yield from _step(step, full, limit)
    total = sum(step.ms for step in steps)
    yield Text(f"{total:.1f} ms in all\n")


def _step(step: Step, full: bool, limit: float | None) -> Iterator[Text]:
    facts = [f"{step.ms:.1f} ms"]
    facts += ["slow"] if step.slow(limit) else []
    if step.diff is not None:
        came, went = step.changed
        facts.append(f"+{came} -{went}" if step.diff else "no change")
    yield Text(f"== {step.name} ({', '.join(facts)})", "bold red" if step.slow(limit) else "bold")
    yield Text(f"   {step.reason}")
    for text in step.said:
        yield Text(f"   says {text}", "yellow")
    yield Text()
    if full or step.diff is None:
        yield from map(Text, step.text.splitlines())
    else:
        styles = {"+": "green", "-": "red", "@": "dim"}
        yield from (Text(line, styles.get(line[:1], "")) for line in step.diff)
    yield Text()
