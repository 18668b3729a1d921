"""Lost workers and worker processes: no job is lost or done twice."""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from store.database.clock import from_now
from store.jobs import machine
from store.jobs.models import Job
from store.solves.status import Status
from tests.servers import wait_until
from tests.worker.fleet import endless, fleet, long, medium, pace, process_of, quick


def test_a_killed_process_costs_an_attempt_and_nothing_else(either_database_url: str, broker_url: str) -> None:
    with fleet(either_database_url, broker_url) as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        first = running.wait_progress(solve_id)
        assert first.job.attempt == 1
        killed = running.kill_child_of(first)
        running.lose(first)
        row = running.wait(solve_id)
        assert (row.status, row.job.attempt, row.job.losses, row.length) == (Status.SOLVED, 2, 1, 34)
        assert process_of(row) != killed
        # One result, which never changes again.
        before = running.answer(solve_id)
        assert running.wait(running.submit(quick())).status is Status.SOLVED
        assert running.answer(solve_id) == before


@pytest.mark.thorough
def test_a_layered_search_goes_on_from_its_last_checkpoint(
    either_database_url: str, broker_url: str, tmp_path: Path
) -> None:
    """Its counters are those of a search that was never killed, and nothing is left of its files."""
    board = [15, 8, 10, 7, 0, 12, 14, 1, 5, 9, 6, 3, 13, 11, 4, 2]  # number 84 of Korf's hundred
    request = SolveRequest(puzzle="15-puzzle", state=board, algorithm="layered", heuristic="manhattan")
    alone = solve(prepare(request))
    with fleet(either_database_url, broker_url, HSTAR_VAR=str(tmp_path)) as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(request)
        checkpoint = tmp_path / "layers" / solve_id / "checkpoint"
        wait_until(checkpoint.exists, "a checkpoint")
        first = running.row(solve_id)
        running.kill_child_of(first)
        assert checkpoint.exists()
        running.lose(first)
        row = running.wait(solve_id, seconds=300)
        assert (row.job.attempt, row.length, row.optimality) == (2, 55, "proven")
        counters = running.answer(solve_id).counters
        assert counters is not None
        assert counters.model_dump() == alone.counters.model_dump()
        assert not checkpoint.parent.exists()


def test_the_best_solution_survives_the_death_of_its_process(either_database_url: str, broker_url: str) -> None:
    """The next attempt begins with it, a cancel answers with it, and another one ends no worse."""
    request = endless()
    problem = prepare(request)
    with fleet(either_database_url, broker_url) as running:
        running.worker()
        solve_id = running.submit(request)
        best = running.wait_best(solve_id, len(running.wait_best(solve_id)))
        first = running.row(solve_id)
        running.kill_child_of(first)
        best = running.wait_best(solve_id)  # the last one that was written
        running.sweeper()
        running.lose(first)
        running.wait_attempt(solve_id, 2)
        shown = running.answer(solve_id).progress
        assert shown is not None
        assert shown.best is not None
        assert len(shown.best) <= len(best)
        running.wait_progress(solve_id)
        shown = running.answer(solve_id).progress
        assert shown is not None
        assert shown.best is not None
        assert (shown.best_length or 1000) <= len(best)
        running.cancel(solve_id)
        found = running.wait(solve_id)
        assert (found.status, found.job.attempt, found.optimality) == (Status.SOLVED, 2, "feasible")
        assert found.solution is not None
        assert len(found.solution) <= len(best)
        assert problem.is_solution(found.solution)
        assert 0 < problem.root_bound() <= (found.lower_bound or 0) < len(found.solution)


def test_a_job_that_kills_its_process_three_times_has_failed(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(long())
        for attempt in (1, 2, 3):
            row = running.wait_attempt(solve_id, attempt)
            running.kill_child_of(row)
            running.lose(row)
        row = running.wait(solve_id)
        assert (row.status, row.job.attempt, row.job.losses) == (Status.FAILED, 3, 3)
        assert row.job.error is not None
        assert row.job.error.startswith("worker_lost")
        assert running.wait(running.submit(quick())).status is Status.SOLVED


def test_a_killed_worker_leaves_its_jobs_to_another(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        first = running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        row = running.wait_progress(solve_id)
        first.send(signal.SIGKILL)
        running.lose(row)
        running.worker()
        row = running.wait(solve_id)
        # The searching process may have noticed the death before it was killed, too, and handed the job back.
        assert (row.status, row.job.attempt) == (Status.SOLVED, 2)
        assert row.job.losses in (0, 1)


def test_a_cancelled_job_whose_process_dies_is_not_run_again(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(long())
        row = running.wait(solve_id, Status.RUNNING)
        # The process is stopped, so that it cannot notice the cancel before it dies.
        running.freeze(row)
        running.cancel(solve_id)
        running.kill_child_of(row)
        running.lose(row)
        assert running.wait(solve_id).status is Status.CANCELLED


def test_a_process_that_stood_still_too_long_drops_its_result(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        first = running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        row = running.wait_progress(solve_id)
        stopped = running.freeze(row)
        running.worker()
        running.lose(row)
        running.wait_attempt(solve_id, 2)
        os.kill(stopped, signal.SIGCONT)
        row = running.wait(solve_id)
        assert (row.status, row.job.attempt, row.job.losses) == (Status.SOLVED, 2, 1)
        assert process_of(row) != stopped
        wait_until(lambda: first.said("the result is dropped"), "the first process to notice")


def test_any_number_of_sweepers_may_run(either_database_url: str, broker_url: str) -> None:
    with fleet(either_database_url, broker_url, HSTAR_PACE=pace(sweep_seconds=0.1)) as running:
        sweepers = [running.sweeper() for _ in range(2)]
        ids = [running.submit(quick(seed)) for seed in range(10)]
        # Claimed by workers that are dead: only sweepers can queue these again.
        for _ in ids:
            ghost = running.sessions.run(lambda session: machine.claim_next(session, "ghost:0:0", timedelta(hours=1)))
            assert ghost is not None
        with running.sessions.write() as session:  # all leases run out at once, and the sweepers compete for the jobs
            session.execute(update(Job).values(lease_until=from_now(timedelta(seconds=-1))))
        running.worker(concurrency=2)
        rows = [running.wait(solve_id) for solve_id in ids]
        assert {(row.status, row.job.attempt, row.job.losses) for row in rows} == {(Status.SOLVED, 2, 1)}
        for sweeper in sweepers:
            assert not sweeper.said("Traceback")
            sweeper.send(signal.SIGTERM)
        wait_until(lambda: all(sweeper.ended() for sweeper in sweepers), "the sweepers to end")
        assert [sweeper.process.returncode for sweeper in sweepers] == [0, 0]
