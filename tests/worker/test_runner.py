"""The runner and its lease keeper in this process: the code paths of faults."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import hstar.search
import worker.kinds.solve
from hstar.databases.files import TableFile
from hstar.schema import Solve, SolveRequest
from store.database import Sessions
from store.doorbell import Doorbell
from store.jobs import machine
from store.jobs.models import Job
from store.jobs.states import State
from store.settings import Settings
from store.solves.status import Status
from tests.servers import wait_until
from tests.worker.fleet import Fleet, long, quick
from worker.cancel_listener import CancelListener
from worker.kinds import forget
from worker.kinds.kind import Work
from worker.lease_keeper import LeaseKeeper
from worker.runner import Runner
from worker.stopping import StopReason

LEASE = timedelta(seconds=30)


@pytest.fixture
def fleet(database_url: str, broker_url: str) -> Iterator[Fleet]:
    """A database and a `Doorbell`, without processes."""
    with Fleet(database_url, broker_url) as made:
        yield made


@pytest.fixture
def runner(fleet: Fleet) -> Iterator[Runner]:
    made = Runner(Settings.from_env({k: v for k, v in fleet.environment.items() if k.startswith("HSTAR_")}))
    yield made
    made.close()


def claim(sessions: Sessions, worker: str = "me:1:1", lease: timedelta = LEASE) -> machine.Claim:
    claimed = sessions.run(lambda session: machine.claim_next(session, worker, lease))
    assert claimed is not None
    return claimed


def test_a_drained_queue_is_empty(fleet: Fleet, runner: Runner) -> None:
    ids = [fleet.submit(quick(seed), ring=False) for seed in range(5)]
    assert runner.drain() == 5
    assert runner.drain() == 0
    assert {fleet.row(solve_id).status for solve_id in ids} == {Status.SOLVED}
    assert {fleet.row(solve_id).job.worker for solve_id in ids} == {runner.name}


def test_files_of_layered_searches_that_have_ended_elsewhere_are_deleted(fleet: Fleet, runner: Runner) -> None:
    runs, cancelled = fleet.submit(quick(1), ring=False), fleet.submit(quick(2), ring=False)
    left = runner._settings.var / "layers"
    for name in (runs, cancelled, "deleted"):
        (left / name).mkdir(parents=True)
    fleet.cancel(cancelled)
    runner.delete_layers()
    assert [path.name for path in left.iterdir()] == [runs]


def test_tables_for_which_there_is_no_room_leave_with_their_job(
    fleet: Fleet, runner: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def tables() -> set[Path | None]:
        gc.collect()
        return {one.path for one in gc.get_objects() if isinstance(one, TableFile)}

    forget()
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    monkeypatch.setenv("HSTAR_DATABASES_MIB", "0")
    ids = [fleet.submit(quick(seed, heuristic='pdb("corners:2")'), ring=False) for seed in range(2)]
    assert runner.drain() == 2
    # The lease keeper's thread may refer to the job until its next check.
    wait_until(lambda: tables() == set(), "the tables to be gone", pause=0.2)
    # A table with a file is memory-mapped, shared, and kept for the next job.
    monkeypatch.delenv("HSTAR_DATABASES_MIB")
    ids.append(fleet.submit(quick(2, heuristic='pdb("corners:2")'), ring=False))
    assert runner.drain() == 1
    assert tables() == {*tmp_path.glob("*.pdb")} != set()
    assert {fleet.row(solve_id).status for solve_id in ids} == {Status.SOLVED}


def test_an_unexpected_error_fails_the_job_and_spares_the_next(
    fleet: Fleet, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, healthy = fleet.submit(quick(1), ring=False), fleet.submit(quick(2), ring=False)
    solve = hstar.search.solve
    calls: list[int] = []

    def once_broken(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("a bug")
        return solve(*given, **named)

    monkeypatch.setattr(worker.kinds.solve, "solve", once_broken)
    assert runner.drain() == 2
    assert fleet.row(broken).status is Status.FAILED
    assert fleet.row(broken).job.error == "internal error: RuntimeError: a bug"
    assert fleet.row(healthy).status is Status.SOLVED


def test_a_result_that_the_database_refuses_is_a_failure_with_its_reason(
    fleet: Fleet, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, healthy = fleet.submit(quick(1), ring=False), fleet.submit(quick(2), ring=False)
    answer = hstar.search.answer
    calls: list[int] = []

    def without_solution(*given: Any) -> Solve:
        calls.append(1)
        return answer(*given).model_copy(update={"solution": None} if len(calls) == 1 else {})

    monkeypatch.setattr(worker.kinds.solve, "answer", without_solution)
    assert runner.drain() == 2
    row = fleet.row(refused)
    assert (row.status, row.job.attempt) == (Status.FAILED, 1)
    assert row.job.error is not None
    assert "ck_solves_solution" in row.job.error
    assert fleet.row(healthy).status is Status.SOLVED


def test_tables_for_which_there_was_no_time_are_built_for_later_solves(
    fleet: Fleet, runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    monkeypatch.setattr("hstar.databases.base.Table.build_seconds", 60.0)
    forget()  # of tables that another test has in memory
    plan = [{"method": "ida_star", "heuristic": 'pdb("4-4")'}, {"method": "ida_star"}]
    asked = SolveRequest.model_validate({"puzzle": "8-puzzle", "random": 5, "plan": plan, "limits": {"seconds": 30}})
    ids = [fleet.submit(asked, ring=False) for _ in range(2)]
    assert runner.drain() == 3  # two solves, and one build
    assert {fleet.row(solve_id).status for solve_id in ids} == {Status.SOLVED}
    with fleet.sessions.read() as session:
        (build,) = session.scalars(select(Job).where(Job.kind == "database"))
        assert (build.state, build.owner, build.priority) == (State.DONE, fleet.row(ids[0]).job.owner, -50)
        assert '"pattern":"4-4"' in build.request
    assert list(tmp_path.glob("*.pdb"))


def test_a_runner_that_stops_hands_back_and_claims_no_more(fleet: Fleet, runner: Runner) -> None:
    first, second = fleet.submit(long(), ring=False), fleet.submit(quick(), ring=False)
    thread = threading.Thread(target=runner.drain)
    thread.start()
    fleet.wait_progress(first)
    runner.stop(StopReason.SHUTDOWN)
    runner.stop(StopReason.SHUTDOWN)
    thread.join(30)
    assert not thread.is_alive()
    assert (fleet.row(first).status, fleet.row(first).job.attempt) == (Status.QUEUED, 1)
    assert fleet.row(second).status is Status.QUEUED
    assert runner.drain() == 0


def test_a_lease_that_was_lost_ends_the_search_and_drops_the_result(fleet: Fleet, runner: Runner) -> None:
    solve_id = fleet.submit(long(), ring=False)
    thread = threading.Thread(target=runner.drain)
    thread.start()
    fleet.wait_progress(solve_id)
    # Another worker has the job now.
    with fleet.sessions.write() as session:
        held = machine.Claim(solve_id, 1, runner.name, "", "solve")
        assert machine.release(session, held)
        taken = machine.claim_next(session, "other:1:1", LEASE)
    thread.join(30)
    assert not thread.is_alive()
    row = fleet.row(solve_id)
    assert (row.status, row.job.attempt, row.job.worker) == (Status.RUNNING, 2, "other:1:1")
    assert taken is not None
    assert row.answer.counters is None


@pytest.fixture
def keeper(fleet: Fleet) -> Iterator[LeaseKeeper]:
    made = LeaseKeeper(fleet.sessions, lease=LEASE, interval=0.05)
    yield made
    made.close()


def test_the_lease_is_kept(fleet: Fleet, keeper: LeaseKeeper) -> None:
    solve_id = fleet.submit(quick(), ring=False)
    claimed = claim(fleet.sessions, lease=timedelta(seconds=1))
    first = fleet.row(solve_id).job.lease_until
    assert first is not None
    with keeper.keeping(claimed, Work()) as watch:
        wait_until(lambda: (fleet.row(solve_id).job.lease_until or first) > first + LEASE / 2, "a beat")
        assert not watch.lost
        assert not watch.cancel_requested

    def stays() -> bool:
        before = fleet.row(solve_id).job.lease_until
        threading.Event().wait(0.3)
        return fleet.row(solve_id).job.lease_until == before

    # A heartbeat that was under way at the end of the block is still written.
    wait_until(stays, "the end of the heartbeats, since it is kept for a running job only")


def test_a_heartbeat_that_fails_is_not_the_last(fleet: Fleet, keeper: LeaseKeeper) -> None:
    fleet.submit(quick(), ring=False)
    claimed = claim(fleet.sessions)
    failed = threading.Event()

    def broken() -> Any:
        failed.set()
        raise RuntimeError("no progress")

    work = Work(progress=broken)
    with keeper.keeping(claimed, work) as watch:
        assert failed.wait(30)
        work.progress = None
        fleet.sessions.run(lambda session: machine.request_cancel(session, claimed.id))
        wait_until(lambda: work.control.cancelled, "the cancel")
        assert watch.cancel_requested
        assert not watch.lost


def test_a_cancel_for_another_job_does_not_cancel_this_one(fleet: Fleet) -> None:
    bell = Doorbell(fleet.environment["HSTAR_BROKER_URL"])
    slow = LeaseKeeper(fleet.sessions, lease=timedelta(hours=1), interval=600)
    listener = CancelListener(bell, slow)
    mine, other = fleet.submit(quick(1), ring=False), fleet.submit(quick(2), ring=False)
    claimed = claim(fleet.sessions)
    assert claimed.id == mine
    work = Work()
    with slow.keeping(claimed, work) as watch:
        # Until the listener is subscribed, and a little longer.
        wait_until(lambda: int(bell._redis.pubsub_numsub("hstar:cancel")[0][1]) == 1, "the listener")
        fleet.cancel(other)
        bell.cancel(mine)
        threading.Event().wait(0.3)
        assert not work.control.cancelled, "a message without the flag in the row is nothing"
        fleet.cancel(mine)
        wait_until(lambda: work.control.cancelled, "the cancel")
        assert watch.cancel_requested
    listener.close()
    slow.close()
    bell.close()
