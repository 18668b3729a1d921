"""Faults of `make run`: its parts are killed one after the other, then itself; its disk is full."""

from __future__ import annotations

import contextlib
import signal
import time
from pathlib import Path

import psutil

from chaos.clients import Submitting
from chaos.experiments.table import Experiment, fill, mixed, times
from chaos.invariants import Violation
from chaos.system import System

PARTS = ("valkey-server", "gunicorn", "celery", "worker.sweeper")


def parts_killed(system: System, scale: float) -> int:
    """The parts of `make run` are killed one after the other, under load; each must be restarted."""
    program = system.start_run()
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
    """`make run` itself is killed; none of its processes may survive, and the next one must run the queued jobs."""
    faults = times(3, scale)
    for _ in range(faults):
        program = system.start_run()
        started = program.children()
        system.client.submit_all(mixed(system, 30, 0.5))
        program.send(signal.SIGKILL)
        program.process.wait()
        _, alive = psutil.wait_procs(started, timeout=30)
        if alive:
            raise Violation(f"these processes survived: {alive}")
    system.start_run()
    return faults


def disk_of_run_filled(system: System, scale: float) -> int:
    """The disk of `make run`'s data, 8 MB, is filled to the last byte under load: no part of it ends."""
    disk = Path(system.database_url.removeprefix("sqlite:///")).parent
    program = system.start_run(HSTAR_VAR=str(disk))
    faults = times(6, scale)
    with Submitting(system.client, mixed(system, 20 * faults, 0.2)):
        for _ in range(faults):
            time.sleep(0.5)
            filler = fill(disk)
            time.sleep(3)
            filler.unlink()
    if program.ended() or program.said("it starts again"):
        raise Violation(f"a part has ended:\n{program.log.read_text(errors='replace')[-2000:]}")
    return faults


def _words(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.Error):
        return process.cmdline()
    return []


EXPERIMENTS = (
    Experiment("parts-killed", "SIGKILL for one part of `make run` after the other", parts_killed, "sqlite"),
    Experiment(
        "run-disk-full",
        "the disk of `make run`, Valkey's too, filled under load; no part ends",
        disk_of_run_filled,
        "small disk",
        {"HSTAR_RESERVE_MIB": "1"},
    ),
    Experiment("run-killed", "SIGKILL for `make run`; no process survives; another run", supervisor_killed, "sqlite"),
)
