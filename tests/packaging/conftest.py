"""The wheel, built once for all tests of packages."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging import compose


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, made from the kernel that `make setup` has compiled."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(directory)]
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [*command, "."],
        cwd=compose.ROOT,
        env={**os.environ, "PATH": tools},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    (made,) = directory.glob("*.whl")
    return made
