"""A trace as one HTML page that needs nothing else: no script, no fonts, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tl_ascend.driver.trace import Step

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --came: #1a7f3733; --went: #cf222e33; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 110em; margin: 2em auto; padding: 0 1em; }
pre { font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; margin: 0; padding: .6em 1em; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5em 0; }
summary { cursor: pointer; padding: .4em 1em; display: flex; gap: 1em; align-items: baseline; }
summary b { min-width: 13em; } summary .bar { background: #0969da66; height: .7em; min-width: 1px; }
details details { margin: .5em 1em 1em; } p { margin: .2em 1em; } .said { color: #bf8700; }
.same { opacity: .55; } i { display: block; font-style: normal; white-space: pre; }
.came { background: var(--came); } .went { background: var(--went); } .at { opacity: .5; }
"""
BAR_EM = 20


def page(kernels: Sequence[tuple[str, list[Step]]]) -> str:
    """The whole page."""
    body = "".join(_kernel(title, steps) for title, steps in kernels)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>tl-ascend trace</title>'
    return f"{head}<style>{_STYLE}</style><h1>tl-ascend trace</h1>{body}</html>\n"


def _kernel(title: str, steps: list[Step]) -> str:
    longest = max((step.ms for step in steps), default=0.0) or 1.0
    total = sum(step.ms for step in steps)
    parts = [f"<h2>{escape(title)}</h2><p>{total:.1f} ms in all</p>"]
    for step in steps:
        parts.append(_step(step, longest, opened=step is steps[0]))
    return "".join(parts)


def _step(step: Step, longest: float, opened: bool) -> str:
    came, went = step.changed
    what = f"+{came} &minus;{went}" if step.diff else "no change"
    bar = f'<span class="bar" style="width:{step.ms / longest * BAR_EM:.2f}em"></span>'
    same = "" if step.diff or opened else ' class="same"'
    said = "".join(f'<p class="said">{escape(text)}</p>' for text in step.said)
    whole = f"<pre>{escape(step.text)}</pre>"
    inner = whole if opened else f"<pre>{_diff(step)}</pre>"
    if not opened:
        inner += f"<details><summary>the whole kernel</summary>{whole}</details>"
    head = f"<summary><b>{escape(step.name)}</b>{what}<span>{step.ms:.1f} ms</span>{bar}</summary>"
    state = " open" if opened or step.diff else ""
    return f"<details{state}{same}>{head}<p>{escape(step.reason)}</p>{said}{inner}</details>"


def _diff(step: Step) -> str:
    kinds = {"+": "came", "-": "went", "@": "at"}
    return "".join(
        f'<i class="{kinds.get(line[:1], "")}">{escape(line) or " "}</i>' for line in step.diff
    )
