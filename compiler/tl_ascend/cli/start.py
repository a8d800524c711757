"""Where the commands begin. Ctrl-C ends them quietly from here on, whatever is being imported."""

from __future__ import annotations

import signal
from importlib import import_module


def tl_check() -> int:
    """The command `tl-check`."""
    return _begin("tl_ascend.cli.check")


def tl_ascend() -> int:
    """The command `tl-ascend`."""
    return _begin("tl_ascend.cli.main")


def _begin(module: str) -> int:
    told = signal.getsignal(signal.SIGINT)
    if told is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    main = import_module(module).main
    return int(main())
