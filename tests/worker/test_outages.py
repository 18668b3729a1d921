"""Outages of Valkey and PostgreSQL: no job is lost or done twice."""

from __future__ import annotations

import pytest

from store.solves.status import Status
from tests.servers import PostgreSQL, Valkey, wait_until
from tests.worker.fleet import fleet, medium, quick


def test_valkey_may_lose_everything_while_jobs_are_queued(either_database_url: str) -> None:
    with Valkey() as valkey, fleet(either_database_url, valkey.url) as running:
        ids = [running.submit(quick(seed)) for seed in range(20)]
        valkey.kill()
        valkey.forget()
        valkey.start(valkey.port)
        running.worker()
        running.sweeper()
        rows = [running.wait(solve_id) for solve_id in ids]
    assert {(row.status, row.job.attempt) for row in rows} == {(Status.SOLVED, 1)}


def test_valkey_may_go_and_come_back_empty_under_a_running_worker(sqlite_url: str) -> None:
    with Valkey() as valkey, fleet(sqlite_url, valkey.url) as running:
        running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        running.wait_progress(solve_id)
        valkey.kill()
        valkey.forget()
        # Nobody receives these messages; the submissions are stored all the same.
        ids = [running.submit(quick(seed)) for seed in range(20)]
        assert {running.row(one).status for one in ids} <= {Status.QUEUED, Status.RUNNING, Status.SOLVED}
        # The search goes on without Valkey, and the process goes on to the others.
        assert running.wait(solve_id).status is Status.SOLVED
        for one in ids:
            assert running.wait(one).status is Status.SOLVED
        # Idle now, and without messages until Valkey is back; then the sweeper sends one.
        late = running.submit(quick(99))
        assert running.row(late).status is Status.QUEUED
        valkey.start(valkey.port)
        row = running.wait(late)
        assert (row.status, row.job.attempt) == (Status.SOLVED, 1)


@pytest.mark.parametrize("crash", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_postgresql_may_restart_during_a_solve(broker_url: str, crash: bool) -> None:
    with PostgreSQL() as own, fleet(own.create_database(), broker_url, HSTAR_LEASE_SECONDS="60") as running:
        worker = running.worker()
        running.sweeper()
        solve_id = running.submit(medium())
        running.wait_progress(solve_id)
        port = own.port
        (own.kill if crash else own.stop)()
        noticed = ("a heartbeat was missed", "cannot write the result; trying again")
        wait_until(lambda: any(map(worker.said, noticed)), "the worker to notice")
        own.start(port)
        row = running.wait(solve_id)
        assert (row.status, row.job.attempt, row.job.losses, row.length) == (Status.SOLVED, 1, 0, 34)
        assert running.wait(running.submit(quick())).status is Status.SOLVED


def test_a_sweeper_outlives_the_database(broker_url: str) -> None:
    with PostgreSQL() as own, fleet(own.create_database(), broker_url) as running:
        sweeper = running.sweeper()
        port = own.port
        own.kill()
        wait_until(lambda: sweeper.said("the database does not answer"), "the sweeper to notice")
        own.start(port)
        solve_id = running.submit(quick(), ring=False)
        running.worker()
        assert running.wait(solve_id).status is Status.SOLVED
        assert not sweeper.ended()
