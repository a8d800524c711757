"""Waiting for a result that is under way, for as long as a user does not notice."""

from __future__ import annotations

import asyncio

from tl_ascend_server.documents import Document

PATIENCE_S = 1.0
FIRST_S = 20.0  # where there is nothing older to answer with, and nobody would ask again


async def await_first(document: Document) -> None:
    """As `await_result`, and much longer for the first result of a document."""
    patience = PATIENCE_S if document.analysis is not None else FIRST_S
    await await_result(document, document.now.serial, patience)


async def await_result(document: Document, serial: int, patience: float = PATIENCE_S) -> None:
    """Until there is a result for that text, the text has changed, or it has taken too long."""
    deadline = asyncio.get_running_loop().time() + patience
    while document.now.serial == serial and not document.current:
        left = deadline - asyncio.get_running_loop().time()
        try:
            await asyncio.wait_for(document.news(), left)
        except asyncio.TimeoutError:
            return
