"""What to do where torch_npu cannot be imported, by what its import says."""

from __future__ import annotations

import re
from collections.abc import Callable

from tl_ascend.toolchain.cann import Cann

REINSTALL = "Reinstall torch_npu for your torch."
_TWO = "Use an environment whose torch has no CUDA: torch_npu does not share it."
_NEWER = "It was built for a newer system: install one that was built for this one."
_OTHER_CANN = (
    "This CANN does not have it: torch_npu was built for another one. Install the torch_npu that goes "
    "with this CANN (see versions below), and source the set_env.sh of that one only."
)
_DAMAGED = "This file of CANN is damaged, or for another processor: reinstall CANN for this one."
_SYSTEM = "That is a library of the system: install the package that brings it."
_DRIVER = (
    "That is the NPU driver's, not CANN's: install the driver; into a container, mount "
    "/usr/local/Ascend/driver and add its lib64/driver and lib64/common to LD_LIBRARY_PATH."
)
_DISTRIBUTIONS = {"yaml": "pyyaml", "attr": "attrs"}  # where it is not called as the module
_OF_CANN = ("acl", "hccl", "tbe", "te")  # modules that CANN brings
_OF_TORCH = ("torch", "torch_npu")

_LIBRARY = r"(?P<path>[^\s:]*?(?P<name>[^\s:/]+\.so[\w.]*)): "
_BROKEN = "(?:file too short|wrong ELF class|invalid ELF header|cannot read file data|ELF file)"
# The owner of a library that is not one of CANN's, and what to do.
_OWNERS = (
    ("libtorch_npu", REINSTALL),
    (r"lib(ascend_hal|dcmi|drv\w*)\.", _DRIVER),
    ("lib(torch|c10|shm)", "That is torch's own library: reinstall torch, then torch_npu for it."),
    ("libpython", "That is Python's own library: use a Python that brings it."),
    (r"lib(gomp|stdc\+\+|gcc_s|gfortran|quadmath|openblas\w*|atomic|numa|mpi\w*)[-.]", _SYSTEM),
    (r"lib(z|ssl|crypto|ffi|m|c|dl|rt|pthread)\.", _SYSTEM),
)


def step(error: str, found: Cann) -> str:
    """The next thing to do."""
    for pattern, answer in _STEPS:
        match = re.search(pattern, error)
        if match is not None:
            return answer(match, found)
    return REINSTALL


def _module(match: re.Match[str], found: Cann) -> str:
    name = match["module"].split(".")[0]
    if name in _OF_TORCH:
        return REINSTALL
    if name in _OF_CANN:
        return _libraries(found)
    return f"pip install {_DISTRIBUTIONS.get(name, name)}, which torch_npu needs."


def _owner(match: re.Match[str]) -> str:
    """What to do about a library that is not CANN's; empty where it may be."""
    if "/torch_npu/" in match["path"]:
        return REINSTALL
    if "/driver/" in match["path"]:
        return _DRIVER
    answers = (answer for pattern, answer in _OWNERS if re.match(pattern, match["name"]))
    return next(answers, "")


def _absent(match: re.Match[str], found: Cann) -> str:
    return _owner(match) or _libraries(found)


def _broken(match: re.Match[str], found: Cann) -> str:
    return _owner(match) or _DAMAGED


def _libraries(found: Cann) -> str:
    """What to do where a library of CANN is not found."""
    if found.root is None:
        return "These libraries come with CANN: install it and source its set_env.sh."
    if found.problem:
        return "CANN's set_env.sh does not do its work: see CANN below."
    if found.source is None:
        return (
            f"{found.root} has no set_env.sh: add its lib64 to LD_LIBRARY_PATH; where the library is "
            "not in there, reinstall CANN."
        )
    if found.by_environment:
        return f"The environment names {found.root}, where it is not found: source {found.source}"
    return f"With {found.source} sourced it is still not found: reinstall CANN."


def _always(text: str) -> Callable[[re.Match[str], Cann], str]:
    return lambda _, __: text


# The first that is found counts.
_STEPS: tuple[tuple[str, Callable[[re.Match[str], Cann], str]], ...] = (
    ("ERR00007|Two accelerators", _always(_TWO)),
    (r"No module named '(?P<module>[\w.]+)'", _module),
    (r"version `(GLIBC|GLIBCXX|CXXABI|GCC)_[\d.]+' not found", _always(_NEWER)),
    (_LIBRARY + "cannot open shared object", _absent),
    (_LIBRARY + _BROKEN, _broken),
    (r"undefined symbol: (acl|Hccl|hccl|Hcom|rt[A-Z]|_ZNK?2ge)", _always(_OTHER_CANN)),
)
