"""Dropped packets between a program and a server that it needs, for two minutes: longer than any time limit."""

from __future__ import annotations

import time
from functools import partial
from statistics import median

from chaos.clients import Submitting, quick
from chaos.experiments.table import Experiment, mixed, times
from chaos.invariants import Violation
from chaos.system import PACE, System
from tests.servers import wait_until

SECONDS = 120.0
#: after the drop: until a new job must have been found, and how soon a client that waits must hear of its end
FOUND_SECONDS, HEARD_SECONDS = 15.0, 1.0
PROGRAMS = ("api", "worker", "sweeper")
# Only a message wakes a worker soon, so that one which hears none is noticed.
ONLY_BELLS = PACE.model_copy(update={"look_seconds": 60.0})


def dropped(variable: str, system: System, scale: float) -> int:
    """Between each program in turn and the server that the variable names."""
    wires = {name: system.wire(name, variable) for name in PROGRAMS}
    system.start()
    _ask(system, 0)
    for number, (name, wire) in enumerate(wires.items()):
        bodies = mixed(system, times(40, scale))
        with Submitting(system.client, bodies):
            with wire.dropping():
                time.sleep(max(20.0, SECONDS * scale))
            mended = time.monotonic()
            found, heard = _ask(system, 1000 * (number + 1))
        took = time.monotonic() - mended
        system.note(f"{name}: all accepted {took:.1f} s after, found in {found:.2f} s, heard in {heard:.2f} s")
        if heard > HEARD_SECONDS:
            raise Violation(f"{name}: clients that wait hear of the end of a job only after {heard:.1f} s")
    return len(wires)


def _ask(system: System, seed: int) -> tuple[float, float]:
    """How long after its submission a job has ended, and how soon clients hear of the ends of others (a median)."""
    began = time.monotonic()
    path = f"/v1/jobs/{system.client.submit(quick(seed))}"
    wait_until(lambda: _ended(system, path), "a job to be found after packets were dropped", FOUND_SECONDS, pause=0.05)
    found, waits = time.monotonic() - began, []
    for number in range(1, 10):
        path = f"/v1/jobs/{system.client.submit(quick(seed + number))}"
        asked = time.monotonic()
        assert system.client.get(path, headers={"Prefer": "wait=20"}).json()["outcome"] == "solved"
        waits.append(time.monotonic() - asked)
    return found, median(waits)


def _ended(system: System, path: str) -> bool:
    answer = system.client.get(path)
    return answer.status_code == 200 and answer.json()["outcome"] == "solved"


EXPERIMENTS = (
    Experiment(
        "packets-to-redis",
        "all packets to Redis dropped for two minutes, of the API, the worker and the sweeper in turn; then a bell "
        "is heard at once",
        partial(dropped, "HSTAR_BROKER_URL"),
        settings={"HSTAR_PACE": ONLY_BELLS.model_dump_json()},
    ),
    Experiment(
        "packets-to-postgresql",
        "the same between them and PostgreSQL",
        partial(dropped, "HSTAR_DATABASE_URL"),
        "own postgresql",
    ),
)
