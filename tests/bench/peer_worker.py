"""Lowers and emits the kernels of one side and prints their times: `peer_worker.py SIDE ROUNDS FOLDER`.

Runs alone, in the environment of its side. CPU milliseconds of this process for each kernel, after two
rounds that do not count; evaluating or building the kernel does not count either.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

WARM = 2
Work = dict[str, Callable[[], str]]


def ours(examples: str) -> Work:
    """From evaluated kernels to programs."""
    import tl_ascend
    from tl_ascend.backends.registry import backend
    from tl_ascend.diagnostics.report import Report
    from tl_ascend.passes.context import LowerOptions
    from tl_ascend.passes.pipeline import lower
    from tl_ascend.target.hardware import A3

    kernels = {
        name: tl_ascend.load(str(Path(__file__).parent / "peer_kernels" / "ours.py"), name)
        for name in ("gemm", "add", "softmax")
    }
    kernels["flash_attention"] = tl_ascend.load(str(Path(examples) / "flash_attention.py"))

    def program(name: str) -> str:
        lowered = lower(kernels[name], LowerOptions(A3), Report())
        emitted = backend("ascendc").emit(lowered, A3, Report())
        assert emitted is not None
        return emitted.text

    return {name: (lambda name=name: program(name)) for name in kernels}  # type: ignore[misc]


def upstream(_: str) -> Work:
    """From TIR to programs, by tilelang's own pipeline."""
    sys.path.insert(0, str(Path(__file__).parent / "peer_kernels"))
    from upstream import MAKE, build  # type: ignore[import-not-found]

    made = {name: make() for name, make in MAKE.items()}
    return {name: (lambda f=f: build(f)) for name, f in made.items()}  # type: ignore[misc]


def main() -> None:
    side, rounds, examples = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    found = {}
    for name, work in {"ours": ours, "upstream": upstream}[side](examples).items():
        times = []
        for _ in range(WARM + rounds):
            began = time.process_time()
            text = work()
            times.append((time.process_time() - began) * 1000)
        found[name] = {"ms": times[WARM:], "lines": len(text.splitlines())}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
