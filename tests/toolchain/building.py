"""Building one kernel with stand-ins, by call and by command."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.emit import support
from tests.toolchain import standins

from tl_ascend.backends import registry
from tl_ascend.driver import build as driver
from tl_ascend.target.hardware import A3
from tl_ascend.toolchain import cann
from tl_ascend.toolchain.bisheng import Job
from tl_ascend.toolchain.place import Here
from tl_ascend.toolchain.store import Store

KERNEL = support.kernel(
    "a = T.alloc_ub((64, 64), 'float')\nT.copy(x, a)\nT.tile.exp(a, a)\nT.copy(a, x)"
)


def build(
    host: standins.Host,
    store: Store,
    text: str = KERNEL,
    name: str = "kernel",
    headers: tuple[Path, ...] = (),
    **more: Any,
) -> driver.Result:
    """Build the only kernel of a text."""
    backend = registry.backend("ascendc")
    options = driver.Options(headers)
    job = driver.job_for(backend, A3, cann.find(host.environment), options)
    assert isinstance(job, Job), job
    (kernel,) = support.report(f"{name}.py", text).kernels
    wanted = driver.Wanted(backend, job, name, **{"path": f"{name}.py", **more})
    return driver.build_kernel(kernel, wanted, store, lambda: Here(host.environment))


def calls(host: standins.Host) -> int:
    file = host.tools / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def command_environment(host: standins.Host, folder: Path) -> dict[str, str]:
    return {
        **host.environment,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TL_ASCEND_CACHE_DIR": str(folder / "cache"),
    }


def command(host: standins.Host, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tl_ascend.cli.main", "build", *arguments],
        env=command_environment(host, folder),
        capture_output=True,
        text=True,
        check=False,
    )
