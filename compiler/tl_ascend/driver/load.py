"""One kernel of a file, as evaluated."""

from __future__ import annotations

from dataclasses import replace

from tl_ascend.driver.check import Checker, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.nodes import Kernel


def load_kernel(path: str, factory: str | None, instance: int, text: str | None) -> Kernel:
    """See `tl_ascend.load`. Errors: OSError, LookupError, ValueError."""
    files = Files()
    if text is not None:
        files.set_text(path, text)
    # Findings are not asked for, so upstream's limits need not be checked.
    report = Checker(files).check(path, replace(options_for(path), upstream="none"))
    if report.broken:
        raise ValueError(report.broken)
    found = [k for k in report.kernels if factory is None or factory in (k.factory, k.name)]
    if not 0 <= instance < len(found):
        what = f"{path} has {len(found)} kernel instances"
        raise LookupError(f"{what} of {factory}" if factory else what)
    return _known(found[instance])


def _known(kernel: KernelReport) -> Kernel:
    if kernel.status == "skipped" and kernel.lowered is None:
        raise ValueError(f"{kernel.name} is not known whole: {kernel.reason}")
    return kernel.kernel
