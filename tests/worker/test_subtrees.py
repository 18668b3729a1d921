"""One solve that several processes search together: nodes are counted once, whoever is lost."""

from __future__ import annotations

import os
import signal

import pytest
from sqlalchemy import select

from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from store.jobs import queries
from store.jobs.models import Job
from store.jobs.states import FINAL, State
from store.owners.principal import SYSTEM
from tests.servers import wait_until
from tests.worker.fleet import Fleet, fleet, process_of

# Number 83, 1 and 60 of Korf's hundred: 66, 276 and 3,338 million nodes by Manhattan distance.
SHORT = [12, 3, 9, 1, 4, 5, 10, 2, 6, 11, 15, 0, 14, 7, 13, 8]
LONGER = [14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3]
ENDLESS = [11, 14, 13, 1, 2, 3, 12, 4, 15, 7, 9, 5, 10, 6, 8, 0]


def shared(board: list[int], **changed: object) -> SolveRequest:
    fields = {"puzzle": "15-puzzle", "state": {"tiles": board}, "algorithm": "ida_star", "heuristic": "manhattan"}
    return SolveRequest.model_validate({**fields, "workers": 2, **changed})


def parts(running: Fleet, solve_id: str) -> list[Job]:
    with running.sessions.read() as session:
        return list(session.scalars(select(Job).where(Job.parent == solve_id)))


def check(running: Fleet, solve_id: str, request: SolveRequest) -> None:
    """The answer is that of a search alone, and so are its nodes before the last iteration."""
    alone, found = solve(prepare(request), threads=2), running.answer(solve_id)
    assert (found.length, found.optimality) == (alone.length, "proven")
    assert found.counters is not None
    assert found.counters.expanded_before_last_layer == alone.counters.expanded_before_last_layer
    wait_until(lambda: {job.state for job in parts(running, solve_id)} <= FINAL, "no part to be left")


def test_processes_search_together(sqlite_url: str, broker_url: str) -> None:
    request = shared(SHORT)
    with fleet(sqlite_url, broker_url) as running:
        running.worker(concurrency=2)
        running.sweeper()
        solve_id = running.submit(request)
        row = running.wait(solve_id)
        check(running, solve_id, request)
        done = [job for job in parts(running, solve_id) if job.state is State.DONE]
        assert done
        assert {job.worker for job in done} - {row.job.worker}
        with running.sessions.read() as session:
            listed, _ = queries.list_jobs(session, SYSTEM)
        assert [job.id for job in listed] == [solve_id]


def test_the_parts_of_a_cancelled_solve_end(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        running.worker(concurrency=2)
        running.sweeper()
        solve_id = running.submit(shared(ENDLESS))
        wait_until(lambda: any(job.state is State.RUNNING for job in parts(running, solve_id)), "a part to run", 60)
        running.cancel(solve_id)
        assert running.wait(solve_id).job.state is State.CANCELLED
        wait_until(lambda: {job.state for job in parts(running, solve_id)} <= FINAL, "its parts to end")


def test_the_parts_of_a_solve_that_is_lost_for_good_end(sqlite_url: str, broker_url: str) -> None:
    """Nobody is left who would cancel them but the sweeper."""
    with fleet(sqlite_url, broker_url) as running:
        running.worker(concurrency=2)
        solve_id = running.submit(shared(ENDLESS))
        wait_until(lambda: any(job.state is State.RUNNING for job in parts(running, solve_id)), "a part to run", 60)
        row = running.row(solve_id)
        running.freeze(row)
        running.cancel(solve_id)
        running.kill_child_of(row)
        running.sweeper()
        running.lose(row)
        assert running.wait(solve_id).job.state is State.CANCELLED
        wait_until(lambda: {job.state for job in parts(running, solve_id)} <= FINAL, "its parts to end")


@pytest.mark.thorough
def test_who_is_killed_costs_its_subtree_and_nothing_is_counted_twice(
    either_database_url: str, broker_url: str
) -> None:
    """First a process that searches a subtree, then the one that shares the search."""
    request = shared(LONGER, workers=3, limits=LimitsIn(memory_mib=64).model_dump())
    with fleet(either_database_url, broker_url) as running:
        running.worker(concurrency=3)
        running.sweeper()
        solve_id = running.submit(request)

        def begun() -> list[Job]:
            return [job for job in parts(running, solve_id) if job.state is State.RUNNING]

        wait_until(lambda: bool(begun()), "a part to run", 60)
        killed = begun()[0]
        assert killed.worker is not None
        os.kill(int(killed.worker.split(":")[1]), signal.SIGKILL)
        row = running.row(solve_id)
        os.kill(process_of(row), signal.SIGKILL)
        running.lose(row)
        running.wait_attempt(solve_id, 2)
        for job in begun():
            if job.worker == killed.worker:
                running.lose_job(job)
        assert running.wait(solve_id, seconds=300).job.attempt == 2
        check(running, solve_id, request)
