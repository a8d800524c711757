"""Waiting for a result that is under way, for as long as a user does not notice."""

from __future__ import annotations

import asyncio

from tl_ascend_server.documents import Document

PATIENCE_S = 1.0


async def await_result(document: Document, serial: int) -> None:
    """Until there is a result for that text, the text has changed, or it has taken too long."""
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while document.now.serial == serial and not document.current:
        left = deadline - asyncio.get_running_loop().time()
        try:
            await asyncio.wait_for(document.news(), left)
        except asyncio.TimeoutError:
            return
