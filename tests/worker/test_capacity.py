"""A worker whose processes together may need more memory than there is does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_worker_that_needs_too_much_memory_names_the_cap_and_ends(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "celery",
        "--app",
        "worker.app",
        "worker",
        "--pool",
        "prefork",
        "--concurrency",
        "2",
    ]
    environment = os.environ | {
        "HSTAR_VAR": str(tmp_path),
        "HSTAR_CAP_MEMORY_MIB": str(2**24),
        "HSTAR_QUICK_SLOTS": "1",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "2 processes with HSTAR_CAP_MEMORY_MIB=16777216 may take" in done.stderr
    assert "run fewer processes" in done.stderr
    assert "ready" not in done.stderr
