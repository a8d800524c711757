"""What lowering gives depends on the kernel alone: not on hash seed, folder or earlier work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = tuple(sorted(path.name for path in (ROOT / "examples").glob("*.py")))
SEEDS = tuple(range(13))


def everything(folder: Path, hash_seed: str, warm: bool) -> dict[str, str]:
    """IR, program, map, report and findings of the kernels, from a fresh process."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    paths = [str(ROOT), str(ROOT / "compiler"), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    command = [sys.executable, "-m", "tests.generated.dump", *(["--warm"] if warm else []), "."]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    found: dict[str, str] = json.loads(result.stdout)
    return found


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same files in two folders of different depth."""
    from tests.generated.examine import case

    texts = {f"generated_{seed}.py": case(seed).text for seed in SEEDS}
    for name in EXAMPLES:
        texts[name] = (ROOT / "examples" / name).read_text(encoding="utf-8")
    made = (tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two") / "deeper" / "still")
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def plain(folders: tuple[Path, Path]) -> dict[str, str]:
    return everything(folders[0], "0", warm=False)


def test_all_kinds_of_text_are_compared(plain: dict[str, str]) -> None:
    kinds = {key.rsplit(" ", 1)[1] for key in plain}
    assert kinds == {"ir", "program", "map", "report", "findings"}
    assert {key.split(" ")[0] for key in plain} >= {*EXAMPLES, "generated_0.py", "generated_12.py"}


def test_another_hash_seed(folders: tuple[Path, Path], plain: dict[str, str]) -> None:
    assert everything(folders[0], "4242", warm=False) == plain


def test_another_folder(folders: tuple[Path, Path], plain: dict[str, str]) -> None:
    assert everything(folders[1], "1", warm=False) == plain


def test_after_other_kernels(folders: tuple[Path, Path], plain: dict[str, str]) -> None:
    assert everything(folders[0], "2", warm=True) == plain
