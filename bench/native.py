"""The native programs of the bench, built on first use."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from bench.rows import Missing

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "bench"


@cache
def program(target: str) -> Path:
    """The program of a target of ``native/bench``, built now if its sources changed. Raises Missing if that fails."""
    env = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    configure = ["cmake", "-S", str(ROOT / "native"), "-B", str(BUILD), "-G", "Ninja", "-DHSTAR_BENCH=ON"]
    for command in (configure, ["cmake", "--build", str(BUILD), "--target", target]):
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = " ".join((done.stderr or done.stdout).split())
            raise Missing(f"cannot build {target}: {said[-300:]}")
    return BUILD / target
