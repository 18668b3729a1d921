"""Warm shutdown: the running job goes back into the queue without counting a loss, and the next worker takes it."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hstar.schema import SolveRequest
from store.doorbell import QUEUE
from store.jobs import machine
from store.solves.status import Status
from tests.servers import wait_until
from tests.worker.fleet import endless, fleet, long, medium, pace, process_of, quick, shortening


@pytest.mark.parametrize(
    ("number", "group"),
    [
        pytest.param(signal.SIGTERM, False, id="SIGTERM-main"),
        pytest.param(signal.SIGINT, True, id="SIGINT-group"),
        pytest.param(signal.SIGTERM, True, id="SIGTERM-group", marks=pytest.mark.thorough),
        pytest.param(signal.SIGINT, False, id="SIGINT-main", marks=pytest.mark.thorough),
    ],
)
def test_running_work_is_handed_back(sqlite_url: str, broker_url: str, number: signal.Signals, group: bool) -> None:
    # With a lease of an hour, only the hand-back can queue the job again. The command itself where a terminal's Ctrl-C
    # reaches all its processes.
    with fleet(sqlite_url, broker_url, real=group, HSTAR_LEASE_SECONDS="3600") as running:
        worker = running.worker(concurrency=2)
        solve_id = running.submit(long())
        running.wait_progress(solve_id)
        worker.send(number, group=group)
        row = running.wait(solve_id, Status.QUEUED)
        assert (row.job.attempt, row.job.losses, row.job.started_at, row.job.has_progress) == (1, 0, None, False)
        assert running.answer(solve_id).progress is None
        wait_until(worker.ended, "the worker to end")
        assert worker.said("handed back")

        # The hand-back sent a wake-up message, so the next worker starts the job; no sweeper runs here.
        running.worker()
        row = running.wait(solve_id, Status.RUNNING)
        assert (row.job.attempt, row.job.losses) == (2, 0)
        running.cancel(solve_id)
        assert running.wait(solve_id).status is Status.CANCELLED


@pytest.mark.parametrize("asked", [endless, shortening])
def test_an_answer_that_could_be_better_is_handed_back(
    sqlite_url: str, broker_url: str, asked: Callable[[], SolveRequest]
) -> None:
    """A worker that stops is no reason to answer with the best so far; the next one begins with it."""
    with fleet(sqlite_url, broker_url, HSTAR_LEASE_SECONDS="3600") as running:
        worker = running.worker()
        solve_id = running.submit(asked())
        best = running.wait_best(solve_id)
        worker.send(signal.SIGTERM)
        row = running.wait(solve_id, Status.QUEUED)
        wait_until(worker.ended, "the worker to end")
        assert (row.job.attempt, row.job.losses) == (1, 0)
        shown = running.answer(solve_id).progress
        assert shown is not None
        assert shown.best is not None
        assert len(shown.best) <= len(best)
        assert shown.expanded == 0
        # What is cancelled before anybody goes on with it still shows it.
        running.cancel(solve_id)
        cancelled = running.answer(solve_id)
        assert cancelled.status == "cancelled"
        assert cancelled.progress is not None
        assert cancelled.progress.best == shown.best


def test_a_stopping_worker_claims_no_more(either_database_url: str, broker_url: str) -> None:
    with fleet(either_database_url, broker_url, HSTAR_LEASE_SECONDS="3600") as running:
        worker = running.worker()
        ids = [running.submit(long()), *(running.submit(quick(seed)) for seed in range(10))]
        running.wait_progress(ids[0])
        worker.send(signal.SIGTERM)
        wait_until(worker.ended, "the worker to end")
        assert {running.row(solve_id).status for solve_id in ids} == {Status.QUEUED}
        assert [running.row(solve_id).job.attempt for solve_id in ids] == [1] + [0] * 10


def test_a_drained_worker_ends_its_job_and_takes_no_other_until_it_starts_again(
    either_database_url: str, broker_url: str
) -> None:
    with fleet(either_database_url, broker_url, HSTAR_QUICK_SLOTS="1", HSTAR_PAUSED_SLOTS="1") as running:
        running.worker(concurrency=3)
        first = running.submit(endless())
        running.wait_progress(first)
        drained = running._start([sys.executable, "-m", "store", "drain"], {})
        sign = Path(running.environment["HSTAR_VAR"]) / f"draining-{socket.gethostname()}"
        wait_until(sign.exists, "it to be drained")
        second = running.submit(quick(), owner="ann")
        # A process looks for it, in vain.
        wait_until(lambda: running.bell._redis.llen(QUEUE) == 0, "the message to be taken")
        assert not drained.ended()
        assert [running.row(one).job.attempt for one in (first, second)] == [1, 0]
        running.cancel(first)
        wait_until(drained.ended, "the last job to end")
        assert (drained.process.returncode, drained.said("0 jobs run")) == (0, True)
        assert [running.row(one).job.attempt for one in (first, second)] == [1, 0]
        running.worker()
        assert running.wait(second).status is Status.SOLVED


def test_a_drain_that_takes_too_long_says_so(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url) as running:
        running.worker()
        running.wait_progress(running.submit(endless()))
        drained = running._start([sys.executable, "-m", "store", "drain", "--seconds", "0.1"], {})
        wait_until(drained.ended, "it to give up")
        assert (drained.process.returncode, drained.said("1 jobs run")) == (1, True)


def test_an_idle_worker_ends_on_a_signal_to_its_group(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url, real=True) as running:
        worker = running.worker(concurrency=2)
        assert running.wait(running.submit(quick())).status is Status.SOLVED
        worker.send(signal.SIGTERM, group=True)
        wait_until(worker.ended, "the worker to end")
        assert worker.process.returncode == 0


def test_a_process_that_gets_a_signal_hands_its_job_back_and_is_replaced(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url, HSTAR_LEASE_SECONDS="3600") as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        row = running.wait_progress(solve_id)
        os.kill(process_of(row), signal.SIGTERM)
        row = running.wait(solve_id)
        assert (row.status, row.job.attempt, row.job.losses) == (Status.SOLVED, 2, 0)


def test_a_cancelled_job_is_not_handed_back(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url, HSTAR_LEASE_SECONDS="3600", HSTAR_PACE=pace(heartbeat_seconds=1200)) as running:
        worker = running.worker()
        solve_id = running.submit(long())
        running.wait(solve_id, Status.RUNNING)
        # Only the flag, without the message: the process does not know of it when it stops.
        running.sessions.run(lambda session: machine.request_cancel(session, solve_id))
        worker.send(signal.SIGTERM)
        assert running.wait(solve_id).status is Status.CANCELLED
        wait_until(worker.ended, "the worker to end")


def test_a_sweeper_ends_at_once(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url, real=True, HSTAR_PACE=pace(sweep_seconds=3000)) as running:
        sweeper = running.sweeper()
        sweeper.send(signal.SIGTERM, group=True)
        wait_until(sweeper.ended, "the sweeper to end")
        assert sweeper.process.returncode == 0
