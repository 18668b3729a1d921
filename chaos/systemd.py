"""`python -m chaos.systemd`: `make run` as systemd runs deploy/hstar.service, which it stands for in tests.

It reads the unit's command, watchdog and pause. If the main process ends, or does not report for `WatchdogSec`, all of
its processes are killed, as in a control group with `KillMode=mixed`, and it starts again. SIGTERM ends it all.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
from billiard.util import set_pdeathsig

from running.supervisor import Reports

ROOT = Path(__file__).resolve().parent.parent
UNIT = (ROOT / "deploy" / "hstar.service").read_text(encoding="utf-8")
LOOK_SECONDS = 0.5


def option(name: str) -> str:
    """An option of the unit."""
    found = re.search(rf"^{name}=(.*)$", UNIT, re.MULTILINE)
    assert found is not None, name
    return found[1]


def main() -> int:
    """Run until SIGTERM."""
    command = option("ExecStart").split()
    assert command[:2] == ["/opt/hstar/.venv/bin/python", "-m"]
    assert (option("Type"), option("Restart"), option("WatchdogSignal")) == ("notify", "always", "SIGKILL")
    reports = Reports(float(option("WatchdogSec")))
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: asked.append(1))
    while not asked:
        process = subprocess.Popen(
            [sys.executable, *command[1:]],
            cwd=ROOT,
            env=os.environ | {"NOTIFY_SOCKET": reports.address},
            start_new_session=True,
            preexec_fn=partial(set_pdeathsig, signal.SIGTERM),
        )
        there: set[psutil.Process] = set()
        while not asked and process.poll() is None and not reports.silent(process.pid):
            reports.read()
            with contextlib.suppress(psutil.NoSuchProcess):
                there |= {*psutil.Process(process.pid).children(recursive=True)}
            time.sleep(LOOK_SECONDS)
        if asked:
            process.terminate()
            return process.wait()
        print(f"systemd: the main process {process.pid} hangs or has ended; everything is killed", flush=True)
        for one in (psutil.Process(process.pid), *there):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()  # psutil does not kill another process that has the number now
        process.wait()
        time.sleep(float(option("RestartSec")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
