"""Every operation in every state: exactly the transitions of the table happen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError

from store.database import Sessions
from store.database.clock import from_now
from store.jobs import machine
from store.jobs.machine import Claim
from store.jobs.models import Job
from store.jobs.rules import Rule
from store.jobs.states import CANCEL, CLAIM, FINAL, FINISH, LEGAL, RELEASE, TRANSITIONS, State
from store.solves.models import Solve
from tests.store.builders import LEASE, answer, claim, end, expire, must_claim, row, solve_of, submit, sweep

#: the answer of a solve that ends in each state
OUTCOME = {State.DONE: "solved", State.CANCELLED: "cancelled", State.FAILED: "failed"}
FINISHES = {state: f"finish_{state}" for state in sorted(FINAL)}
Q, R, D, C, F = State.QUEUED, State.RUNNING, State.DONE, State.CANCELLED, State.FAILED


def reach(sessions: Sessions, state: State) -> tuple[str, Claim]:
    """A job in this state, and the claim of its first attempt (for a queued one, an attempt that was handed back)."""
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    assert claimed.id == solve_id
    if state is State.QUEUED:
        assert sessions.run(lambda session: machine.release(session, claimed))
    elif state is not State.RUNNING:
        assert sessions.run(lambda session: end(session, claimed, answer(OUTCOME[state])))
    assert row(sessions, solve_id).state is state
    return solve_id, claimed


def operate(sessions: Sessions, operation: str, solve_id: str, claimed: Claim) -> None:
    """Do one operation on a job, with the claim of its first attempt if one is needed."""

    def finishing(state: State) -> Callable[[], object]:
        return lambda: sessions.run(lambda session: end(session, claimed, answer(OUTCOME[state])))

    if operation.startswith("lose"):
        expire(sessions, solve_id)
    actions: dict[str, Callable[[], object]] = {
        "claim": lambda: claim(sessions),
        "heartbeat": lambda: sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE)),
        "release": lambda: sessions.run(lambda session: machine.release(session, claimed)),
        "cancel": lambda: sessions.run(lambda session: machine.request_cancel(session, solve_id)),
        "sweep": lambda: sweep(sessions),
        "lose": lambda: sweep(sessions),
        "lose_last": lambda: sweep(sessions, max_losses=1),
        **{name: finishing(state) for state, name in FINISHES.items()},
    }
    actions[operation]()


# The new state for each operation and state. Pairs that are not listed do not change the state.
MOVES: dict[tuple[State, str], State] = {
    (Q, "claim"): R,
    (Q, "cancel"): C,
    (R, "release"): Q,
    (R, "lose"): Q,
    (R, "lose_last"): F,
    **{(R, name): state for state, name in FINISHES.items()},
}
OPERATIONS = ["claim", "heartbeat", "release", "cancel", "sweep", "lose", "lose_last", *FINISHES.values()]


@pytest.mark.parametrize("state", list(State))
def test_every_operation_in_every_state(sessions: Sessions, state: State) -> None:
    for operation in OPERATIONS:
        solve_id, claimed = reach(sessions, state)
        before = row(sessions, solve_id)
        operate(sessions, operation, solve_id, claimed)
        after = row(sessions, solve_id)
        expected = MOVES.get((state, operation), state)
        assert after.state is expected, (state, operation)
        assert solve_of(sessions, solve_id).status == OUTCOME.get(expected, expected), (state, operation)
        if expected is state and not (state is R and operation in ("heartbeat", "cancel")):
            assert columns(after) == columns(before), (state, operation)
        if expected is not state:
            assert (state, expected) in LEGAL
        # Remove anything that the next operation could claim.
        sessions.run(lambda session: session.execute(text("DELETE FROM jobs")))


def columns(row: Job | Solve) -> dict[str, object]:
    return {column.key: getattr(row, column.key) for column in row.__table__.columns}


def test_a_flagged_job_ends_as_cancelled_however_its_attempt_ends(sessions: Sessions) -> None:
    for operation, expected in (("release", C), ("lose", C), ("lose_last", C), ("finish_done", D)):
        solve_id, claimed = reach(sessions, R)
        assert sessions.run(lambda session: machine.request_cancel(session, solve_id)) is R  # noqa: B023
        assert row(sessions, solve_id).cancel_requested
        operate(sessions, operation, solve_id, claimed)
        assert row(sessions, solve_id).state is expected, operation


def test_all_legal_edges_are_in_the_moves_and_the_other_way_round() -> None:
    abandoned = {(R, C)}
    assert {(source, target) for (source, _), target in MOVES.items()} | abandoned == LEGAL
    assert all(not transition.source.final for transition in TRANSITIONS)


def test_an_illegal_edge_cannot_even_be_written() -> None:
    for transition, target in ((CLAIM, D), (RELEASE, C), (CANCEL, F), (FINISH, Q), (FINISH, R)):
        with pytest.raises(ValueError, match="cannot lead to"):
            Rule(transition, target)


DAMAGES = [
    ("jobs", "state = 'sleeping'"),
    ("jobs", "state = 'running'"),  # without a lease
    ("jobs", "state = 'done'"),  # without a time
    ("jobs", "lease_until = created_at"),
    ("jobs", "finished_at = created_at"),
    ("jobs", "error = 'why'"),
    ("jobs", "answer = '{}'"),
    ("jobs", "attempt = -1"),
    ("jobs", "losses = 1"),  # more losses than attempts
    ("solves", "outcome = 'queued'"),
    ("solves", "outcome = 'solved'"),  # without a solution
    ("solves", "solution = '[]'"),
    ("solves", "outcome = 'limit_reached'"),  # without saying which
    ("solves", "\"limit\" = 'memory'"),
]


def test_the_database_refuses_rows_that_make_no_sense(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    before = columns(row(sessions, solve_id)), columns(solve_of(sessions, solve_id))
    for table, damage in DAMAGES:
        with pytest.raises(IntegrityError), sessions.write() as session:
            session.execute(text(f"UPDATE {table} SET {damage}"))
    assert (columns(row(sessions, solve_id)), columns(solve_of(sessions, solve_id))) == before


def test_an_unknown_job_cannot_be_cancelled(sessions: Sessions) -> None:
    unknown = "01a1fbf3-84e0-7083-937e-3b34eec87d23"
    assert sessions.run(lambda session: machine.request_cancel(session, unknown)) is None


def test_a_second_cancel_changes_nothing(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    assert sessions.run(lambda session: machine.request_cancel(session, solve_id)) is C
    before = columns(row(sessions, solve_id))
    assert sessions.run(lambda session: machine.request_cancel(session, solve_id)) is C
    assert columns(row(sessions, solve_id)) == before


def test_a_lease_that_has_not_run_out_is_left_alone(sessions: Sessions) -> None:
    solve_id, claimed = reach(sessions, R)
    assert sweep(sessions).requeued == ()
    expire(sessions, solve_id)
    beat = sessions.run(lambda session: machine.heartbeat(session, claimed, timedelta(seconds=60)))
    assert beat.held, "a lease that ran out can be taken up again until a sweeper saw it"
    assert sweep(sessions).requeued == ()
    assert row(sessions, solve_id).state is R


def test_after_the_clock_was_set_back_a_lost_job_does_not_wait_for_the_hour_to_pass(sessions: Sessions) -> None:
    solve_id, claimed = reach(sessions, R)
    hour = timedelta(hours=1)
    with sessions.write() as session:
        session.execute(update(Job).values(lease_until=from_now(LEASE + hour), created_at=from_now(hour)))
    assert sweep(sessions).shortened == (solve_id,)
    assert row(sessions, solve_id).lease_until <= row(sessions, solve_id).started_at + LEASE * 1.5  # type: ignore[operator]
    assert sweep(sessions).shortened == ()
    # Its worker goes on if it lives.
    assert sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE)).held
    assert sessions.run(lambda session: machine.release(session, claimed))
    # And workers are woken for a job that was queued in the future.
    assert sweep(sessions, wake_after=timedelta(seconds=2)).waiting == 1
