"""A real sshd on this machine, whose login has the environment of a stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.toolchain import standins

from tl_ascend.toolchain.remote import Host, There

SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
NAME = "other"
CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv {environment}
"""
CLIENT = """
Host {name}
  HostName 127.0.0.1
  Port {port}
  IdentityFile {folder}/user_key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile /dev/null
"""


class Ssh:
    """A host named `other`: `host` is what it has, `environment` what `ssh` needs here."""

    def __init__(self, folder: Path, port: int) -> None:
        (folder / "other host").mkdir()
        self.host = standins.Host(folder / "other host")
        self.host.compiler()
        self.host.torch()
        self.host.torch_npu()
        self.host.npu_smi()
        tools = folder / "here"
        tools.mkdir()
        for name in ("host_key", "user_key"):
            command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(command, check=True)
        key = (folder / "host_key.pub").read_text()
        (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {key}")
        values = {"LC_ALL": "C.UTF-8", **self.host.environment}
        pairs = " ".join(f'"{name}={value}"' for name, value in values.items())
        text = CONFIG.format(port=port, folder=folder, environment=pairs)
        (folder / "sshd_config").write_text(text)
        text = CLIENT.format(name=NAME, port=port, folder=folder)
        (folder / "ssh_config").write_text(text)
        ssh = tools / "ssh"
        ssh.write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} -F {folder}/ssh_config "$@"\n')
        ssh.chmod(0o755)
        self.environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(tools)}

    def there(self, **more: str) -> There:
        return There(Host(NAME, **more), self.environment)

    def command(self, name: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        line, environment = self.line(name, *arguments), self.local(cwd)
        return subprocess.run(
            line, env=environment, capture_output=True, text=True, check=False, cwd=cwd
        )

    @staticmethod
    def line(*words: str) -> list[str]:
        return [sys.executable, "-m", "tl_ascend.cli.main", *words]

    def local(self, folder: Path) -> dict[str, str]:
        """The environment of commands on this side, which keep what they build in `folder`."""
        return {
            **self.environment,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TL_ASCEND_CACHE_DIR": str(folder / "cache"),
        }
