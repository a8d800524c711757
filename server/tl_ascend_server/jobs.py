"""Work for which the server is too good: each job is a child process (`task.py`), so that nothing that
a compiler does, prints or takes can be felt here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable

from tl_ascend.driver.strict_json import dumps
from tl_ascend_server.capabilities import JSON

log = logging.getLogger(__name__)
PATIENCE_S = 6.0  # a child that is told to end ends what it has started first
LINE_BYTES = 1 << 26
COMMAND = (sys.executable, "-m", "tl_ascend_server.task")


class Job:
    """One child. `cancel` may be called at any time."""

    def __init__(self) -> None:
        self.cancelled = False
        self._process: asyncio.subprocess.Process | None = None

    async def run(self, request: JSON, progress: Callable[[str], None]) -> JSON | None:
        """The result, or None where there is none: cancelled, or the child has died."""
        self._process = process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=os.sep,  # where modules lie that only look like ours, `python -m` would take them
            start_new_session=True,
            limit=LINE_BYTES,
        )
        try:
            return await self._followed(process, request, progress)
        finally:
            self._release()

    async def _followed(
        self, process: asyncio.subprocess.Process, request: JSON, progress: Callable[[str], None]
    ) -> JSON | None:
        assert process.stdin is not None and process.stdout is not None
        if self.cancelled:
            return None
        process.stdin.write(dumps(request).encode() + b"\n")
        with contextlib.suppress(ConnectionError):
            await process.stdin.drain()
        result: JSON | None = None
        async for line in process.stdout:
            message = json.loads(line)
            if "progress" in message:
                progress(message["progress"])
            else:
                result = message["result"]
        if result is None and not self.cancelled:
            log.error("a task ended without a result, status %s", await process.wait())
        return None if self.cancelled else result

    def cancel(self) -> None:
        """Have it end by itself, and soon."""
        self.cancelled = True
        self._release()

    def _release(self) -> None:
        process = self._process
        if process is None or process.returncode is not None or process.stdin is None:
            return
        process.stdin.close()
        asyncio.get_running_loop().call_later(PATIENCE_S, _end, process)


def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
