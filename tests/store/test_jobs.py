"""Reading jobs of several kinds and owners, whether there is something to sweep, and what a job hands back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import update

from hstar import schema
from store.database import Sessions
from store.database.clock import from_now
from store.ids import created_at, new_id
from store.jobs import builds, children, machine, objects, queries, rules
from store.jobs.choice import Among
from store.jobs.machine import NewJob
from store.jobs.models import Job
from store.jobs.rules import Given, Row
from store.jobs.states import State
from store.owners.principal import SYSTEM, Principal
from tests.store.builders import LEASE, claim, expire, must_claim, row, submit, sweep

Object = schema.Job[Any, Any, Any]
ANN, BOB = Principal("ann"), Principal("bob")
HOUR = timedelta(hours=1)


def add(sessions: Sessions, kind: str, owner: str = "ann", priority: int = 0) -> str:
    new = NewJob(kind, "{}", owner, priority)
    sessions.run(lambda session: machine.submit(session, [new]))
    return new.id


def test_a_job_is_found_by_those_who_may_see_it(sessions: Sessions) -> None:
    middle = add(sessions, "grading")
    with sessions.read() as session:
        for who, seen in ((SYSTEM, True), (ANN, True), (BOB, False)):
            assert (queries.get_job(session, middle, who) is not None) is seen
        for wrong in (new_id(), "", "nonsense"):
            assert queries.get_job(session, wrong, SYSTEM) is None


def test_lists_are_of_a_kind_a_state_and_an_owner(sessions: Sessions) -> None:
    kinds = ("audit", "grading", "solve")
    every = [(add(sessions, kind, owner), kind, owner) for kind in kinds for owner in ("ann", "bob", "ann")]
    held = must_claim(sessions).id
    newest_first = every[::-1]
    with sessions.read() as session:

        def found(kind: str | None, who: Principal, **more: Any) -> list[str]:
            kinds = [] if kind is None else [kind]
            return [job.id for job in queries.list_jobs(session, who, kinds=kinds, **more)[0]]

        for kind in (None, *kinds):
            for who in (SYSTEM, ANN, BOB):
                expected = [id for id, k, o in newest_first if kind in (None, k) and who in (SYSTEM, Principal(o))]
                assert found(kind, who) == expected
                assert found(kind, who, size=2) == expected[:2]
                assert found(kind, who, cursor=expected[0]) == expected[1:]
        assert found(None, SYSTEM, states=[State.RUNNING]) == [held]
        assert found(None, SYSTEM, states=[State.QUEUED]) == [id for id, _, _ in newest_first if id != held]
        assert found(None, SYSTEM, states=[State.QUEUED, State.RUNNING]) == [id for id, _, _ in newest_first]
        assert found(None, SYSTEM, states=[State.DONE]) == []


def test_numbers_of_jobs(sessions: Sessions) -> None:
    with sessions.read() as session:
        assert queries.count_running(session) == 0
        assert queries.oldest_queued_seconds(session) == 0
        assert queries.largest_running_bytes(session) == 0
    for owner in ("ann", "ann", "bob", "ann"):
        add(sessions, "audit", owner)
    must_claim(sessions)
    with sessions.read() as session:
        assert queries.count_running(session) == 1
        assert [queries.count_queued_of(session, who, 9) for who in ("ann", "bob", "eve")] == [2, 1, 0]
        assert queries.count_queued_of(session, "ann", 1) == 1
        assert [queries.count_queued(session, most) for most in (2, 3, 9)] == [2, 3, 3]


def test_the_wait_of_the_oldest_queued_job(sessions: Sessions) -> None:
    running = add(sessions, "audit")
    must_claim(sessions)
    first, second = add(sessions, "audit"), add(sessions, "audit")
    with sessions.write() as session:
        session.execute(update(Job).where(Job.id == running).values(created_at=from_now(-9 * HOUR)))
        session.execute(update(Job).where(Job.id == first).values(created_at=from_now(-HOUR)))
        session.execute(update(Job).where(Job.id == second).values(created_at=from_now(-2 * HOUR)))
    with sessions.read() as session:
        assert 7200 <= queries.oldest_queued_seconds(session) < 7200 + 3000
    with sessions.write() as session:
        session.execute(update(Job).values(created_at=from_now(HOUR)))
    with sessions.read() as session:
        assert queries.oldest_queued_seconds(session) == 0  # from the future


def test_the_largest_running_search(sessions: Sessions) -> None:
    for told in ('{"bytes":300}', None, '{"bytes":70}', '{"expanded":5}', '{"bytes":null}'):
        add(sessions, "solve")
        held = must_claim(sessions)
        sessions.run(partial(machine.heartbeat, claim=held, lease=LEASE, progress=told))
    ended = row(sessions, add(sessions, "solve")).id
    held = must_claim(sessions)
    assert held.id == ended
    sessions.run(lambda session: machine.heartbeat(session, held, LEASE, '{"bytes":9000}'))
    assert sessions.run(lambda session: machine.finish(session, held, State.DONE, "{}"))
    with sessions.read() as session:
        assert queries.largest_running_bytes(session) == 300


def test_builds_are_queued_once_for_the_owner_of_a_job(sessions: Sessions) -> None:
    """Those that wait or run are not queued again, and those that have ended are; all behind what anybody waits for."""
    first, second = add(sessions, "solve", "ann"), add(sessions, "solve", "bob")

    def ask(job: str, *requests: str) -> None:
        sessions.run(lambda session: builds.request(session, job, requests))

    def queued() -> list[tuple[str, str, int, bool]]:
        with sessions.read() as session:
            found, _ = queries.list_jobs(session, SYSTEM, kinds=[builds.KIND], states=[State.QUEUED])
            return [(job.owner, job.request, job.priority, job.quick) for job in reversed(found)]

    ask(second, "b", "a", "b")
    ask(first, "a")
    ask(first, "a", "c")
    ask(first)
    expected = [("bob", "b", -50, False), ("bob", "a", -50, False), ("ann", "c", -50, False)]
    assert queued() == expected
    ask(new_id(), "d")  # nobody's
    for other in ("audit", "verification"):
        sessions.run(lambda session: machine.submit(session, [NewJob(other, "e", "ann")]))  # noqa: B023
    held = {claimed.request: claimed for claimed in (must_claim(sessions) for _ in range(7))}
    ask(first, "a", "b", "c")  # they run
    assert queued() == []
    assert sessions.run(lambda session: machine.finish(session, held["a"], State.DONE, "{}"))
    ask(first, "a", "b", "e")  # one has ended, and other kinds have the same request
    assert queued() == [("ann", "a", -50, False), ("ann", "e", -50, False)]


def test_parts_are_queued_once_for_their_parent(sessions: Sessions) -> None:
    """Those that ended in vain are queued again, and those of other parents and kinds are no part of this one."""
    parent, other = add(sessions, "solve", priority=7), add(sessions, "solve", "bob")
    held = {claimed.id: claimed for claimed in (must_claim(sessions), must_claim(sessions))}

    def queue(of: str, kind: str, *requests: str) -> list[str]:
        return sessions.run(lambda session: children.queue(session, of, kind, requests))

    def states(*ids: str) -> dict[str, tuple[State, str | None]]:
        with sessions.read() as session:
            return {child.id: (child.state, child.answer) for child in children.look(session, ids)}

    a, b = queue(parent, "subtree", "a", "b")
    assert queue(parent, "subtree", "b", "a") == [b, a]
    assert queue(parent, "subtree") == []
    apart = [*queue(other, "subtree", "a"), *queue(parent, "audit", "a")]
    assert len({a, b, *apart}) == 4
    made = row(sessions, a)
    assert (made.owner, made.priority, made.quick, made.parent) == ("ann", 7, False, parent)
    assert row(sessions, apart[0]).owner == "bob"
    assert states(a, b) == dict.fromkeys((a, b), (State.QUEUED, None))
    with sessions.read() as session:  # lists have no parts, unless their kind is asked for
        assert [job.id for job in queries.list_jobs(session, SYSTEM)[0]] == [other, parent]
        assert [job.id for job in queries.list_jobs(session, SYSTEM, kinds=["audit"])[0]] == [apart[1]]

    assert sessions.run(lambda session: children.take(session, b))
    assert not sessions.run(lambda session: children.take(session, b))
    (again,) = queue(parent, "subtree", "b")
    assert again != b
    runs = must_claim(sessions)
    assert not sessions.run(lambda session: children.take(session, runs.id))
    assert runs.id == a
    assert queue(parent, "subtree", "a") == [a]
    assert sessions.run(lambda session: machine.finish(session, runs, State.DONE, "[1]"))
    assert queue(parent, "subtree", "a") == [a]
    assert states(a, b, again) == {
        a: (State.DONE, "[1]"), b: (State.CANCELLED, None), again: (State.QUEUED, None),
    }  # fmt: skip

    def orphans(most: int = 100) -> list[str]:
        with sessions.read() as session:
            return sorted(children.orphans(session, most))

    assert orphans() == []
    assert sessions.run(lambda session: machine.finish(session, held[parent], State.DONE, "{}"))
    assert orphans() == sorted([again, apart[1]])
    assert len(orphans(1)) == 1
    assert must_claim(sessions).id in (again, *apart)
    assert orphans() == sorted([again, apart[1]])
    for job in (again, apart[1]):
        sessions.run(lambda session: machine.request_cancel(session, job))  # noqa: B023
    assert orphans() == []


def test_there_is_nothing_to_sweep_unless_something_waits_or_is_lost(sessions: Sessions) -> None:
    def needed(wake_after: timedelta = HOUR) -> bool:
        return sessions.run(lambda session: machine.needs_sweep(session, lease=LEASE, wake_after=wake_after))

    assert not needed(timedelta(0))
    assert sweep(sessions) == machine.SweepReport()
    job = add(sessions, "audit")
    assert not needed()
    assert needed(timedelta(0))
    must_claim(sessions)
    assert not needed(timedelta(0))
    expire(sessions, job)
    assert needed()
    assert sweep(sessions, wake_after=HOUR).requeued == (job,)
    assert not needed()
    must_claim(sessions)
    with sessions.write() as session:
        session.execute(update(Job).values(lease_until=from_now(2 * LEASE)))
    assert needed()
    # A job from the future is one that was queued before the clock was set back.
    waiting = add(sessions, "audit")
    with sessions.write() as session:
        session.execute(update(Job).where(Job.id == waiting).values(created_at=from_now(2 * HOUR)))
        session.execute(update(Job).where(Job.id == job).values(lease_until=from_now(LEASE / 2)))
    assert needed()


def test_only_a_reason_that_is_too_long_is_cut(sessions: Sessions) -> None:
    for length in (machine.MAX_ERROR_LENGTH, machine.MAX_ERROR_LENGTH + 1):
        job, reason = add(sessions, "audit"), "why" + "y" * (length - 3)
        held = must_claim(sessions)
        assert sessions.run(lambda session: machine.fail(session, held, reason))  # noqa: B023
        kept = row(sessions, job).error or ""
        assert len(kept) == machine.MAX_ERROR_LENGTH
        assert (kept == reason) == (length == machine.MAX_ERROR_LENGTH)
        assert kept == reason or (kept[-1] == "…" and reason.startswith(kept[:-1]))


def test_a_sweep_counts_those_that_wait_up_to_a_number(sessions: Sessions) -> None:
    lost = [add(sessions, "audit", f"o{number}") for number in range(3)]
    for _ in lost:
        must_claim(sessions)
    for number in range(4):
        add(sessions, "audit", f"p{number}")

    def waiting(most: int, wake_after: timedelta = timedelta(0)) -> int:
        return sessions.run(
            lambda session: (
                machine.sweep(session, lease=LEASE, max_losses=3, wake_after=wake_after, most_wake_ups=most).waiting
            )
        )

    assert [waiting(most) for most in (2, 4, 9)] == [2, 4, 4]
    assert waiting(9, HOUR) == 0
    expire(sessions, *lost)
    assert sessions.run(lambda session: machine.needs_sweep(session, lease=LEASE, wake_after=HOUR))
    assert waiting(9, HOUR) == 3  # those that were lost now wait, too
    assert waiting(5) == 5


@pytest.mark.parametrize(("long", "quick"), [(False, True), (True, False)])
def test_only_a_job_that_took_too_long_is_no_quick_job_any_more(sessions: Sessions, long: bool, quick: bool) -> None:
    job = submit(sessions)
    held = must_claim(sessions)
    assert sessions.run(
        lambda session: machine.release(session, held, long=True) if long else machine.release(session, held)
    )
    found = row(sessions, job)
    assert (found.state, found.quick, found.losses, found.attempt) == (State.QUEUED, quick, 0, 1)
    taken = sessions.run(lambda session: machine.claim_next(session, "w", LEASE, among=Among.QUICK))
    assert (taken is not None) is quick


def test_without_a_cap_one_owner_may_run_any_number_of_jobs(sessions: Sessions) -> None:
    made = [NewJob("audit", "{}", "ann") for _ in range(40)]
    sessions.run(lambda session: machine.submit(session, made))
    assert [must_claim(sessions).id for _ in made] == [new.id for new in made]


def test_a_new_job_has_never_run(sessions: Sessions) -> None:
    found = row(sessions, add(sessions, "audit"))
    assert (found.state, found.attempt, found.losses, found.priority, found.cancel_requested) == (
        State.QUEUED,
        0,
        0,
        0,
        False,
    )
    assert found.quick
    assert (found.worker, found.started_at, found.finished_at, found.has_progress) == (None, None, None, False)


def test_progress_is_that_of_the_running_attempt(sessions: Sessions) -> None:
    job = add(sessions, "audit")
    held = must_claim(sessions)
    assert not row(sessions, job).has_progress
    sessions.run(lambda session: machine.heartbeat(session, held, LEASE, "{}"))
    assert row(sessions, job).has_progress
    expire(sessions, job)
    sweep(sessions)
    assert not row(sessions, job).has_progress  # queued
    again = must_claim(sessions)
    assert not row(sessions, job).has_progress  # that of the attempt before
    sessions.run(lambda session: machine.heartbeat(session, again, LEASE, "{}"))
    assert row(sessions, job).has_progress
    expire(sessions, job)
    sweep(sessions)
    last = must_claim(sessions)
    assert sessions.run(lambda session: machine.finish(session, last, State.DONE, "{}"))
    assert row(sessions, job).has_progress  # the last of a job that has ended, whichever attempt told it
    assert claim(sessions) is None


def test_only_the_job_that_has_ended_is_deleted(sessions: Sessions) -> None:
    gone, ended = add(sessions, "audit"), add(sessions, "audit")
    for _ in range(2):
        held = must_claim(sessions)
        assert sessions.run(partial(machine.finish, claim=held, state=State.DONE, answer="{}"))
    waits = add(sessions, "audit")
    for job in (gone, waits):
        sessions.run(partial(machine.delete, job_id=job))
    with sessions.read() as session:
        assert session.get(Job, gone) is None
        assert [session.get_one(Job, job).state for job in (ended, waits)] == [State.DONE, State.QUEUED]


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.FAILED])
def test_a_claim_finishes_as_done_or_cancelled_only(sessions: Sessions, state: State) -> None:
    add(sessions, "audit")
    held = must_claim(sessions)
    with pytest.raises(ValueError, match="cannot finish as"):
        sessions.run(lambda session: machine.finish(session, held, state))


def test_the_object_of_a_job_is_its_row(sessions: Sessions) -> None:
    job = add(sessions, "audit", priority=7)
    new = NewJob("audit", '{"a": 1}', "ann", 3)
    assert objects.as_submitted(new, Object).model_dump(exclude_none=True) == {
        "id": new.id, "kind": "audit", "owner": "ann", "status": "queued", "about": [], "priority": 3, "attempt": 0,
        "cancel_requested": False, "created_at": created_at(new.id), "request": {"a": 1},
    }  # fmt: skip
    held = must_claim(sessions)
    sessions.run(lambda session: machine.heartbeat(session, held, LEASE, '{"told": 2}'))
    found = objects.to_object(row(sessions, job), Object)
    assert (found.status, found.priority, found.progress, found.answer) == ("running", 7, {"told": 2}, None)
    assert found.progress_at is not None
    assert sessions.run(lambda session: machine.finish(session, held, State.DONE, "[3]"))
    ended = objects.to_object(row(sessions, job), Object)
    assert (ended.status, ended.answer, ended.attempt, ended.error) == ("done", [3], 1, None)


RUNS = Row(State.RUNNING, attempt=1, worker="w", lease_until=1.0, started_at=0.0)


def test_a_rule_is_applied_only_from_its_state_and_under_its_conditions() -> None:
    """The lease at its edge, and the last loss that is forgiven."""
    runs = replace(RUNS, lease_until=10.0)
    for now, lost in ((9.0, False), (10.0, False), (10.5, True)):
        assert rules.apply(rules.LOSE_AND_QUEUE, replace(runs), Given(now, max_losses=3)) is lost
    for losses, again in ((0, True), (1, True), (2, False), (3, False)):
        given = Given(11.0, max_losses=3, values={"error": "lost"})
        row = replace(runs, attempt=5, losses=losses)
        assert rules.apply(rules.LOSE_AND_QUEUE, replace(row), given) is again
        assert rules.apply(rules.LOSE_FOR_GOOD, row, given) is not again
        assert again or (row.state, row.losses, row.error, row.finished_at) == (State.FAILED, losses + 1, "lost", 11.0)
    for lease, cut in ((8.0, True), (9.0, False), (10.0, False)):
        row = replace(runs)
        assert rules.apply(rules.SHORTEN_LEASE, row, Given(1.0, lease=lease)) is cut
        assert row.lease_until == (1.0 + lease if cut else 10.0)
    for attempt, held in ((0, False), (1, True), (2, False)):
        assert rules.apply(rules.EXTEND, replace(runs), Given(1.0, lease=5.0, attempt=attempt)) is held


def test_a_page_of_large_jobs_is_shorter_and_no_job_is_left_out(sessions: Sessions) -> None:
    large = "x" * (queries.MOST_PAGE_BYTES // 3)
    jobs = [NewJob("audit", text, "ann") for text in (large, "small", large, large, large, "small", 3 * large + "xx")]
    for job in jobs:
        sessions.run(lambda session, job=job: machine.submit(session, [job]))  # type: ignore[misc]
    pages: list[list[str]] = []
    cursor, more = None, True
    while more:
        with sessions.read() as session:
            found, more = queries.list_jobs(session, ANN, kinds=["audit"], cursor=cursor, size=200)
        pages.append([job.id for job in found])
        cursor = pages[-1][-1]
    assert [one for page in pages for one in page] == [job.id for job in reversed(jobs)]
    assert [len(page) for page in pages] == [1, 3, 3]


def test_a_page_ends_before_too_many_bytes_or_after_its_size(sqlite_sessions: Sessions) -> None:
    """Requests and answers count, and the first job is on the page however large it is."""
    made = [NewJob("audit", 10 * "x", "ann") for _ in range(51)]
    sqlite_sessions.run(lambda session: machine.submit(session, made))
    for _ in range(2):
        held = must_claim(sqlite_sessions)
        assert sqlite_sessions.run(lambda session: machine.finish(session, held, State.DONE, 20 * "y"))  # noqa: B023

    def page(states: list[State], **more: Any) -> tuple[int, bool]:
        with sqlite_sessions.read() as session:
            found, further = queries.list_jobs(session, ANN, states=states, **more)
            return len(found), further

    assert page([]) == (50, True)
    for most, expected in ((59, (1, True)), (60, (2, False)), (0, (1, True)), (None, (2, False))):
        assert page([State.DONE], most_bytes=most) == expected
    for most, number in ((19, 1), (20, 2), (29, 2), (30, 3)):
        assert page([State.QUEUED], most_bytes=most) == (number, True)
    assert page([State.QUEUED], size=49, most_bytes=None) == (49, False)
    assert page([State.QUEUED], size=48, most_bytes=None) == (48, True)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ('{"puzzle": "p", "heuristic": "h", "pattern": "x", "alg": "U", "student": "7", "kind": "solve"}', "p h x U 7"),
        (
            '{"puzzle": "p", "heuristic": null, "alg": "", "student": 7, "scramble": {"k": 3, "seed": 5}}',
            "p k_=_3,_seed_5",
        ),
        ('{"puzzle": "p", "scramble": 3, "assignment": "a"}', "p"),
        ('{"student": "7", "assignment": {"title": "t", "puzzle": "p"}}', "t 7"),
        ('{"puzzle": "p", "scramble": {"k": 3, "seed": 5}, "assignment": {"title": "t"}}', "t p k_=_3,_seed_5"),
        (f'{{"alg": "{"U" * 121}"}}', "U" * 120),
        ("[1]", ""),
        ("nonsense", ""),
    ],
)
def test_what_a_job_is_about(request_: str, told: str) -> None:
    assert objects.about(request_) == [one.replace("_", " ") for one in told.split()]
