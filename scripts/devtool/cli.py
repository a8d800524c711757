"""The commands of ./dev."""

from __future__ import annotations

import argparse
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from devtool import node_env, python_env, system
from devtool.paths import CACHE, ROOT, VENV_BIN, VSIX
from devtool.run import StepFailed, Words, live, step

EPILOG = """\
examples:
  ./dev check                     the examples, through tl-check
  ./dev check my_kernel.py        one file
  ./dev test                      everything, as CI does
  ./dev test tests/editors -x     all linters, then only these tests

Set-up is done on the way, once: .venv, Node, the extension, a VS Code (code-server) and the Debian
packages that are missing. TL_ASCEND_EDITORS=none leaves out the editors and their tests.
"""


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Two runs in one checkout wait for each other's set-up."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def with_editors() -> bool:
    """Whether the editors are wanted."""
    return os.environ.get("TL_ASCEND_EDITORS") != "none"


def set_up_extension() -> None:
    """The .vsix and what it needs."""
    python_env.set_up(dev=True)
    node_env.set_up_node()
    node_env.build_extension()


def set_up() -> None:
    """Everything that the tests need."""
    with one_at_a_time():
        system.install(system.missing_packages(with_editors()))
        python_env.set_up(dev=True)
        if with_editors():
            set_up_extension()
            node_env.set_up_code_server()
            node_env.write_editors()


def lint() -> None:
    """The linters; all of them run, whatever fails."""
    failures = []
    for title, words in (
        ("ruff check", ["ruff", "check", ".", "dev"]),
        ("ruff format", ["ruff", "format", "--check", ".", "dev"]),
        ("mypy", ["mypy"]),
        ("import contracts", ["lint-imports"]),
    ):
        try:
            step(title, [VENV_BIN / words[0], *words[1:]])
        except StepFailed as failure:
            failures.append(str(failure))
    if failures:
        raise StepFailed("\n".join(failures))


def run_check(arguments: list[str]) -> int:
    """`tl-check` on the given paths, else on the examples (those in faulty/ fail on purpose)."""
    with one_at_a_time():
        python_env.set_up(dev=False)
    examples = sorted(os.path.relpath(p) for p in (ROOT / "examples").glob("*.py"))
    return live([VENV_BIN / "tl-check", *(arguments or examples)])


def run_test(arguments: list[str]) -> int:
    """Linters, then pytest; tests run even if a linter complains, and both count."""
    start = time.monotonic()
    set_up()
    lint_status = 0
    try:
        lint()
    except StepFailed as failure:
        print(failure)
        lint_status = 1
    pytest: Words = [VENV_BIN / "python", "-m", "pytest", "-n", "auto", "--dist", "loadgroup"]
    status = live([*pytest, *arguments])
    print(f"./dev test took {time.monotonic() - start:.0f} s", flush=True)
    return status or lint_status


def run_setup(_: list[str]) -> int:
    """Only the set-up."""
    set_up()
    return 0


def run_lint(_: list[str]) -> int:
    """Only the linters."""
    with one_at_a_time():
        python_env.set_up(dev=True)
    lint()
    return 0


def run_vsix(_: list[str]) -> int:
    """Only the extension's package."""
    with one_at_a_time():
        set_up_extension()
    print(VSIX.relative_to(ROOT))
    return 0


COMMANDS = {
    "check": (run_check, "run tl-check on PATHS, by default on examples/"),
    "test": (run_test, "linters and all tests; further arguments go to pytest"),
    "lint": (run_lint, "ruff, mypy and the import contracts"),
    "setup": (run_setup, "everything that the tests need, and nothing else"),
    "vsix": (run_vsix, "build the VS Code extension"),
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="./dev", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (_, text) in COMMANDS.items():
        commands.add_parser(name, help=text, description=text, add_help=False)
    return top


def main(arguments: list[str]) -> int:
    """Runs one command; returns the exit status."""
    known, rest = parser().parse_args(arguments[:1]), arguments[1:]
    if rest and known.command in ("lint", "setup", "vsix"):
        parser().error(f"{known.command} takes no arguments")
    try:
        return COMMANDS[known.command][0](rest)
    except StepFailed as failure:
        print(failure)
        return 1
    except KeyboardInterrupt:
        return 130
