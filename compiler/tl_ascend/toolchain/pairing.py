"""Which releases of CANN, torch and torch_npu belong together.

Source: the compatibility table of Ascend/pytorch. A torch_npu of one version always needs the torch of
the same version.
"""

from __future__ import annotations

CANN_TO_TORCH_NPU: dict[str, tuple[str, ...]] = {
    "9.1.0": ("2.12.0", "2.11.0", "2.10.0.post4", "2.9.0.post6", "2.7.1.post8"),
    "9.0.0": ("2.9.0.post2", "2.8.0.post4", "2.7.1.post4"),
    "8.5.0": ("2.9.0", "2.8.0.post2", "2.7.1.post2", "2.6.0.post5"),
    "8.3.RC1": ("2.8.0", "2.7.1", "2.6.0.post3", "2.1.0.post17"),
    "8.2.RC1": ("2.6.0", "2.5.1.post1", "2.1.0.post13"),
    "8.1.RC1": ("2.5.1", "2.4.0.post4", "2.3.1.post6", "2.1.0.post12"),
    "8.0.0": ("2.4.0.post2", "2.3.1.post4", "2.1.0.post10"),
}


def release(version: str) -> str:
    """`2.8.0` of `2.8.0.post2+cpu`."""
    parts = version.split("+")[0].split(".")
    return ".".join(part for part in parts[:3] if part.isdigit())


def cann_release(version: str) -> str:
    """The row of the table for a version as CANN writes it (`8.2.RC1`, `8.2.rc1.alpha003`); empty
    where there is none."""
    wanted = version.upper()
    return next((row for row in CANN_TO_TORCH_NPU if wanted.startswith(row.upper())), "")


def torch_pair(torch: str, torch_npu: str) -> str:
    """What is wrong with a pair of torch and torch_npu; empty where they belong together."""
    if release(torch) == release(torch_npu):
        return ""
    return f"torch_npu {torch_npu} needs torch {release(torch_npu)}, and torch is {torch}"


def is_known(torch_npu: str) -> bool:
    """True for a version that the table names."""
    return any(torch_npu.split("+")[0] in versions for versions in CANN_TO_TORCH_NPU.values())


def cann_pair(cann: str, torch_npu: str) -> str:
    """What is wrong with CANN and torch_npu; empty where they belong together, or where the table
    does not know one of them."""
    row = cann_release(cann)
    fitting = CANN_TO_TORCH_NPU.get(row, ())
    plain = torch_npu.split("+")[0]
    if not fitting or plain in fitting or not is_known(torch_npu):
        return ""
    return f"CANN {row} goes with torch_npu {', '.join(fitting)}, and torch_npu is {plain}"
