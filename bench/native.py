"""The native programs of the bench, built when they are first needed."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from bench.rows import Missing

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("HSTAR_BENCH_BUILD") or ROOT / "build" / "bench")


@cache
def program(target: str) -> Path:
    """The program of a target of ``native/bench``, built now if anything of it changed. Raises Missing if it cannot."""
    env = os.environ | {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    configure = ["cmake", "-S", str(ROOT / "native"), "-B", str(BUILD), "-G", "Ninja", "-DHSTAR_BENCH=ON"]
    for command in (configure, ["cmake", "--build", str(BUILD), "--target", target]):
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = " ".join((done.stderr or done.stdout).split())
            raise Missing(f"{target} does not build: {said[-300:]}")
    return BUILD / target
