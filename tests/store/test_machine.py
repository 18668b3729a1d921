"""The SQL, compared with the rules in memory: the same histories, step by step, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from sqlalchemy import bindparam, select, text, update

from chaos.simulation.histories import live, run
from chaos.simulation.memory import LEASE, MAX_LOSSES, Guard, MemoryJobs, Swept, Ticket
from chaos.simulation.specification import Violation
from chaos.simulation.world import ACTIONS, World
from store.database import Sessions
from store.jobs import machine, rules, statements
from store.jobs.machine import Claim, NewJob
from store.jobs.models import Job
from store.jobs.rules import Condition, Row, Rule
from store.jobs.states import State
from store.owners import idempotency
from tests.conftest import TEST_ALL

LEASE_TIME = timedelta(seconds=LEASE)
TIMES = ("lease_until", "created_at")
T = TypeVar("T")


class SqlJobs:
    """`chaos.simulation.memory.Jobs` in a database, as the service and the worker use it.

    The database's clock cannot be set, so the times in its rows are shifted instead, which has the same effect.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        with sessions.write() as session:
            session.execute(text("DELETE FROM jobs"))
            session.execute(text("DELETE FROM idempotency_keys"))

    def submit(self, owner: str, key: str, priority: int) -> str:
        new = NewJob("simulation", "{}", owner, priority)
        with self._sessions.write() as session:
            found = idempotency.remember(session, "clients", key, "fingerprint", new.id)
            if found == new.id:
                machine.submit(session, [new])
        return found

    def claim(self, worker: str) -> Ticket | None:
        claim = self._sessions.run(lambda session: machine.claim_next(session, worker, LEASE_TIME))
        return None if claim is None else (claim.id, claim.attempt)

    def heartbeat(self, ticket: Ticket, progress: str | None = None) -> tuple[bool, bool]:
        beat = self._sessions.run(lambda session: machine.heartbeat(session, _claim(ticket), LEASE_TIME, progress))
        return beat.held, beat.cancel_requested

    def end(self, ticket: Ticket, state: State, text: str) -> bool:
        if state is State.FAILED:
            return self._sessions.run(lambda session: machine.fail(session, _claim(ticket), text))
        return self._sessions.run(lambda session: machine.finish(session, _claim(ticket), state, text))

    def release(self, ticket: Ticket, *, long: bool = False) -> bool:
        return self._sessions.run(lambda session: machine.release(session, _claim(ticket), long=long))

    def cancel(self, job_id: str) -> State:
        state = self._sessions.run(lambda session: machine.request_cancel(session, job_id))
        assert state is not None
        return state

    def sweep(self) -> Swept:
        report = self._sessions.run(
            lambda session: machine.sweep(
                session, lease=LEASE_TIME, max_losses=MAX_LOSSES, wake_after=timedelta(hours=1)
            )
        )
        return Swept(report.requeued, report.failed, report.cancelled, report.shortened)

    def pass_time(self, seconds: int) -> None:
        with self._sessions.write() as session:
            for job in session.scalars(select(Job)).all():
                moved = {name: getattr(job, name) for name in TIMES}
                moved = {name: value and value - timedelta(seconds=seconds) for name, value in moved.items()}
                session.execute(update(Job).where(Job.id == job.id).values(moved))

    def changed(self) -> dict[str, Row]:
        with self._sessions.read() as session:
            jobs = session.scalars(select(Job)).all()
        return {job.id: Row(**{name: _plain(getattr(job, name)) for name in Row.__slots__}) for job in jobs}


def _claim(ticket: Ticket) -> Claim:
    return Claim(*ticket, worker="worker", request="", kind="simulation")


def _plain(value: Any) -> Any:
    return value.timestamp() if isinstance(value, datetime) else value


