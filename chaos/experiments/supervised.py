"""`make run` as a user has it, whose parts are killed one after the other."""

from __future__ import annotations

import contextlib
import signal
import sys
import time

import psutil

from chaos.clients import Submitting
from chaos.experiments.table import Experiment, mixed, times
from chaos.invariants import Violation
from chaos.processes import Program
from chaos.system import System
from tests.servers import wait_until

PARTS = ("valkey-server", "gunicorn", "celery", "worker.sweeper")


def _run(system: System) -> Program:
    environment = system.environment | {"HSTAR_WORKERS": "2"}
    # The broker is the embedded one.
    del environment["HSTAR_BROKER_URL"]
    program = system.adopt(
        Program("run", [sys.executable, "-m", "tools.run"], environment, system.root, system.home / "run.log")
    )
    system.wait_for_api()
    wait_until(lambda: program.said("hstar is ready"), "make run to be ready", 60)
    return program


def parts_killed(system: System, scale: float) -> int:
    """SIGKILL for one part of `make run` after the other, under load: each starts again."""
    program = _run(system)
    faults = times(10, scale)
    with Submitting(system.client, mixed(system, 20 * faults)):
        for number in range(faults):
            word = PARTS[number % len(PARTS)]
            parts = [part for part in psutil.Process(program.process.pid).children() if word in " ".join(_words(part))]
            for part in parts[:1]:
                part.kill()
            time.sleep(2)
            assert not program.ended(), "make run has ended"
        system.wait_for_api()
    return faults


def supervisor_killed(system: System, scale: float) -> int:
    """SIGKILL for `make run` itself: nothing lives on, and the next one goes on with what is queued."""
    faults = times(3, scale)
    for _ in range(faults):
        program = _run(system)
        started = program.children()
        system.client.submit_all(mixed(system, 30, 0.5))
        program.send(signal.SIGKILL)
        program.process.wait()
        _, alive = psutil.wait_procs(started, timeout=30)
        if alive:
            raise Violation(f"these live on: {alive}")
        program.log.rename(program.log.with_name(f"run-{len(system.programs)}-{time.monotonic_ns()}.log"))
        program.log = next(iter(sorted(system.home.glob("run-*.log"), key=lambda path: path.stat().st_mtime)[-1:]))
    _run(system)
    return faults


def _words(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


EXPERIMENTS = (
    Experiment("parts-killed", "SIGKILL for one part of `make run` after the other", parts_killed, "sqlite"),
    Experiment("run-killed", "SIGKILL for `make run`: nothing lives on; another run", supervisor_killed, "sqlite"),
)
