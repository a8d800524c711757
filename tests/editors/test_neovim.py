"""A real Neovim with the client in editors/neovim, on kernels as a user has them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.editors.tools import client_settings

from tl_ascend_server.features.configuration import Options

ROOT = Path(__file__).resolve().parents[2]
SESSION = Path(__file__).resolve().parent / "neovim_session.lua"
TIMEOUT_S = 180


def run_session(neovim: Path, server: Path, kernels: Path) -> dict[str, Any]:
    """Runs the session and returns what it saw."""
    out = kernels / "seen.json"
    home = kernels / "home"
    environment = dict(os.environ, PATH=f"{server.parent}{os.pathsep}{os.environ['PATH']}")
    environment |= {"XDG_STATE_HOME": str(home), "XDG_DATA_HOME": str(home)}
    arguments = [ROOT / "editors" / "neovim", kernels / "gemm.py", kernels / "gemm_wide.py", out]
    run = subprocess.run(
        [neovim, "--headless", "--clean", "-l", SESSION, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert run.returncode == 0 and out.exists(), run.stdout + run.stderr
    seen: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return seen


def check_fault(diagnostics: list[dict[str, Any]]) -> None:
    """One error on the gemm, with its code and its name."""
    (fault,) = [found for found in diagnostics if found["severity"] == "ERROR"]
    assert fault["code"].startswith("TL")
    assert fault["data"]["name"] == "l0-overflow"
    assert "65536" in fault["message"]
    assert fault["text"] and fault["text"] in "T.gemm_v0(A_L1, B_L1, total, init=(step == 0))"


def test_neovim(neovim: Path, server: Path, kernels: Path) -> None:
    """Hints, a diagnostic that goes and comes with edits, commands and health check."""
    seen = run_session(neovim, server, kernels)
    buffers = [hint for hint in seen["hints"] if "float16[128,64] L1 zN 16 KiB" in hint["label"]]
    assert [hint["before"].strip() for hint in buffers] == ["A_L1"]
    assert seen["hints_off"] is True
    assert "gemm_v0" in seen["source_line"] and "gemm_v0" in seen["kernel_line"]
    assert seen["source_modifiable"] is False
    assert ["gemm_v0" in line for line in seen["kernel_marked"]] == [True]
    assert seen["source_marked"] == [] == seen["unmarked"]
    source, ir = seen["both_marked"]
    assert any("gemm_v0" in line for line in source) and any("gemm_v0" in line for line in ir)
    assert any("gemm_v0" in line for line in seen["one_marked"])
    assert seen["ir_line"].startswith("kernel ")
    assert seen["asked"][-1][:3] == ["Build", "Run on NPU", "Run on CANN's simulator"]
    words, names = seen["told"]
    assert words == "`fast` is none of instance=N, device=N, simulator, SIZE=N"
    assert "no size or scalar 'nothing'; it has none" in names
    assert not [found for found in seen["clean"] if found["severity"] in ("ERROR", "WARN")]
    assert client_settings(seen["settings"]["tl-ascend"]) == Options()
    check_fault(seen["faulty"])
    check_fault(seen["faulty_again"])
    assert seen["platform"] == "A2"
    check_fault(seen["still_faulty"])
    assert seen["server"]["version"]
    health = "\n".join(seen["health"])
    assert f"server: {server}" in health
    assert "running: " in health and "2 buffer(s)" in health
    assert "ERROR" not in health and "WARNING" not in health
