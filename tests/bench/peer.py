"""Lowering and emitting against upstream's: the same kernels, each compiler in its own environment.

    python -m tests.bench.peer [--folder DIR] [--rounds N] [--turns N]

Makes two virtual environments in DIR, once: tilelang 0.1.15 of PyPI with what its Ascend 950 pipeline
needs, and this project. Then runs `peer_worker.py` in both in turn, so that what else the machine does
slows both down, and prints CPU milliseconds, the best of all rounds, and their ratio. Upstream's public
package lowers for Ascend 950 only, ours for A2 and A3: the kernels are the same in sizes and tiles, the
programs are not. Exit status 1 where a ratio is below the goal.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORKER = Path(__file__).with_name("peer_worker.py")
# tilelang names only lower bounds, and TVM's parts are one ABI.
UPSTREAM = ("torch==2.13.0", "tilelang==0.1.15", "z3-solver==4.15.4", "apache-tvm-ffi==0.1.12")
SIDES = ("ours", "upstream")
GOAL = 10.0


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peer", description=__doc__)
    default = Path(tempfile.gettempdir()) / "tl-ascend-peer"
    parser.add_argument("--folder", type=Path, default=default, help=f"default: {default}")
    parser.add_argument("--rounds", type=int, default=5, help="of each kernel in a process")
    parser.add_argument("--turns", type=int, default=2, help="processes of each side")
    arguments = parser.parse_args()
    pythons = {
        "ours": environment(arguments.folder / "ours", (str(ROOT),)),
        "upstream": environment(arguments.folder / "upstream", UPSTREAM),
    }
    found: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    for _ in range(arguments.turns):
        for side in SIDES:
            found[side].append(measured(pythons[side], side, arguments.rounds))
    rows = {name: tuple(best(found[side], name) for side in SIDES) for name in found["ours"][0]}
    print("\n".join(table(rows)))
    return 0 if all(theirs / own >= GOAL for own, theirs in rows.values()) else 1


def environment(folder: Path, packages: tuple[str, ...]) -> Path:
    """The interpreter of an environment with these packages; one that is whole is kept."""
    python, done = folder / "bin" / "python", folder / "installed"
    wanted = "\n".join(packages)
    if not done.exists() or done.read_text() != wanted or packages == (str(ROOT),):
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
        done.write_text(wanted)
    return python


def measured(python: Path, side: str, rounds: int) -> dict[str, Any]:
    """What one process of a side says."""
    command = [python, WORKER, side, str(rounds), ROOT / "examples"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        sys.exit(f"{side} failed:\n{ran.stderr[-2000:]}")
    made: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return made


def best(turns: list[dict[str, Any]], name: str) -> float:
    """The least of all rounds: what the work takes when nothing disturbs it."""
    return float(min(ms for turn in turns for ms in turn[name]["ms"]))


def table(rows: dict[str, tuple[float, ...]]) -> list[str]:
    """The rows of docs/benchmarks.md."""
    lines = ["| kernel | upstream, ms | tl-ascend, ms | ratio | goal |", "|---|---|---|---|---|"]
    for name, (own, theirs) in rows.items():
        lines.append(f"| {name} | {theirs:.0f} | {own:.1f} | {theirs / own:.0f} | {GOAL:.0f} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
