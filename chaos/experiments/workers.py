"""Faults of workers: they are killed, stopped, told to end, or run out of memory."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time

import psutil
from sqlalchemy import select

from chaos.clients import Submitting, long
from chaos.experiments.table import Experiment, mixed, times
from chaos.invariants import Violation
from chaos.system import System
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, question
from store.capacity import PROCESS_MIB
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.solves import submission
from tests.servers import wait_until

KILL_EVERY_SECONDS = 0.3
ORPHAN_SECONDS = 15.0
TURN_SECONDS = 10.0


def _running(system: System) -> list[tuple[str, int, int]]:
    """Id, attempt and process of every running job."""
    with system.sessions.read() as session:
        rows = session.execute(select(Job.id, Job.attempt, Job.worker).where(Job.state == State.RUNNING)).all()
    return [(row.id, row.attempt, int(row.worker.split(":")[1])) for row in rows if row.worker]


def _some_running(system: System) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []

    def there() -> bool:
        found[:] = _running(system)
        return bool(found)

    wait_until(there, "a running job", 60)
    return found


def children_killed(system: System, scale: float) -> int:
    """A worker process is killed every 0.3 s, during 400 jobs."""
    system.start()
    faults, until = 0, time.monotonic() + 25 * scale
    with Submitting(system.client, mixed(system, times(400, scale), 0.5)) as load:
        while time.monotonic() < until or not load.done():
            running = _running(system)
            if running and time.monotonic() < until:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(system.chance.choice(running)[2], signal.SIGKILL)
                    faults += 1
            time.sleep(KILL_EVERY_SECONDS)
    return faults


def main_killed(system: System, scale: float) -> int:
    """The worker's main process is killed; none of its processes may survive, and another worker goes on."""
    system.start()
    faults = times(6, scale)
    for _ in range(faults):
        system.client.submit_all(mixed(system, 12, 0.7))
        _some_running(system)
        program = system.find("worker")
        program.send(signal.SIGKILL)
        program.process.wait()
        wait_until(lambda: not system.orphans(), "its processes to end", ORPHAN_SECONDS, pause=0.2)
        system.start_worker()
    return faults


def stopped_past_the_lease(system: System, scale: float) -> int:
    """A worker is stopped until another attempt runs, then continued; its late result must change nothing."""
    system.start(workers=2, concurrency=1)
    faults = times(6, scale)
    for _ in range(faults):
        job_id = system.client.submit(long(system.chance.randrange(10_000)))
        ours: list[int] = []

        def runs(job_id: str = job_id, ours: list[int] = ours) -> bool:
            ours[:] = [process for running, _, process in _running(system) if running == job_id]
            return bool(ours)

        wait_until(runs, "the search to run", 40)
        os.kill(ours[0], signal.SIGSTOP)
        stopped = ours[0]
        try:
            wait_until(lambda: runs() and ours[0] != stopped, "another attempt", 40)  # noqa: B023
        finally:
            os.kill(stopped, signal.SIGCONT)
        system.client.cancel(job_id)
    return faults


def told_to_end(system: System, scale: float) -> int:
    """A searching worker gets SIGTERM; the job must return to the queue without counting a loss."""
    system.start()
    faults = times(8, scale)
    for _ in range(faults):
        system.client.submit_all(mixed(system, 10, 0.7))
        _some_running(system)
        system.stop(system.find("worker"))
        system.start_worker()
    return faults


def largest_killed(system: System, scale: float) -> int:
    """As the kernel does when memory is short: the process with most memory is killed during a search."""
    system.start()
    faults = times(10, scale)
    system.client.submit_all([long(system.chance.randrange(10_000)) for _ in range(2)])
    system.client.submit_all(mixed(system, 20))
    for _ in range(faults):
        grown: list[psutil.Process] = []

        def large(grown: list[psutil.Process] = grown) -> bool:
            sizes = [(_rss(child), child) for child in system.children()]
            size, child = max(sizes, key=lambda one: one[0], default=(0, None))
            grown[:] = [child] if child is not None and size > 200 * 2**20 else []
            return bool(grown) or not _running(system)

        wait_until(large, "a process with 200 MiB", 30)
        if not grown:
            system.client.submit(long(system.chance.randrange(10_000)))
            continue
        with contextlib.suppress(psutil.NoSuchProcess):
            grown[0].kill()
    return faults


