"""`python -m chaos hosts proof`: one hard proof that workers on several hosts share.

print(table_of(proofs(workers=4, tell=print)))
"""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select

from chaos import invariants
from chaos.hosts import Hosts, hosts
from chaos.invariants import Violation
from chaos.rounds import LOST_SECONDS
from hstar.experiments.instances import known_set
from store.jobs.models import Job
from store.jobs.states import State
from tests.servers import wait_until

# Beams find a shortest solution of some of Korf's 24-puzzles. IDA* has only to prove that there is no shorter one: it
# comes to the end of each iteration, and the nodes are the same whoever searches them.
SET = "korf-24-puzzle"
BLOCKS = "blocks:6"
# A second attempt has the solution from the progress of the first, and a bound near it, so that no beams are due.
BEAMS = [{"method": "constructive"}, {"method": "beams", "expanded": 20_000_000, "gap_least": 20}]
IDA_STAR = [{"method": "ida_star", "heuristic": f'pdb("{BLOCKS}")'}]
HOSTS = 4
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


def proofs(number: int, workers: Sequence[int], tell: Callable[[Proof], None]) -> list[Proof]:
    """Of board ``number``: by one process alone, by so many ``workers``, and by `HOSTS` of which two are killed.

    :raises Violation: beams find no shortest solution, or the nodes are not those of the process alone
    """
    board = known_set(SET)[number - 1]
    found: list[Proof] = []
    with hosts(HOSTS, {"HSTAR_CAP_EXPANDED": "0", "HSTAR_CAP_SECONDS": "0"}, started=1, share=True) as system:
        puzzle: dict[str, Any] = {"puzzle": "tiles:5x5", "goal": list(range(25))}
        _answer(system, system.client.submit(puzzle | {"pattern": BLOCKS}, path="/v1/databases"))
        request = puzzle | board.start | {"algorithm": "plan", "limits": {"memory_mib": 512}}
        first = _answer(system, system.client.submit(request | {"plan": BEAMS}))
        if first["length"] != board.optimum:
            raise Violation(f"beams find {first['length']} moves, and {board.optimum} are needed")

        def add(workers: int, kill: int = 0) -> None:
            while sum(place.startswith("worker") for place in system.on) < workers:
                system.start_worker(1)
            one = _prove(system, request | {"plan": BEAMS + IDA_STAR}, workers, kill)
            if one.attempts == 1:
                one = replace(one, expanded=one.expanded - first["counters"]["expanded"])
            found.append(one)
            tell(one)
            if one.expanded != found[0].expanded:
                raise Violation(f"{one.expanded:,} expansions, but {found[0].expanded:,} by one process alone")

        for count in (0, *workers):
            add(count)
        add(HOSTS, kill=2)
        invariants.check(system, LOST_SECONDS)
    return found


def _prove(system: Hosts, request: dict[str, Any], workers: int, kill: int) -> Proof:
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

    wait_until(ended, "the search to end", 6 * 3600, 0.1)
    assert len(killed) == kill, f"only {killed} were killed"
    with system.sessions.read() as session:
        row = session.get_one(Job, job_id)
        done = session.scalars(select(Job.worker).where(Job.parent == job_id, Job.state == State.DONE)).all()
    answer = _answer(system, job_id)
    assert row.finished_at is not None
    assert answer["optimality"] == "proven", answer
    spent = [seconds - before.get(place, 0.0) for place, seconds in _processor_seconds(system).items()]
    on = Counter(places[worker or ""] for worker in done)
    seconds = (row.finished_at - row.created_at).total_seconds()
    return Proof(workers, kill, seconds, sum(spent), max(spent), answer["counters"]["expanded"], dict(on), row.attempt)


def _answer(system: Hosts, job_id: str) -> dict[str, Any]:
    wait_until(lambda: system.client.get(f"/v1/jobs/{job_id}").json()["status"] == "done", "the answer", 600)
    answer: dict[str, Any] = system.client.get(f"/v1/jobs/{job_id}").json()
    return answer


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
