"""The import contracts between the packages hold, and a violation of each is noticed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"hstar": "src", "store": ".", "service": ".", "worker": ".", "running": "."}
# Without the import hook of the editable install, which would find hstar in the checkout.
LINT = """
import sys
sys.meta_path = [finder for finder in sys.meta_path if not type(finder).__name__.startswith("ScikitBuild")]
from importlinter.cli import lint_imports
sys.exit(lint_imports(no_cache=True))
"""
# module with the import, what it imports, the contract that forbids it
BREACHES = [
    ("worker", "service", "Imports run one way"),
    ("service", "worker", "Imports run one way"),
    ("store", "service", "Imports run one way"),
    ("hstar", "store", "Imports run one way"),
    ("hstar", "sqlalchemy", "The library knows no"),
    ("hstar", "celery", "The library knows no"),
    ("store", "flask", "The store knows no"),
    ("worker", "flask", "The service rings and answers"),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of every package's Python sources, and of the contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for package, folder in PACKAGES.items():
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(ROOT / folder / package, tmp_path / package, ignore=ignored)
    return tmp_path


def lint(house: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(house), "COLUMNS": "200"}
    return subprocess.run([sys.executable, "-c", LINT], cwd=house, env=env, capture_output=True, text=True, check=False)


def test_the_walls_stand(house: Path) -> None:
    done = lint(house)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 kept, 0 broken" in done.stdout


def test_an_import_cycle_is_reported_wherever_the_import_is(house: Path) -> None:
    (house / "hstar/puzzles/breach.py").write_text("def late():\n    import hstar.features\n")
    done = lint(house)
    assert done.returncode != 0
    broken = done.stdout[done.stdout.index("Broken contracts") :]
    assert "No circles" in broken
    assert ".puzzles -> .features (1 import)" in broken


def test_every_breach_is_reported(house: Path) -> None:
    for number, (importer, imported, _) in enumerate(BREACHES):
        (house / importer / f"breach_{number}.py").write_text(f"import {imported}\n")
    done = lint(house)
    assert done.returncode != 0
    assert "1 kept, 4 broken" in done.stdout
    broken = done.stdout[done.stdout.index("Broken contracts") :]
    for number, (importer, imported, contract) in enumerate(BREACHES):
        assert f"{importer}.breach_{number} -> {imported}" in broken, contract