def full_memory(system: System, scale: float) -> int:
    """The highest limits in all processes at once; each must stay below its cap plus Python's needs."""
    system.start()
    searches = max(2, times(6, scale))
    most, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(0.05):
            most[0] = max([most[0], *(_rss(child) for child in system.children())])

    watching = threading.Thread(target=look)
    watching.start()
    try:
        cap = int(system.settings["HSTAR_CAP_MEMORY_MIB"])
        bodies = [long(system.chance.randrange(10_000)) | {"limits": {"memory_mib": cap}} for _ in range(searches)]
        system.client.submit_all(bodies)
        system.calm()
        system.check(90)
    finally:
        ended.set()
        watching.join()
    allowed = cap + PROCESS_MIB
    system.note(f"most memory of a process {most[0] / 2**20:.0f} MiB of {allowed}")
    if not allowed // 2 < most[0] / 2**20 <= allowed:
        raise Violation(f"a process had {most[0] / 2**20:.0f} MiB; {allowed} were allowed")
    return searches


def cancelled_at_random(system: System, scale: float) -> int:
    """500 cancellations at random moments between submission and end."""
    system.start()
    count = times(500, scale)
    bodies = mixed(system, count, 0.5)
    threads = []
    for body in bodies:
        job_id = system.client.submit(body)
        timer = threading.Timer(system.chance.expovariate(2.0), system.client.cancel, [job_id])
        timer.start()
        threads.append(timer)
    for timer in threads:
        timer.join()
    return count


def queued_before_workers(system: System, scale: float) -> int:
    """10,000 jobs are queued before the first worker starts."""
    system.start(workers=0)
    count = times(10_000, scale)
    requests = [SolveRequest.model_validate(body) for body in mixed(system, 50, 0.0)]
    news = [submission.NewSolve(request, question(prepare(request))) for request in requests]
    for start in range(0, count, 500):
        some = [
            submission.NewSolve(news[i % 50].request, news[i % 50].question)
            for i in range(start, min(start + 500, count))
        ]
        system.sessions.run(lambda session: submission.submit_many(session, some))  # noqa: B023
        system.client.accepted |= {f"bulk-{new.id}": new.id for new in some}
    system.start(api=False, sweeper=False)
    return 1


def turns(system: System, scale: float) -> int:
    """Ann has ten searches of 600 s and the only slot, Bob now and then a job of three seconds: each ends within ten
    seconds, and Ann's search goes on where it was, in the process and the attempt in which it began."""
    system.start(api=False, concurrency=4)
    huge = SolveRequest(puzzle="megaminx", random=1, moves="single", algorithm="anytime")
    long = [_submit(system, huge, "ann") for _ in range(10)]
    first = _some_running(system)[0]
    slowest = 0.0
    jobs = times(10, scale)
    for number in range(jobs):
        limits = LimitsIn(seconds=3)
        began = time.monotonic()
        short = _submit(system, huge.model_copy(update={"random": number + 2, "limits": limits}), "bob")
        wait_until(lambda: _state(system, short).final, "a job of three seconds to end", 60, pause=0.05)  # noqa: B023
        slowest = max(slowest, time.monotonic() - began)
        time.sleep(system.chance.uniform(0, 5))
    system.note(f"the slowest job of 3 s took {slowest:.1f} s")
    if first not in _running(system):
        raise Violation("Ann's first search does not go on in the process and the attempt in which it began")
    if slowest > TURN_SECONDS:
        raise Violation(f"a job of three seconds took {slowest:.1f} s")
    for one in long:
        system.sessions.run(lambda session: machine.request_cancel(session, one))  # noqa: B023
        system.bell.cancel(one)
    return jobs


def _submit(system: System, request: SolveRequest, owner: str) -> str:
    new = submission.NewSolve(request, question(prepare(request)), owner)
    system.sessions.run(lambda session: submission.submit(session, new))
    system.bell.ring()
    system.client.accepted[new.id] = new.id
    return new.id


def _state(system: System, job_id: str) -> State:
    with system.sessions.read() as session:
        return session.scalars(select(Job.state).where(Job.id == job_id)).one()


def _rss(process: psutil.Process) -> int:
    with contextlib.suppress(psutil.Error):
        return int(process.memory_info().rss)
    return 0


EXPERIMENTS = (
    Experiment("children-killed", "SIGKILL for a process that searches, every 0.3 s, under 400 jobs", children_killed),
    Experiment("main-killed", "SIGKILL for a worker's main process; no orphans after 15 s; a new worker", main_killed),
    Experiment("stopped", "SIGSTOP past the lease, SIGCONT once another attempt runs", stopped_past_the_lease),
    Experiment("told-to-end", "SIGTERM for a worker during searches", told_to_end),
    Experiment("largest-killed", "SIGKILL for the process with most memory (> 200 MiB)", largest_killed),
    Experiment("full-memory", "the highest memory limit on every process; RSS below cap + 160 MiB", full_memory),
    Experiment(
        "turns",
        "one slot, ten searches of 600 s of one owner, jobs of 3 s of another: each within 10 s, and none begins anew",
        turns,
        settings={"HSTAR_PAUSED_SLOTS": "2"},
    ),
    Experiment("cancels", "500 cancels at random moments", cancelled_at_random),
    Experiment("late-workers", "10,000 jobs queued before the first worker", queued_before_workers),
)
