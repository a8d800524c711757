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
.slow > summary span { color: #cf222e; } .slow > summary .bar { background: #cf222e88; }
"""
BAR_EM = 20


def page(kernels: Sequence[tuple[str, list[Step]]], limit: float | None = None) -> str:
    """The whole page. `limit`: what took more milliseconds is marked."""
    body = "".join(_kernel(title, steps, limit) for title, steps in kernels)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>tl-ascend trace</title>'
    return f"{head}<style>{_STYLE}</style><h1>tl-ascend trace</h1>{body}</html>\n"


def _kernel(title: str, steps: list[Step], limit: float | None) -> str:
    times = [step.ms for step in steps]
    longest = max(times, default=0.0) or 1.0
    parts = [f"<h2>{escape(title)}</h2><p>{sum(times):.1f} ms in all</p>"]
    parts += [_step(step, longest, limit) for step in steps]
    return "".join(parts)


def _step(step: Step, longest: float, limit: float | None) -> str:
    came, went = step.changed
    what = (f"+{came} &minus;{went}" if step.diff else "no change") if step.diff is not None else ""
    kinds = ["slow"] if step.slow(limit) else []
    kinds += ["same"] if step.diff == () else []
    said = "".join(f'<p class="said">{escape(text)}</p>' for text in step.said)
    whole = f"<pre>{escape(step.text)}</pre>"
    inner = whole
    if step.diff is not None:
        inner = f"<pre>{_diff(step.diff)}</pre>"
        inner += f"<details><summary>the whole kernel</summary>{whole}</details>"
    head = f"<summary><b>{escape(step.name)}</b>{what}{_time(step, longest, limit)}</summary>"
    state = " open" if step.diff != () else ""
    return (
        f'<details{state} class="{" ".join(kinds)}">{head}<p>{escape(step.reason)}</p>'
        f"{said}{inner}</details>"
    )


def _time(step: Step, longest: float, limit: float | None) -> str:
    slow = " slow" if step.slow(limit) else ""
    bar = f'<span class="bar" style="width:{step.ms / longest * BAR_EM:.2f}em"></span>'
    return f"<span>{step.ms:.1f} ms{slow}</span>{bar}"


def _diff(lines: Sequence[str]) -> str:
    kinds = {"+": "came", "-": "went", "@": "at"}
    return "".join(
        f'<i class="{kinds.get(line[:1], "")}">{escape(line) or " "}</i>' for line in lines
    )
