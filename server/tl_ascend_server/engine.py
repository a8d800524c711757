"""The compiler as the worker sees it, and how it is loaded."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from tl_ascend.ide.model import Settings, TextEdit

if TYPE_CHECKING:
    from tl_ascend.ide.fixing import Repair
    from tl_ascend.ide.workspace import Analysis


class Engine(Protocol):
    """What the worker needs of `tl_ascend.ide.workspace.Workspace`."""

    def configure(self, settings: Settings) -> None: ...

    def set_text(self, path: str, text: str | None) -> None: ...

    def analyse(self, path: str, cancelled: Callable[[], bool]) -> Analysis: ...

    def tried(
        self, path: str, repairs: Sequence[Repair], cancelled: Callable[[], bool]
    ) -> tuple[bool, ...]: ...

    def repaired(self, path: str, cancelled: Callable[[], bool]) -> tuple[TextEdit, ...]: ...


Load = Callable[[Settings, str | None], Engine]


def load_workspace(settings: Settings, root: str | None) -> Engine:
    """Loads the compiler, which takes seconds."""
    from tl_ascend.ide.workspace import Workspace

    return Workspace(settings, root)


def tame_collector() -> None:
    """What is loaded stays; collections in the middle of work are for emergencies only."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 100)
