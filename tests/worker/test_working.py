"""From a queued row to an answer, with a real worker."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import answer, prepare, solve
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.solves.status import Status
from tests.conftest import TEST_ALL
from tests.servers import Valkey, wait_until
from tests.worker.fleet import Fleet, fleet, long, pace, quick

# Facts of the run, not of the search.
OF_THE_RUN = {"id", "owner", "about", "attempt", "created_at", "started_at", "finished_at", "seconds", "peak_bytes"}


@pytest.fixture(scope="module", params=["postgresql", "sqlite"] if TEST_ALL else ["postgresql"])
def shared(request: pytest.FixtureRequest, valkey: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """One worker with one process, shared by tests that leave it unchanged."""
    url = f"sqlite:///{tmp_path_factory.mktemp('shared') / 'hstar.db'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgresql").create_database(migrated=True)
    with fleet(url, valkey.url) as running:
        running.worker()
        yield running


def test_answers_are_the_librarys_own(shared: Fleet) -> None:
    requests = [
        *(quick(seed, tags={"seed": str(seed)}) for seed in range(6)),
        SolveRequest(puzzle="8-puzzle", scramble=ScrambleIn(k=30, seed=3), heuristic="manhattan"),
        SolveRequest(puzzle="8-puzzle", scramble=ScrambleIn(k=30, seed=3), heuristic="manhattan", weight=2.5),
        SolveRequest(puzzle="megaminx", alg=""),
        SolveRequest(puzzle="megaminx", scramble=ScrambleIn(k=7, seed=1), algorithm="auto"),
        SolveRequest(puzzle="megaminx", scramble=ScrambleIn(k=5, seed=1), heuristic='pdb("corners:2")'),
        quick(7, limits={"expanded": 1}),
        quick(8, limits={"seconds": 0.0}),
    ]
    ids = [shared.submit(request) for request in requests]
    for solve_id, request in zip(ids, requests, strict=True):
        row = shared.wait(solve_id)
        assert (row.job.attempt, row.job.losses) == (1, 0)
        problem = prepare(request)
        expected = answer(problem, solve(problem))
        found = shared.answer(solve_id)
        assert found.model_dump(exclude=OF_THE_RUN) == expected.model_dump(exclude=OF_THE_RUN)
        assert found.created_at is not None
        assert found.started_at is not None
        assert found.finished_at is not None
        assert found.created_at <= found.finished_at
    statuses = [shared.row(solve_id).status for solve_id in ids]
    assert statuses == [Status.SOLVED] * 11 + [Status.LIMIT_REACHED] * 2


def test_a_long_solve_shows_progress_and_is_cancelled_at_once(either_database_url: str, broker_url: str) -> None:
    # Two heartbeats in a lease of an hour: neither explains why the cancel is noticed soon.
    with fleet(
        either_database_url,
        broker_url,
        HSTAR_LEASE_SECONDS="3600",
        HSTAR_PACE=pace(heartbeat_seconds=0.5, sweep_seconds=60),
    ) as running:
        running.worker()
        solve_id = running.submit(long())
        seen = [running.expanded(running.wait_progress(solve_id))]
        for _ in range(3):
            wait_until(lambda: running.expanded(running.row(solve_id)) > seen[-1], "more progress", seconds=30)
            seen.append(running.expanded(running.row(solve_id)))
        polled = running.answer(solve_id)
        assert polled.status == "running"
        assert polled.progress is not None
        assert polled.progress.generated > polled.progress.expanded > 0
        assert polled.progress.stored > 0
        assert polled.progress.bytes > 0
        assert (polled.progress.lower_bound or 0) > 0

        assert running.cancel(solve_id) is State.RUNNING
        row = running.wait(solve_id, Status.CANCELLED, seconds=30)
        assert row.job.attempt == 1
        assert row.answer.counters is not None
        assert row.answer.counters.expanded >= seen[-1]
        assert (row.lower_bound or 0) > 0
        assert row.solution is None
        # And the process goes on.
        assert running.wait(running.submit(quick())).status is Status.SOLVED


def test_a_cancel_comes_by_the_channel_before_any_beat(sqlite_url: str, broker_url: str) -> None:
    with fleet(sqlite_url, broker_url, HSTAR_LEASE_SECONDS="3600", HSTAR_PACE=pace(heartbeat_seconds=1200)) as running:
        running.worker()
        solve_id = running.submit(long())
        running.wait(solve_id, Status.RUNNING)
        running.cancel(solve_id)
        assert running.wait(solve_id).status is Status.CANCELLED


def test_without_redis_the_beat_brings_the_cancel(shared: Fleet) -> None:
    solve_id = shared.submit(long())
    shared.wait(solve_id, Status.RUNNING)
    shared.sessions.run(lambda session: machine.request_cancel(session, solve_id))
    assert shared.wait(solve_id).status is Status.CANCELLED


def test_a_solve_waits_for_its_databases_and_can_be_cancelled_meanwhile(
    sqlite_url: str, broker_url: str, tmp_path: Path
) -> None:
    """Two workers need the same tables: one builds them, both show the progress, and both notice a cancel."""
    # Half a GiB, which takes a minute to build; the test does not wait for that.
    request = SolveRequest(
        puzzle="megaminx",
        scramble=ScrambleIn(k=3, seed=1),
        heuristic='pdb("edges:5")',
        algorithm="ida_star",
        limits=LimitsIn(memory_mib=2048),
    )
    with fleet(sqlite_url, broker_url, HSTAR_DATABASES=str(tmp_path / "tables")) as running:
        running.worker(concurrency=2)
        ids = [running.submit(request) for _ in range(2)]
        for solve_id in ids:

            def builds(solve_id: str = solve_id) -> bool:
                shown = running.answer(solve_id).progress
                return shown is not None and shown.building is not None

            wait_until(builds, "a build", seconds=60)
        shown = {running.answer(solve_id).progress for solve_id in ids}
        assert sum("by another process" in str(progress and progress.building) for progress in shown) == 1
        assert running.row(ids[0]).status is Status.RUNNING
        for solve_id in ids:
            running.cancel(solve_id)
        for solve_id in ids:
            row = running.wait(solve_id, Status.CANCELLED, seconds=30)
            assert row.lower_bound == 3
        assert not list((tmp_path / "tables").glob("*.pdb"))
        assert running.wait(running.submit(quick())).status is Status.SOLVED


def test_full_memory_ends_the_search_and_not_the_worker(shared: Fleet) -> None:
    solve_id = shared.submit(long(memory_mib=256))
    following = shared.submit(quick())
    row = shared.wait(solve_id)
    assert (row.status, row.limit) == (Status.LIMIT_REACHED, "memory")
    assert (row.lower_bound or 0) > 0
    assert row.peak_bytes is not None
    assert 200 * 2**20 < row.peak_bytes <= 256 * 2**20
    assert row.answer.counters is not None
    assert row.answer.counters.expanded > 0
    after = shared.wait(following)
    assert after.status is Status.SOLVED
    assert after.job.worker == row.job.worker, "the same process"


def test_a_request_that_cannot_be_run_fails_alone(either_database_url: str, broker_url: str) -> None:
    poison = {
        "not json {": "Invalid JSON",
        '{"puzzle": "megaminx", "alg": ""': "Invalid JSON",
        '{"puzzle": "no-such-puzzle", "alg": ""}': "no-such-puzzle",
        '{"puzzle": "megaminx", "alg": "U", "heuristic": "1 / 0 +"}': "column",
        '{"puzzle": "megaminx", "alg": "U", "unknown": 1}': "unknown",
        "null": "valid",
        "": "Invalid JSON",
    }
    with fleet(either_database_url, broker_url) as running:
        ids = [running.submit(quick(), ring=False) for _ in poison]
        for solve_id, request in zip(ids, poison, strict=True):
            running.sessions.run(
                lambda session: session.execute(
                    update(Job).where(Job.id == solve_id).values(request=request)  # noqa: B023
                )
            )
        healthy = running.submit(quick())
        running.worker()
        for solve_id, (request, reason) in zip(ids, poison.items(), strict=True):
            row = running.wait(solve_id)
            assert (row.status, row.job.attempt) == (Status.FAILED, 1), request
            assert row.job.error is not None
            assert reason in row.job.error, (request, row.job.error)
        assert running.wait(healthy).status is Status.SOLVED


def test_many_jobs_on_many_processes_run_once_each(sqlite_url: str, broker_url: str) -> None:
    """On the database on which they can block each other."""
    with fleet(sqlite_url, broker_url) as running:
        running.worker(concurrency=2)
        running.worker(concurrency=2)
        ids = [running.submit(quick(seed)) for seed in range(120)]
        rows = [running.wait(solve_id) for solve_id in ids]
    assert {(row.status, row.job.attempt, row.job.losses) for row in rows} == {(Status.SOLVED, 1, 0)}
    assert {row.length for row in rows} == {3}


def test_what_a_worker_has_imported_is_left_to_no_collection_in_the_midst_of_a_search() -> None:
    program = (
        "import gc; from worker import app; app.signals.worker_init.disconnect(app._make_slots);"
        "app.signals.worker_init.send(sender=None); print(gc.get_freeze_count())"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert int(told.stdout) > 50_000
