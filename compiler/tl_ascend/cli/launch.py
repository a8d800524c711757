"""`tl-ascend run`: build kernels, run them on an NPU, compare with the numpy semantics."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import build, run

if TYPE_CHECKING:
    from tl_ascend.cli.select import Selected
    from tl_ascend.driver.trial import Launch, Trial

EVALUATION_SECONDS = 120.0


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
        help="of a symbolic dimension or an integer parameter",
    )
    out.add_argument("--warm-up", type=int, default=3, metavar="N")
    out.add_argument("--repeats", type=int, default=10, metavar="N")
    out.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS")
    out.add_argument("--no-compare", action="store_true", help="run only")
    out.set_defaults(run=show)


def show(arguments: argparse.Namespace) -> int:
    """Exit status: 0 all agree, 1 a kernel could not be built or run or differs, 2 usage."""
    try:
        sizes = _sizes(arguments.size)
    except ValueError as error:
        return run.fail(str(error))
    prepared = build.prepare(arguments)
    if isinstance(prepared, int):
        return prepared
    how = _how(arguments, prepared)
    if isinstance(how, str):
        return run.fail(how)
    status, found = run.OK, []
    for item, result in zip(prepared.chosen, build.all_of(prepared, arguments), strict=True):
        trial = None
        if result.built is None or result.built.library is None or result.emitted is None:
            build.tell(item, result)
        else:
            trial = _trial(item, result, how, sizes, arguments)
        if not isinstance(trial, str) and trial is not None and trial.agrees:
            pass
        else:
            status = run.FOUND
        found.append((item, trial))
    _report(found, arguments.format)
    return status


def _sizes(texts: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if not name or not number.lstrip("-").isdigit():
            raise ValueError(f"--size takes NAME=NUMBER, not {text!r}")
        found[name] = int(number)
    return found


def _how(arguments: argparse.Namespace, prepared: build.Prepared) -> Launch | str:
    """Which interpreter and which device."""
    from tl_ascend.driver.site import least_busy_at, simulating
    from tl_ascend.driver.trial import Launch
    from tl_ascend.toolchain.place import Unreachable

    site, simulated = prepared.site, prepared.job.simulator is not None
    if not site.python:
        return "no python3 on the path: give --python PATH"
    environment = site.environment
    if simulated:
        environment = simulating(site, prepared.chosen[0].kernel.platform.name)
    number = 0
    if arguments.device != "auto":
        if not arguments.device.isdecimal():
            return f"--device takes a number, not {arguments.device!r}"
        number = int(arguments.device)
    elif not simulated:
        try:
            number = least_busy_at(site)
        except Unreachable as error:
            return str(error)
    warm_up, repeats, seconds = arguments.warm_up, arguments.repeats, arguments.timeout
    return Launch(site.place, site.python, environment, number, warm_up, repeats, seconds)


def _trial(
    item: Selected,
    result: Any,
    how: Launch,
    sizes: dict[str, int],
    arguments: argparse.Namespace,
) -> Trial | str:
    from tl_ascend.driver import trial

    kernel = item.kernel.kernel
    try:
        given = trial.inputs(kernel, sizes, arguments.seed)
    except ValueError as error:
        return str(error)
    wanted: Any = "not asked for"
    if not arguments.no_compare:
        wanted = trial.expected(kernel, given, EVALUATION_SECONDS)
    return trial.run(item.kernel, result.emitted, result.built.library, how, given, wanted)


def _report(found: list[tuple[Selected, Any]], form: str) -> None:
    if form == "json":
        print(json.dumps({"version": 1, "kernels": [_data(i, t) for i, t in found]}, indent=1))
        return
    for item, trial in found:
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
    if launched.why and launched.output.strip():
        print(launched.output.rstrip(), file=sys.stderr)


def _data(item: Selected, trial: Any) -> dict[str, Any]:
    base = {"name": item.name, "number": item.number, "instance": item.kernel.instance}
    if trial is None or isinstance(trial, str):
        return {**base, "why": trial or "not built", "agrees": False}
    launched = trial.launched
    return {
        **base,
        "why": launched.why,
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
