"""Which releases of CANN, torch and torch_npu belong together.

Source: the compatibility table of Ascend/pytorch. A torch_npu of one version always needs the torch of
the same version.
"""

from __future__ import annotations

import re

CANN_TO_TORCH_NPU: dict[str, tuple[str, ...]] = {
    "9.1.0": ("2.12.0", "2.11.0", "2.10.0.post4", "2.9.0.post6", "2.7.1.post8"),
    "9.0.0": ("2.9.0.post2", "2.8.0.post4", "2.7.1.post4"),
    "8.5.0": ("2.9.0", "2.8.0.post2", "2.7.1.post2", "2.6.0.post5"),
    "8.3.RC1": ("2.8.0", "2.7.1", "2.6.0.post3", "2.1.0.post17"),
    "8.2.RC1": ("2.6.0", "2.5.1.post1", "2.1.0.post13"),
    "8.1.RC1": ("2.5.1", "2.4.0.post4", "2.3.1.post6", "2.1.0.post12"),
    "8.0.0": ("2.4.0.post2", "2.3.1.post4", "2.1.0.post10"),
}


# The release of a version as packages write it: what comes before rc1, .post2, .dev0, +cpu and the like.
_RELEASE = re.compile(r"\s*v?(?:\d+!)?(\d+(?:\.\d+)*)", re.IGNORECASE)


def release(version: str) -> str:
    """`2.8.0` of `2.8.0.post2+cpu`, `2.8.0rc1` and `2.8`."""
    found = _RELEASE.match(version)
    if found is None:
        return ""
    parts = [str(int(part)) for part in found[1].split(".")]
    while len(parts) > 3 and parts[-1] == "0":
        parts.pop()
    return ".".join((parts + ["0", "0"])[: max(3, len(parts))])


def public(version: str) -> str:
    """A version without what a build of one's own adds to it."""
    return version.split("+")[0].strip()


def cann_release(version: str) -> str:
    """The row of the table for a version as CANN writes it (`8.2.RC1`, `8.2.rc1.alpha003`); empty
    where there is none."""
    wanted = version.upper()
    return next((row for row in CANN_TO_TORCH_NPU if wanted.startswith(row.upper())), "")


def torch_pair(torch: str, torch_npu: str) -> str:
    """What is wrong with a pair of torch and torch_npu; empty where they belong together."""
    one, other = release(torch), release(torch_npu)
    if one == other or not one or not other:
        return ""
    return f"torch_npu {torch_npu} needs torch {other}, and torch is {torch}"


def to_install(torch: str, cann: str) -> str:
    """What to do where torch_npu is not there: exact where the table knows it."""
    wanted, row = release(torch), cann_release(cann)
    every = [(each, v) for each, versions in CANN_TO_TORCH_NPU.items() for v in versions]
    fitting = {each: v for each, v in every if release(v) == wanted}
    if row in fitting:
        return f"pip install torch_npu=={fitting[row]} (for torch {wanted} and CANN {row})."
    if row:
        fits = ", ".join(CANN_TO_TORCH_NPU[row])
        return f"CANN {row} goes with torch_npu {fits}: install one, and the torch of its release."
    table = ", ".join(f"{v} for CANN {each}" for each, v in fitting.items())
    if wanted in fitting.values() or not fitting:
        also = f"; by CANN: {table}" if fitting else ""
        return f"pip install torch_npu=={wanted} (the release of torch{also})."
    return f"pip install the {wanted}.post release of torch_npu for your CANN: {table}."


def is_known(torch_npu: str) -> bool:
    """True for a version that the table names."""
    return any(public(torch_npu) in versions for versions in CANN_TO_TORCH_NPU.values())


def cann_pair(cann: str, torch_npu: str) -> str:
    """What is wrong with CANN and torch_npu; empty where they belong together, or where the table
    does not know one of them."""
    row = cann_release(cann)
    fitting = CANN_TO_TORCH_NPU.get(row, ())
    plain = public(torch_npu)
    if not fitting or plain in fitting or not is_known(torch_npu):
        return ""
    return f"CANN {row} goes with torch_npu {', '.join(fitting)}, and torch_npu is {plain}"
