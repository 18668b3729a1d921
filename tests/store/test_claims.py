"""The choice of jobs: priority, fairness, and many simultaneous claims."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event, text

from hstar.schema import Limits, Solve, SolveRequest
from store.database import Sessions, Transaction, make_engine, make_sessions
from store.jobs import machine
from store.jobs.choice import FAIREST, Among
from store.jobs.machine import Claim, FollowingClaim
from store.jobs.models import Job
from store.jobs.states import State
from store.owners import keys
from store.owners.roles import Role
from store.solves import answers, submission
from store.solves.status import Status
from tests.store.builders import LEASE, answer, claim, end, must_claim, new_solve, row, solve_of, submit


def test_a_claim_carries_the_request_with_the_limits_that_were_promised(sessions: Sessions) -> None:
    solve_id = submit(sessions, tags={"class": "cs1"})
    claimed = must_claim(sessions, worker="host:1")
    assert (claimed.id, claimed.attempt, claimed.worker) == (solve_id, 1, "host:1")
    request = SolveRequest.model_validate_json(claimed.request)
    assert (request.puzzle, request.moves, request.tags) == ("megaminx", "ccw", {"class": "cs1"})
    assert (request.limits.expanded, request.limits.memory_mib) == (2_000_000, 512)
    job = row(sessions, solve_id)
    assert (job.kind, job.state, job.worker) == ("solve", State.RUNNING, "host:1")
    assert job.started_at is not None
    assert job.lease_until is not None
    assert job.lease_until - job.started_at >= LEASE * 0.99


def test_nothing_queued_is_nothing_claimed(sessions: Sessions) -> None:
    assert claim(sessions) is None
    solve_id = submit(sessions)
    assert must_claim(sessions).id == solve_id
    asked: list[str] = []
    event.listen(sessions.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    assert claim(sessions) is None
    # On SQLite no lock can hide a job, so one choice is enough.
    choices = sum("UPDATE" in statement for statement in asked)
    assert choices == (1 if sessions.engine.dialect.name == "sqlite" else 2)


def test_priority_orders_only_the_owners_own_jobs(sessions: Sessions) -> None:
    low = submit(sessions, "ann", priority=-100)
    normal = submit(sessions, "ann")
    urgent = [submit(sessions, "bob", priority=priority) for priority in (7, 100, 100)]
    assert [must_claim(sessions).id for _ in range(5)] == [normal, urgent[1], low, urgent[2], urgent[0]]


@pytest.mark.parametrize("role", [Role.INSTRUCTOR, Role.OPERATOR])
def test_running_jobs_of_those_who_teach_or_operate_weigh_less_and_block_no_student(
    sessions: Sessions, role: Role
) -> None:
    for owner, its_role in (("prof", role), ("stud", Role.STUDENT)):
        new = keys.NewKey(owner, its_role, None if its_role is Role.OPERATOR else "cs1")
        sessions.run(lambda session, new=new: keys.create(session, new, "test"))  # type: ignore[misc]
    prof = [submit(sessions, "prof") for _ in range(9)]
    stud = [submit(sessions, "stud") for _ in range(3)]
    order = [must_claim(sessions).id for _ in range(12)]
    # First one to one, then by the share of four; with equal weights the older job.
    assert order == [prof[0], stud[0], *prof[1:5], stud[1], *prof[5:9], stud[2]]


def end_and_claim(sessions: Sessions, held: Claim, result: Solve) -> tuple[bool, Claim | None]:
    """End a job and claim the next one as a worker does."""

    def write(transaction: Transaction) -> tuple[bool, Claim | None]:
        following = FollowingClaim("worker", LEASE)
        return answers.finish(transaction, held, result, following=following), following.get(transaction)

    return sessions.transact(write)


def test_an_end_and_the_next_claim_are_one_fair_statement(sessions: Sessions) -> None:
    ended = submit(sessions, "ann")
    held = must_claim(sessions)
    submit(sessions, "bob")
    assert must_claim(sessions).id != ended
    older, fair = submit(sessions, "bob"), submit(sessions, "ann")
    asked: list[str] = []
    event.listen(sessions.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    kept, following = end_and_claim(sessions, held, answer())
    if sessions.engine.dialect.name == "postgresql":
        assert len(asked) == 1
    assert kept
    assert following is not None
    # The ended job counts no more: ann runs none, and bob one.
    assert (following.id, following.attempt) == (fair, 1)
    assert solve_of(sessions, ended).outcome is Status.SOLVED
    # An attempt that has lost its job writes nothing, and claims all the same.
    kept, last = end_and_claim(sessions, replace(following, attempt=2), answer("exhausted"))
    assert not kept
    assert last is not None
    assert last.id == older
    assert solve_of(sessions, fair).outcome is None
    assert row(sessions, fair).state is State.RUNNING
    # Nothing is left to claim.
    assert end_and_claim(sessions, following, answer()) == (True, None)


def test_an_owner_runs_no_more_jobs_than_the_cap(sessions: Sessions) -> None:
    def capped() -> str | None:
        claimed = sessions.run(lambda session: machine.claim_next(session, "worker", LEASE, owner_running=2))
        return None if claimed is None else claimed.id

    greedy = [submit(sessions, "greedy") for _ in range(5)]
    assert [capped(), capped(), capped()] == [greedy[0], greedy[1], None]
    late = submit(sessions, "late")
    assert [capped(), capped()] == [late, None]
    sessions.run(lambda session: machine.request_cancel(session, greedy[0]))
    assert must_claim(sessions).id == greedy[2]  # without a cap
    assert capped() is None  # and then more run than the cap


def test_owners_take_turns_whatever_they_queue(sessions: Sessions) -> None:
    greedy = [submit(sessions, "greedy") for _ in range(6)]
    modest = [submit(sessions, "modest") for _ in range(2)]
    late = submit(sessions, "late")
    order = [must_claim(sessions).id for _ in range(9)]
    assert order == [greedy[0], modest[0], late, greedy[1], modest[1], *greedy[2:]]


def test_a_job_that_ends_gives_its_owner_a_turn_again(sessions: Sessions) -> None:
    ann = [submit(sessions, "ann") for _ in range(2)]
    bob = [submit(sessions, "bob") for _ in range(2)]
    first = must_claim(sessions)
    assert must_claim(sessions).id == bob[0]
    sessions.run(lambda session: end(session, first, answer()))
    assert must_claim(sessions).id == ann[1]
    assert must_claim(sessions).id == bob[1]


def test_many_claimers_get_every_job_once(sessions: Sessions) -> None:
    news = [new_solve(f"owner-{number % 7}", priority=number % 3) for number in range(240)]
    sessions.run(lambda session: submission.submit_many(session, news))
    start = threading.Barrier(8)

    def work(worker: int) -> list[str]:
        ran: list[str] = []
        start.wait()
        claimed = claim(sessions, f"worker-{worker}")
        while claimed is not None:
            mine = claimed
            ran.append(mine.id)
            kept, claimed = sessions.run(
                lambda session: (
                    end(session, mine, answer()),  # noqa: B023
                    machine.claim_next(session, f"worker-{worker}", LEASE),
                )
            )
            assert kept
        return ran

    with ThreadPoolExecutor(8) as pool:
        ran = [solve_id for part in pool.map(work, range(8)) for solve_id in part]
    assert Counter(ran) == Counter(new.id for new in news)
    with sessions.read() as session:
        assert {(job.state, job.attempt) for job in session.query(Job)} == {(State.DONE, 1)}


def test_only_one_of_many_finishes_counts(sessions: Sessions) -> None:
    submit(sessions)
    claimed = must_claim(sessions)
    start = threading.Barrier(6)

    def finish(number: int) -> bool:
        start.wait()
        return sessions.run(lambda session: end(session, claimed, answer(seconds=float(number))))

    with ThreadPoolExecutor(6) as pool:
        kept = list(pool.map(finish, range(6)))
    assert kept.count(True) == 1
    assert solve_of(sessions, claimed.id).seconds == float(kept.index(True))


def test_a_quick_claim_takes_the_newest_that_was_not_tried(sessions: Sessions) -> None:
    old, tried, new = (submit(sessions, "ann") for _ in range(3))
    urgent = submit(sessions, "ann", priority=1)

    def claim_quick() -> machine.Claim | None:
        return sessions.run(lambda session: machine.claim_next(session, "worker", LEASE, among=Among.QUICK))

    first = claim_quick()
    assert first is not None
    assert first.id == urgent
    second = claim_quick()
    assert second is not None
    assert second.id == new
    assert sessions.run(lambda session: machine.release(session, second, long=True))
    assert [one.id for one in (claim_quick(), claim_quick()) if one is not None] == [tried, old]
    assert claim_quick() is None
    # A worker with a slot for a long job takes it, and a shutdown does not make it a quick job again.
    again = must_claim(sessions)
    assert (again.id, again.attempt) == (new, 2)
    assert sessions.run(lambda session: machine.release(session, again))
    assert claim_quick() is None
    assert must_claim(sessions).id == new


def test_quick_claims_are_fair_between_owners(sessions: Sessions) -> None:
    [submit(sessions, "greedy") for _ in range(3)]
    modest = submit(sessions, "modest")
    newest = submit(sessions, "greedy")
    claimed = [sessions.run(lambda s: machine.claim_next(s, "worker", LEASE, among=Among.QUICK)) for _ in range(2)]
    assert [one.id for one in claimed if one is not None] == [newest, modest]


def test_a_claim_of_small_jobs_takes_those_with_a_limit_of_few_seconds_and_no_other(sessions: Sessions) -> None:
    def limited(seconds: float | None, owner: str = "ann", **more: Any) -> str:
        return submit(sessions, owner, limits=Limits(expanded=2_000_000, seconds=seconds, memory_mib=512), **more)

    huge, over, small, urgent = limited(None), limited(10.5), limited(10), limited(0.5, priority=1)
    others = limited(10, "bob")

    def claim_small() -> str | None:
        found = sessions.run(lambda session: machine.claim_next(session, "worker", LEASE, among=Among.SMALL))
        return None if found is None else found.id

    assert [claim_small() for _ in range(4)] == [urgent, others, small, None]
    assert [must_claim(sessions).id for _ in range(2)] == [huge, over]


def test_when_others_hold_the_fair_choice_a_claim_of_small_jobs_takes_another(postgresql_url: str) -> None:
    sessions = make_sessions(make_engine(postgresql_url, pool_size=2))
    submit(sessions)
    first, second = (submit(sessions, limits=Limits(seconds=1, memory_mib=512)) for _ in range(2))
    with sessions.write() as holding:
        holding.execute(text("SELECT 1 FROM jobs WHERE id = :id FOR UPDATE"), {"id": first})
        taken = sessions.run(lambda session: machine.claim_next(session, "worker", LEASE, among=Among.SMALL))
    sessions.close()
    assert taken is not None
    assert taken.id == second


@pytest.mark.parametrize(
    ("among", "index"),
    [(Among.ALL, "ix_jobs_queued"), (Among.QUICK, "ix_jobs_quick"), (Among.SMALL, "ix_jobs_small")],
)
def test_the_choice_uses_the_small_indices(sessions: Sessions, among: Among, index: str) -> None:
    """Thousands of finished and queued jobs must not slow a claim down: no scan of the table, no sort of the queue."""
    limits = Limits(seconds=1, memory_mib=512)
    news = [new_solve(f"owner-{number % 3}", limits=limits) for number in range(2_000)]
    sessions.run(lambda session: submission.submit_many(session, news))
    postgresql = sessions.engine.dialect.name == "postgresql"
    with sessions.write() as session:
        if postgresql:
            session.execute(text("ANALYZE"))
        statement = str(FAIREST[among].element.compile(sessions.engine, compile_kwargs={"literal_binds": True}))
        explain = "EXPLAIN " if postgresql else "EXPLAIN QUERY PLAN "
        plan = "\n".join(str(line) for line in session.execute(text(explain + statement)))
    scans = [line for line in plan.splitlines() if "jobs" in line and "WITH" not in line]
    assert len(scans) >= 6
    for line in scans:
        assert index in line or "ix_jobs_running" in line, plan
    assert "Seq Scan on jobs" not in plan, plan
