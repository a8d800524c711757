"""Sessions for the tests of the server. Each test has a cache folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.session import FAKE, Session


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """Environment variables that keep the markers of a test apart."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


@pytest.fixture
def start(cache: dict[str, str]) -> Iterator[Callable[..., Session]]:
    """Starts servers; `start(command, env=..., answers=...)`."""
    with ExitStack() as stack:

        def make(
            command: tuple[str, ...] = FAKE, env: dict[str, str] | None = None, **options: Any
        ) -> Session:
            session = Session(command, {**cache, **(env or {})}, **options)
            return stack.enter_context(session)

        yield make


@pytest.fixture
def own(start: Callable[..., Session]) -> Session:
    """An initialized session with the fake engine, for one test."""
    made = start()
    made.initialize()
    return made


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    with Session(FAKE, {"XDG_CACHE_HOME": str(tmp_path_factory.mktemp("cache"))}) as made:
        made.initialize()
        yield made


@pytest.fixture
def session(_shared: Session) -> Iterator[Session]:
    """A session that others have used and will use: nothing is open, nothing waits."""
    yield _shared
    _shared.tidy()
