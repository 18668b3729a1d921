"""Every operation in every state: what the table allows happens, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from store.database import Sessions
from store.jobs import machine, statements
from store.jobs.machine import Claim
from store.jobs.states import CANCEL, CLAIM, FINAL, FINISH, LEGAL, RELEASE, TRANSITIONS, Status
from store.models import Solve
from tests.store.builders import LEASE, answer, claim, expire, must_claim, row, submit, sweep

FINISHES = {status: f"finish_{status}" for status in sorted(FINAL)}
Q, R, C, F = Status.QUEUED, Status.RUNNING, Status.CANCELLED, Status.FAILED


def reach(sessions: Sessions, status: Status) -> tuple[str, Claim]:
    """A job in this state, and the claim of its first attempt (for a queued one, an attempt that was handed back)."""
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    assert claimed.id == solve_id
    if status is Status.QUEUED:
        assert sessions.run(lambda session: machine.release(session, claimed))
    elif status is not Status.RUNNING:
        assert sessions.run(lambda session: machine.finish(session, claimed, answer(status.value)))
    assert row(sessions, solve_id).status is status
    return solve_id, claimed


def operate(sessions: Sessions, operation: str, solve_id: str, claimed: Claim) -> None:
    """Do one thing to a job, with the claim of its first attempt where one is needed."""

    def finishing(status: str) -> Callable[[], object]:
        return lambda: sessions.run(lambda session: machine.finish(session, claimed, answer(status)))

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
        **{name: finishing(status) for status, name in FINISHES.items()},
    }
    actions[operation]()


# What each operation makes of a job in each state. Every pair that is not listed leaves the state as it is.
MOVES: dict[tuple[Status, str], Status] = {
    (Q, "claim"): R,
    (Q, "cancel"): C,
    (R, "release"): Q,
    (R, "lose"): Q,
    (R, "lose_last"): F,
    **{(R, name): status for status, name in FINISHES.items()},
}
OPERATIONS = ["claim", "heartbeat", "release", "cancel", "sweep", "lose", "lose_last", *FINISHES.values()]


@pytest.mark.parametrize("status", list(Status))
def test_every_operation_in_every_state(sessions: Sessions, status: Status) -> None:
    for operation in OPERATIONS:
        solve_id, claimed = reach(sessions, status)
        before = row(sessions, solve_id)
        operate(sessions, operation, solve_id, claimed)
        after = row(sessions, solve_id)
        expected = MOVES.get((status, operation), status)
        assert after.status is expected, (status, operation)
        if expected is status and not (status is R and operation in ("heartbeat", "cancel")):
            assert columns(after) == columns(before), (status, operation)
        if expected is not status:
            assert (status, expected) in LEGAL
        # Leave nothing behind that the next operation could claim.
        sessions.run(lambda session: session.execute(text("DELETE FROM solves")))


def columns(solve: Solve) -> dict[str, object]:
    return {column.key: getattr(solve, column.key) for column in Solve.__table__.columns}


def test_a_flagged_job_ends_as_cancelled_however_its_attempt_ends(sessions: Sessions) -> None:
    for operation, expected in (("release", C), ("lose", C), ("lose_last", C), ("finish_solved", Status.SOLVED)):
        solve_id, claimed = reach(sessions, R)
        assert sessions.run(lambda session: machine.request_cancel(session, solve_id)) is R  # noqa: B023
        assert row(sessions, solve_id).cancel_requested
        operate(sessions, operation, solve_id, claimed)
        assert row(sessions, solve_id).status is expected, operation


def test_all_legal_edges_are_in_the_moves_and_the_other_way_round() -> None:
    abandoned = {(R, C)}
    assert {(source, target) for (source, _), target in MOVES.items()} | abandoned == LEGAL
    assert all(not transition.source.final for transition in TRANSITIONS)


def test_an_illegal_edge_cannot_even_be_written() -> None:
    for transition, target in ((CLAIM, Status.SOLVED), (RELEASE, C), (CANCEL, F), (FINISH, Q), (FINISH, R)):
        with pytest.raises(ValueError, match="cannot lead to"):
            statements.move(transition, target)


DAMAGES = [
    "status = 'sleeping'",
    "status = 'running'",  # without a lease
    "status = 'solved'",  # without a solution and a time
    "lease_until = created_at",
    "finished_at = created_at",
    "error = 'why'",
    "attempt = -1",
    "losses = 1",  # more losses than attempts
]


def test_the_database_refuses_rows_that_make_no_sense(sessions: Sessions) -> None:
    solve_id = submit(sessions)
    before = columns(row(sessions, solve_id))
    for damage in DAMAGES:
        with pytest.raises(IntegrityError), sessions.write() as session:
            session.execute(text(f"UPDATE solves SET {damage}"))
    assert columns(row(sessions, solve_id)) == before


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
    assert row(sessions, solve_id).status is R
