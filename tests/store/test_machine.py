"""The state machine against a simple model, with random operations: claims, late and stale ones included."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import select, text
from sqlalchemy.orm import joinedload

from store.database import Sessions
from store.jobs import machine
from store.jobs.machine import Claim
from store.jobs.models import Job
from store.jobs.states import FINAL, LEGAL, State
from store.solves import submission
from store.solves.models import Solve
from tests.store.builders import LEASE, answer, claim, end, expire, new_solve, sweep

MAX_LOSSES = 3
#: with what a solve ends in a state
OUTCOME = {State.DONE: "solved", State.CANCELLED: "cancelled", State.FAILED: "failed"}


@dataclass
class Model:
    """What a row should be."""

    owner: str
    priority: int
    state: State = State.QUEUED
    attempt: int = 0
    losses: int = 0
    cancel_requested: bool = False
    expired: bool = False

    def hold(self, claimed: Claim) -> bool:
        return self.state is State.RUNNING and self.attempt == claimed.attempt


class Machine(RuleBasedStateMachine):
    """Operations on a database and on a dictionary; after each, both must tell the same."""

    sessions: Sessions
    claims: Bundle[Claim] = Bundle("claims")

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, Model] = {}
        self.seen: dict[str, State] = {}
        with self.sessions.write() as session:
            session.execute(text("DELETE FROM jobs"))

    @rule(owner=st.sampled_from(["ann", "bob", "cyd"]), priority=st.sampled_from([0, 0, 0, 5, -5]))
    def submit(self, owner: str, priority: int) -> None:
        new = new_solve(owner, priority=priority)
        self.sessions.run(lambda session: submission.submit(session, new))
        self.rows[new.id] = Model(owner, priority)

    @rule(target=claims)
    def claim(self) -> Any:
        claimed = claim(self.sessions)
        expected = self.next_in_line()
        assert (claimed.id if claimed else None) == expected
        if claimed is None:
            return multiple()
        model = self.rows[claimed.id]
        model.state, model.attempt, model.cancel_requested = State.RUNNING, model.attempt + 1, False
        model.expired = False
        assert claimed.attempt == model.attempt
        return claimed

    def next_in_line(self) -> str | None:
        queued = {solve_id: model for solve_id, model in self.rows.items() if model.state is State.QUEUED}
        if not queued:
            return None
        top = max(model.priority for model in queued.values())

        def turn(solve_id: str) -> tuple[int, str, str]:
            owner = queued[solve_id].owner
            running = sum(m.owner == owner and m.state is State.RUNNING for m in self.rows.values())
            first = min(i for i, m in queued.items() if m.owner == owner and m.priority == top)
            return running, first, solve_id

        return min((i for i, m in queued.items() if m.priority == top), key=turn)

    @rule(claimed=claims)
    def heartbeat(self, claimed: Claim) -> None:
        model = self.rows[claimed.id]
        beat = self.sessions.run(lambda session: machine.heartbeat(session, claimed, LEASE))
        assert beat.held == model.hold(claimed)
        assert beat.cancel_requested == (beat.held and model.cancel_requested)
        if beat.held:
            model.expired = False

    @rule(claimed=claims, state=st.sampled_from(sorted(FINAL)))
    def finish(self, claimed: Claim, state: State) -> None:
        model = self.rows[claimed.id]
        kept = self.sessions.run(lambda session: end(session, claimed, answer(OUTCOME[state])))
        assert kept == model.hold(claimed)
        if kept:
            model.state = state

    @rule(claimed=claims)
    def fail(self, claimed: Claim) -> None:
        model = self.rows[claimed.id]
        kept = self.sessions.run(lambda session: machine.fail(session, claimed, "broken"))
        assert kept == model.hold(claimed)
        if kept:
            model.state = State.FAILED

    @rule(claimed=claims)
    def release(self, claimed: Claim) -> None:
        model = self.rows[claimed.id]
        kept = self.sessions.run(lambda session: machine.release(session, claimed))
        assert kept == model.hold(claimed)
        if kept:
            model.state = State.CANCELLED if model.cancel_requested else State.QUEUED

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        if not self.rows:
            return
        solve_id = data.draw(st.sampled_from(sorted(self.rows)))
        model = self.rows[solve_id]
        told = self.sessions.run(lambda session: machine.request_cancel(session, solve_id))
        if model.state in (State.QUEUED, State.RUNNING):
            model.cancel_requested = True
        if model.state is State.QUEUED:
            model.state = State.CANCELLED
        assert told is model.state

    @rule(claimed=claims)
    def let_the_lease_run_out(self, claimed: Claim) -> None:
        expire(self.sessions, claimed.id)
        model = self.rows[claimed.id]
        model.expired = model.state is State.RUNNING

    @rule()
    def sweep(self) -> None:
        report = sweep(self.sessions, MAX_LOSSES, ring_after=timedelta(hours=1))
        requeued, failed, cancelled = [], [], []
        for solve_id, model in self.rows.items():
            if model.state is not State.RUNNING or not model.expired:
                continue
            model.losses += 1
            if model.cancel_requested:
                model.state = State.CANCELLED
                cancelled.append(solve_id)
            elif model.losses >= MAX_LOSSES:
                model.state = State.FAILED
                failed.append(solve_id)
            else:
                model.state = State.QUEUED
                requeued.append(solve_id)
        assert report == machine.SweepReport(
            tuple(sorted(requeued)), tuple(sorted(failed)), tuple(sorted(cancelled)), waiting=len(requeued)
        )

    @invariant()
    def rows_are_as_the_model_says(self) -> None:
        with self.sessions.read() as session:
            found = {row.id: row for row in session.scalars(select(Job))}
            solves = {row.id: row for row in session.scalars(select(Solve).options(joinedload(Solve.job)))}
        assert found.keys() == self.rows.keys()
        for solve_id, row in found.items():
            model = self.rows[solve_id]
            assert (row.state, row.attempt, row.losses) == (model.state, model.attempt, model.losses)
            assert row.cancel_requested == model.cancel_requested
            before = self.seen.get(solve_id, State.QUEUED)
            assert before is row.state or (before, row.state) in LEGAL
            self.seen[solve_id] = row.state
            assert solves[solve_id].status == OUTCOME.get(row.state, row.state)


# Examples are as many as fit into some seconds; the seeds differ from run to run, and failures shrink.
@pytest.mark.parametrize("examples", [25])
def test_the_machine_and_its_model_agree(sessions: Sessions, examples: int) -> None:
    class Here(Machine):
        pass

    Here.sessions = sessions
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=examples,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