class Compared:
    """Jobs in a database and in memory, which must give the same answers."""

    def __init__(self, sql: SqlJobs, memory: MemoryJobs) -> None:
        self._sql, self._memory = sql, memory

    def submit(self, owner: str, key: str, priority: int) -> str:
        found = self._sql.submit(owner, key, priority)
        assert self._memory.submit(owner, key, priority, found) == found
        return found

    def claim(self, worker: str) -> Ticket | None:
        return _same(self._sql.claim(worker), self._memory.claim(worker), "claim")

    def heartbeat(self, ticket: Ticket, progress: str | None = None) -> tuple[bool, bool]:
        return _same(self._sql.heartbeat(ticket, progress), self._memory.heartbeat(ticket, progress), "heartbeat")

    def end(self, ticket: Ticket, state: State, text: str) -> bool:
        return _same(self._sql.end(ticket, state, text), self._memory.end(ticket, state, text), "end")

    def release(self, ticket: Ticket, *, long: bool = False) -> bool:
        return _same(self._sql.release(ticket, long=long), self._memory.release(ticket, long=long), "release")

    def cancel(self, job_id: str) -> State:
        return _same(self._sql.cancel(job_id), self._memory.cancel(job_id), "cancel")

    def sweep(self) -> Swept:
        return _same(self._sql.sweep(), self._memory.sweep(), "sweep")

    def pass_time(self, seconds: int) -> None:
        self._sql.pass_time(seconds)
        self._memory.pass_time(seconds)

    def changed(self) -> dict[str, Row]:
        rows = self._memory.changed()
        found = self._sql.changed()
        for job_id, row in rows.items():
            _same(_comparable(found[job_id]), _comparable(row), job_id)
        return rows


def _comparable(row: Row) -> tuple[object, ...]:
    """Everything except times and the texts of errors."""
    present = tuple(getattr(row, name) is not None for name in ("lease_until", "started_at", "finished_at", "error"))
    return (
        row.state,
        row.attempt,
        row.losses,
        row.cancel_requested,
        row.quick,
        row.worker,
        row.progress,
        row.answer,
        present,
    )


def _same(found: T, expected: T, what: str) -> T:
    if found != expected:
        raise Violation(f"{what}: the database has {found}, and the rules say {expected}")
    return found


class Machine(RuleBasedStateMachine):
    """Hypothesis chooses the actions, and makes a failing history as short as possible."""

    sessions: Sessions

    def __init__(self) -> None:
        super().__init__()
        self.world = World(Compared(SqlJobs(self.sessions), MemoryJobs()))

    @rule(action=st.sampled_from(ACTIONS), number=st.integers(0, 2**32))
    def something_happens(self, action: str, number: int) -> None:
        self.world.act(action, number)

    def teardown(self) -> None:
        self.world.recover()


def test_the_database_follows_the_rules(sessions: Sessions) -> None:
    class Here(Machine):
        pass

    Here.sessions = sessions
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=400 if TEST_ALL else 12,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


@pytest.mark.parametrize("seed", range(200 if TEST_ALL else 4))
def test_histories_that_were_lived_in_memory(sessions: Sessions, seed: int) -> None:
    assert live(seed, Compared(SqlJobs(sessions), MemoryJobs())) > 0


def fails_somewhere(alive: Callable[[int], object], seeds: Iterable[int]) -> bool:
    for seed in seeds:
        try:
            alive(seed)
        except Violation:
            return True
    return False


def test_without_the_attempt_check_in_its_sql_the_database_is_found_out(
    sqlite_sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    for target, sound in rules.END.items():
        broken = Rule(replace(sound.transition, fenced=False), target, (), sound.changes)
        assert Condition.SAME_ATTEMPT in sound.conditions
        statement = statements.update(broken, statements.row.id == bindparam("claim_id"))
        monkeypatch.setitem(statements.END, target, statement.returning(statements.row.id))
    known = run(range(200), without=frozenset({Guard.ATTEMPT_CHECK})).violations
    assert fails_somewhere(
        lambda seed: live(seed, SqlJobs(sqlite_sessions), exact=False), [seed for seed, _ in known[:10]]
    )


def test_a_store_that_differs_from_the_rules_is_found_out(sqlite_sessions: Sessions) -> None:
    for guard in Guard:
        lacking = frozenset({guard})

        def both(seed: int, lacking: frozenset[Guard] = lacking) -> object:
            return live(seed, Compared(SqlJobs(sqlite_sessions), MemoryJobs(lacking)))

        known = run(range(200), without=lacking).violations
        assert fails_somewhere(both, [seed for seed, _ in known[:3]]), guard
