"""`tl-ascend run`: build kernels, run them on an NPU, compare with the numpy semantics."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import build, run
from tl_ascend.driver.strict_json import dumps

if TYPE_CHECKING:
    from tl_ascend.cli.progress import Voice
    from tl_ascend.cli.select import Selected
    from tl_ascend.driver.trial import Launch, Trial


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend run`."""
    out = commands.add_parser("run", help="run kernels on an NPU and compare with numpy")
    build.add_arguments(out)
    out.add_argument("--device", default="auto", metavar="N", help="default: the least busy one")
    out.add_argument("--seed", type=int, default=0, help="of the random tensors")
    out.add_argument(
        "--size",
        action="append",
        default=[],
        metavar="NAME=N",
        help="of a symbolic dimension or a scalar parameter",
    )
    out.add_argument("--warm-up", type=_count, metavar="N", help="default: 3, simulated 0")
    out.add_argument("--repeats", type=_count, metavar="N", help="default: 10, simulated 0")
    out.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="default: 120, simulated 3600"
    )
    out.add_argument("--no-compare", action="store_true", help="run only")
    out.set_defaults(run=show)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def show(arguments: argparse.Namespace) -> int:
    """Exit status: 0 all agree, 1 a kernel could not be built or run or differs, 2 usage."""
    try:
        sizes = _sizes(arguments.size)
    except ValueError as error:
        return run.fail(str(error))
    prepared = build.prepare(arguments)
    if isinstance(prepared, int):
        return prepared
    given = [_given(item, sizes, arguments.seed) for item in prepared.chosen]
    how = _how(arguments, prepared)
    if isinstance(how, str):
        return run.fail(how)
    found: list[tuple[Selected, Any, Any]] = []
    results = build.all_of(prepared, arguments)
    for item, values, result in zip(prepared.chosen, given, results, strict=True):
        if result.built is None or result.built.library is None or arguments.format != "json":
            build.tell(item, result)
        found.append((item, result.built, _trial(item, values, result, how, prepared.voice)))
    _report(found, arguments.format)
    good = all(
        trial is not None and not isinstance(trial, str) and trial.agrees for *_, trial in found
    )
    return run.OK if good else run.FOUND


def _sizes(texts: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in texts:
        name, _, number = text.partition("=")
        try:
            found[name] = int(number) if number.lstrip("-").isdecimal() else float(number)
        except ValueError:
            name = ""
        if not name:
            raise ValueError(f"--size takes NAME=NUMBER, not {text!r}")
    return found


def _given(item: Selected, sizes: dict[str, float], seed: int) -> Any:
    """The arguments of a kernel, or why there are none. Known before anything is compiled."""
    from tl_ascend.driver import trial

    try:
        return trial.inputs(item.kernel.kernel, sizes, seed)
    except ValueError as error:
        return str(error)


def _how(arguments: argparse.Namespace, prepared: build.Prepared) -> Launch | str:
    """Which interpreter and which device."""
    from tl_ascend.driver.site import least_busy_at, simulating
    from tl_ascend.driver.trial import Launch
    from tl_ascend.toolchain.place import Unreachable

    site, simulator = prepared.site, prepared.jobs[0][1].simulator
    if not site.python:
        return "no python3 on the path: give --python PATH"
    number = 0
    if arguments.device != "auto":
        if not arguments.device.isdecimal():
            return f"--device takes a number, not {arguments.device!r}"
        number = int(arguments.device)
    elif simulator is None:
        try:
            number = least_busy_at(site)
        except Unreachable as error:
            return str(error)
    warm_up, repeats, seconds = (0, 0, 3600.0) if simulator is not None else (3, 10, 120.0)
    return Launch(
        site.place,
        site.python,
        simulating(site, simulator),
        number,
        simulator,
        warm_up if arguments.warm_up is None else arguments.warm_up,
        repeats if arguments.repeats is None else arguments.repeats,
        seconds if arguments.timeout is None else arguments.timeout,
        not arguments.no_compare,
    )


def _trial(
    item: Selected, given: Any, result: Any, how: Launch, voice: Voice
) -> Trial | str | None:
    from tl_ascend.driver import trial

    if result.built is None or result.built.library is None:
        return None
    if isinstance(given, str):
        return given
    name = f"{item.name}.{item.number}"
    with voice.output(name) as heard:
        how = replace(how, step=voice.step(name), heard=heard)
        return trial.run(result, item.kernel, how, given)


def _report(found: list[tuple[Selected, Any, Any]], form: str) -> None:
    if form == "json":
        print(dumps({"version": 1, "kernels": [_data(*one) for one in found]}, indent=1))
        return
    for item, _, trial in found:
        name = f"{item.name}.{item.number}"
        if isinstance(trial, str):
            print(f"{name}: {trial}", file=sys.stderr)
        elif trial is not None:
            _tell(name, trial)


def _tell(name: str, trial: Trial) -> None:
    from tl_ascend.driver.trial import summary

    launched = trial.launched
    for line in summary(name, trial):
        print(line, file=sys.stderr if launched.why and launched.why in line else sys.stdout)


def _data(item: Selected, built: Any, trial: Any) -> dict[str, Any]:
    base = {"name": item.name, "number": item.number, "instance": item.kernel.instance}
    if built is not None:
        base |= {"hit": built.hit, "note": built.note}
    if trial is None or isinstance(trial, str):
        return {**base, "why": trial or "not built", "agrees": False}
    launched = trial.launched
    return {
        **base,
        "why": launched.why,
        "output": launched.output,
        "device": launched.device,
        "milliseconds": list(launched.milliseconds),
        "median": launched.median,
        "compared": bool(trial.differences),
        "reason": trial.reason,
        "agrees": trial.agrees,
        "outputs": [
            {"name": d.name, "dtype": d.dtype, "shape": list(d.shape), "agrees": d.agrees}
            | {"most": d.most, "norm": d.norm, "unequal": d.unequal}
            for d in trial.differences
        ],
    }
