"""`python -m chaos hosts proof`: one hard proof that workers on several hosts share.

print(table_of(proofs(workers=4, tell=print)))
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from chaos import invariants
from chaos.hosts import Hosts, hosts
from chaos.invariants import Violation
from chaos.rounds import LOST_SECONDS
from store.jobs.models import Job
from store.jobs.states import State
from tests.servers import wait_until

# Number 44 of Korf's fifty 24-puzzles. Beams find a shortest solution, so IDA* has only to prove that there is no
# shorter one: it comes to the end of each iteration, and the nodes are the same whoever searches them.
BOARD = "8 12 18 3 2 11 10 22 24 17 1 13 23 4 20 16 6 15 9 21 19 5 14 0 7"
LENGTH = 93
BLOCKS = "blocks:6"
# A second attempt has the solution from the progress of the first, and does without beams.
BEAMS = 4_000_000
PLAN = [
    {"method": "constructive"},
    {"method": "beams", "expanded": BEAMS, "gap_least": 10},
    {"method": "ida_star", "heuristic": f'pdb("{BLOCKS}")'},
]
#: a worker is killed once so many more subtrees have an answer
BEFORE_A_KILL = 4


@dataclass(frozen=True)
class Proof:
    """The same proof by ``workers`` hosts, of which some were ``killed``.

    ``expanded``: by IDA*, in all its iterations. ``together``, ``busiest``: processor time of all workers, and of
    the one that had most to do. ``subtrees``: by host, without those that the sharing process took.
    """

    workers: int
    killed: int
    seconds: float
    together: float
    busiest: float
    expanded: int
    subtrees: dict[str, int]
    attempts: int


def proofs(workers: int, tell: Callable[[Proof], None]) -> list[Proof]:
    """By one process alone, by 1, 2, ... hosts together, and by all of them of which two are killed on the way.

    :raises Violation: the nodes are not those of the process alone
    """
    with hosts(workers, {"HSTAR_CAP_EXPANDED": "0", "HSTAR_CAP_SECONDS": "0"}, started=0, share=True) as system:
        system.start_worker(1)
        board: dict[str, Any] = {"puzzle": "tiles:5x5", "goal": list(range(25))}
        built = system.client.submit(board | {"pattern": BLOCKS}, path="/v1/databases")
        wait_until(lambda: system.client.get(f"/v1/jobs/{built}").json()["status"] == "done", "the tables", 600)
        tiles = [int(tile) for tile in BOARD.split()]
        request = board | {"state": tiles, "algorithm": "plan", "plan": PLAN, "limits": {"memory_mib": 512}}
        found = []

        def add(one: Proof) -> None:
            found.append(one)
            tell(one)
            if one.expanded != found[0].expanded:
                raise Violation(f"{one.expanded:,} expansions, but {found[0].expanded:,} by one process alone")

        add(_prove(system, request, 0))
        for number in range(1, workers + 1):
            if number > 1:
                system.start_worker(1)
            add(_prove(system, request, number))
        add(_prove(system, request, workers, kill=2))
        invariants.check(system, LOST_SECONDS)
    return found


def _prove(system: Hosts, request: dict[str, Any], workers: int, kill: int = 0) -> Proof:
    """``kill`` so many hosts: first some that search subtrees, and last the one that shares the search."""
    before = _processor_seconds(system)
    job_id = system.client.submit(request | ({"workers": workers} if workers else {}))
    places: dict[str, str] = {}
    killed: list[str] = []

    def ended() -> bool:
        with system.sessions.read() as session:
            row = session.get_one(Job, job_id)
            parts = session.scalars(select(Job).where(Job.parent == job_id)).all()
        for worker in {job.worker for job in (*parts, row) if job.worker} - places.keys():
            places[worker] = system.host_of(worker)
        answered = sum(part.state is State.DONE for part in parts)
        if len(killed) < kill and answered >= BEFORE_A_KILL * (1 + len(killed)):
            sharing = places[row.worker or ""]
            last = len(killed) == kill - 1
            running = {places[part.worker] for part in parts if part.state is State.RUNNING and part.worker}
            for place in [sharing] if last else sorted(running - {sharing, *killed})[:1]:
                system.on[place].send_all(signal.SIGKILL)
                system.on[place].process.wait()
                killed.append(place)
        return row.finished_at is not None

    wait_until(ended, "the search to end", 3600, 0.1)
    assert len(killed) == kill, f"only {killed} were killed"
    with system.sessions.read() as session:
        row = session.get_one(Job, job_id)
        done = session.scalars(select(Job.worker).where(Job.parent == job_id, Job.state == State.DONE)).all()
    answer = system.client.get(f"/v1/jobs/{job_id}").json()
    assert row.started_at is not None
    assert row.finished_at is not None
    assert (answer["optimality"], answer["length"]) == ("proven", LENGTH), answer
    spent = [seconds - before.get(place, 0.0) for place, seconds in _processor_seconds(system).items()]
    on = Counter(places[worker or ""] for worker in done)
    seconds = (row.finished_at - row.created_at).total_seconds()
    expanded = answer["counters"]["expanded"] - (BEAMS if row.attempt == 1 else 0)
    return Proof(workers, kill, seconds, sum(spent), max(spent), expanded, dict(on), row.attempt)


def _processor_seconds(system: Hosts) -> dict[str, float]:
    """Of each worker's processes so far."""
    found = {}
    for place, program in system.on.items():
        if place.startswith("worker") and not program.ended():
            times = [process.cpu_times() for process in program.children()]
            found[place] = sum(one.user + one.system for one in times)
    return found


def table_of(found: Sequence[Proof]) -> str:
    """A row for each, in Markdown."""
    lines = [
        "| workers | killed | attempts | expanded | subtrees of others | CPU s together | of the busiest | waited |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for one in found:
        cells = [str(one.workers or "alone"), str(one.killed), str(one.attempts), f"{one.expanded:,}"]
        cells.append(" + ".join(str(count) for _, count in sorted(one.subtrees.items())))
        cells += ["", ""] if one.killed else [f"{one.together:.1f}", f"{one.busiest:.1f}"]
        cells.append(f"{one.seconds:.0f} s, {found[0].seconds / one.seconds:.2f} times as soon")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
