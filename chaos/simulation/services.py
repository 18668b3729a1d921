"""Histories of whole services under a virtual clock: the real runner, lease keeper, looks, turns, rules of the slots,
sweeper, doorbell and SQL, with clients, Redis and Celery in their simplest form.

    live_services(seed)            # raises `Violation`

A history has a worker with two slots, a sweeper, and owners who submit short and long jobs, and cancel some. In its
first part processes are killed, and Redis is away or loses messages. The second part is calm, and everything must come
in time. What is asked of the store, and what it answers, goes to the `Specification`.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import redis
import structlog
from pydantic import BaseModel
from sqlalchemy import delete, event, select

import hstar.search.control
import store.doorbell
import store.ids
import worker.cancel_listener
import worker.lease_keeper
import worker.looking
import worker.notifier
import worker.runner
import worker.sweeper
import worker.turns
from chaos.simulation.specification import Deadlines, Specification, Violation
from chaos.simulation.virtual import EPOCH, Event, Machine, Process
from store.database import Sessions, make_engine, make_sessions, migrate
from store.doorbell import QUEUE, Doorbell
from store.jobs import machine
from store.jobs.choice import NO_CAP, Among
from store.jobs.machine import Claim, FollowingClaim, NewJob
from store.jobs.models import Job
from store.settings import Settings
from worker.kinds.kind import Ending, Kind, Work
from worker.slots import Role, Rules, Table

SLOTS, QUICK, PAUSED = 2, 1, 2
STEP = 0.02
STORM, CALM = 40.0, 120.0
#: of one job, far more than kills and tries need
MOST_ATTEMPTS = 200
MODULES = (
    worker.cancel_listener,
    worker.lease_keeper,
    worker.looking,
    worker.notifier,
    worker.runner,
    worker.sweeper,
    worker.turns,
    store.doorbell,
    store.ids,
    hstar.search.control,
)
SETTINGS = Settings(database_url="sqlite:///unused", workers=SLOTS, quick_slots=QUICK, paused_slots=PAUSED)
LEASE = SETTINGS.lease_seconds
#: after the longest look and what else may come before, with some time for the steps between
SOON = 0.2
LOOK = 1.25 * SETTINGS.pace.look_seconds + SOON


class Request(BaseModel):
    """A job of so many steps."""

    steps: int


class Answer(BaseModel):
    """How many steps were done in the attempt that ended it, and by its clock."""

    steps: int
    seconds: float


class Redis:
    """What the doorbell and Celery use of a server. ``away``: it refuses, ``deaf``: it does not answer."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.away, self.deaf = machine, False, False
        self.queue: deque[str] = deque()
        self.subscribers: list[Subscription] = []
        self.rung = Event(machine)

    def ask(self) -> None:
        if self.machine.current().process.dead:
            raise redis.ConnectionError("this process is dead")
        if self.deaf:
            self.machine.sleep(store.doorbell.TIMEOUT_SECONDS)
            raise redis.TimeoutError("no answer")
        if self.away:
            raise redis.ConnectionError("refused")

    def llen(self, _name: str) -> int:
        self.ask()
        return len(self.queue)

    def publish(self, channel: str, text: str) -> None:
        self.ask()
        for one in self.subscribers:
            if one.channel == channel:
                one.messages.append({"type": "message", "data": text})
                one.arrived.set()

    @contextmanager
    def pipeline(self, transaction: bool) -> Iterator[Any]:
        yield SimpleNamespace(publish=self.publish, execute=lambda: None)

    def pubsub(self) -> Subscription:
        return Subscription(self)

    def push(self) -> None:
        self.ask()
        self.queue.append(QUEUE)
        self.rung.set()

    def break_off(self) -> None:
        """All connections are gone, and with them the subscriptions."""
        for one in self.subscribers:
            one.broken = True
            one.arrived.set()
        self.subscribers.clear()


class Subscription:
    """As redis-py's `PubSub`."""

    def __init__(self, server: Redis) -> None:
        self._server, self.channel, self.broken = server, "", False
        self.messages: deque[dict[str, str]] = deque()
        self.arrived = Event(server.machine)

    def subscribe(self, channel: str) -> None:
        self._server.ask()
        self.channel, self.broken = channel, False
        self._server.subscribers.append(self)
        self.messages.append({"type": "subscribe", "data": "1"})

    def unsubscribe(self, _channel: str) -> None:
        if self in self._server.subscribers:
            self._server.subscribers.remove(self)
        self._server.ask()

    def get_message(self, timeout: float, ignore_subscribe_messages: bool = False) -> dict[str, str] | None:
        if not self.messages and not self.broken:
            self.arrived.clear()
            self.arrived.wait(timeout)
        if self.broken:
            raise redis.ConnectionError("broken")
        return self.messages.popleft() if self.messages else None

    def close(self) -> None:
        self.broken = True
        if self in self._server.subscribers:
            self._server.subscribers.remove(self)


class Bell(Doorbell):
    """The doorbell with that server."""

    def __init__(self, server: Redis) -> None:
        self._server = server
        stand_in: Any = server
        self._redis = stand_in
        self._away_until, self._closed, self._owner = 0.0, False, os.getpid()
        self._idle = deque(maxlen=store.doorbell.MOST_IDLE)
        producers: Any = SimpleNamespace(acquire=self._producer)
        self._producers = producers

    @contextmanager
    def _producer(self, **_: object) -> Iterator[Redis]:
        yield self._server

    @staticmethod
    def _publish(producer: Any, queue: str) -> None:
        if queue == QUEUE:
            producer.push()


class VirtualSlots:
    """`worker.slots.Slots` with its table in this process."""

    def __init__(self, service: Service, process: Process) -> None:
        self._service, self._process = service, process

    @property
    def role(self) -> Role | None:
        mine = self._service.table.entries.get(self._process.number)
        return None if mine is None else mine.role

    def _table(self) -> Table:
        table = self._service.table
        alive = {one.number for one in self._service.processes if not one.dead}
        table.entries = {number: one for number, one in table.entries.items() if number in alive}
        return table

    def _asked(self, name: str, *given: Any) -> Any:
        if self._process.dead:
            return None
        return getattr(self._table(), name)(self._process.number, *given, self._service.machine.now)

    def enter(self) -> Role | None:
        waits = any(one.role is Role.PAUSED for one in self._table().entries.values())
        if self.role is Role.SLOT and not waits:
            return Role.SLOT
        role: Role | None = self._asked("enter")
        return role

    def reserve(self) -> int:
        return self._asked("reserve") or 0

    def keep(self, owner: str) -> bool:
        return self._asked("keep", owner) is not None

    def look(self, job: Any) -> bool:
        self._asked("look", job)
        return self.role is not Role.PAUSED

    def leave(self) -> None:
        self._table().entries.pop(self._process.number, None)


@dataclass
class Lived:
    """What is known of a job besides its rows: who has it, and its steps by attempt."""

    owner: str
    steps: int
    submitted: float
    done: dict[int, int] = field(default_factory=dict)


class Service:
    """One history."""

    def __init__(self, seed: int, sessions: Sessions, clock: SimpleNamespace) -> None:
        self.machine = Machine(seed)
        clock.now = lambda: self.machine.now
        self.sessions, self.redis = sessions, Redis(self.machine)
        self.specification = Specification(LEASE, SETTINGS.pace.max_losses, exact=False)
        self.deadlines = Deadlines(lambda: self.machine.now)
        rules = Rules(SLOTS, QUICK, PAUSED, 10_000, SETTINGS.pace.slice_seconds, LEASE)
        self.table = Table(rules)
        self.processes: list[Process] = []
        self.jobs: dict[str, Lived] = {}
        self.pool: list[Any] = []
        self.calm = False
        self._rows: dict[str, Any] = {}
        self._asked: list[tuple[str, str, Callable[[dict[str, Any]], None]]] = []
        self._killed: set[str] = set()
        #: by the number of a process: what it runs; and the attempts whose processes were killed
        self._claims: dict[int, tuple[str, int]] = {}
        self._attempt_of: dict[str, int] = {}

    # The store, seen

    @contextmanager
    def observed(self) -> Iterator[None]:
        """In the block all that is asked of the store is seen."""
        real = machine
        service = self

        class Following(FollowingClaim):
            def get(self, session: Any) -> Claim | None:
                claim = super().get(session)
                plain = self.among is Among.ALL and self.owner_running == NO_CAP
                service.saw_claim(self.worker, claim, plain)
                return claim

        def heartbeat(session: Any, claim: Claim, lease: timedelta, progress: str | None = None) -> Any:
            beat = real.heartbeat(session, claim, lease, progress)
            service.saw("extended", claim, beat.held, beat.cancel_requested, progress)
            return beat

        def finish(session: Any, claim: Claim, state: Any, answer: str | None = None) -> bool:
            kept = real.finish(session, claim, state, answer)
            service.saw("ended", claim, str(state), answer, kept)
            return kept

        def fail(session: Any, claim: Claim, message: str) -> bool:
            kept = real.fail(session, claim, message)
            service.saw("ended", claim, "failed", message, kept)
            return kept

        def release(session: Any, claim: Claim, *, long: bool = False) -> bool:
            kept = real.release(session, claim, long=long)
            service.saw("released", claim, long, kept)
            return kept

        def sweep(session: Any, **named: Any) -> Any:
            report = real.sweep(session, **named)
            service._asked.append(("", "", service.specification.swept))
            return report

        watched = {name: getattr(real, name) for name in dir(real) if not name.startswith("__")}
        watched |= {"heartbeat": heartbeat, "finish": finish, "fail": fail, "release": release, "sweep": sweep}
        seen = SimpleNamespace(**watched)
        with (
            patch.object(worker.runner, "machine", seen),
            patch.object(worker.lease_keeper, "machine", seen),
            patch.object(worker.sweeper, "machine", seen),
            patch.object(worker.runner, "FollowingClaim", Following),
            patch.object(worker.runner, "make_engine", lambda *_, **__: None),
            patch.object(worker.runner, "make_sessions", lambda _: Watched(self)),
            patch.object(worker.runner, "Doorbell", lambda _: Bell(self.redis)),
            patch.object(worker.turns, "own_mib", lambda: 200),
            patch("worker.sweeper.finished.note_finished", lambda *_: None),
            patch("worker.sweeper.finished.keep_tables", lambda *_: None),
            patch("worker.sweeper.parts.note", lambda *_: None),
        ):
            yield

    def saw(self, what: str, claim: Claim, *told: Any) -> None:
        """Something was asked about a job that was claimed."""
        see = getattr(self.specification, what)
        self._asked.append((what, claim.id, lambda changed: see((claim.id, claim.attempt), *told, changed)))

    def saw_claim(self, name: str, claim: Claim | None, plain: bool) -> None:
        ticket = None if claim is None else (claim.id, claim.attempt)
        job = "" if claim is None else claim.id
        see = self.specification.claimed
        self._asked.append(("claimed", job, lambda changed: see(name, ticket, changed, any_job=plain)))

    def look_at_rows(self) -> None:
        """After a transaction: tell the specification what was asked, and which rows have changed."""
        asked, self._asked = self._asked, []
        if not asked:
            return
        with self.sessions.read() as session:
            rows = {row.id: row for row in session.execute(_ROWS)}
        changed = {job: row for job, row in rows.items() if row != self._rows.get(job)}
        self._rows = rows
        self.specification.clock_is(self.machine.now)
        for number, (what, job, see) in enumerate(asked):
            # One transaction may end a job and claim another, or the same one, where another attempt has lost it.
            later = [other for _, other, _ in asked[number + 1 :]]
            mine = changed if not later else {job: changed.pop(job)} if job in changed and job not in later else {}
            see(dict(mine))
            self._note(what, job)
        self.deadlines.look()

    def _note(self, what: str, job: str) -> None:
        row = self._rows.get(job)
        if what == "claimed" and row is not None:
            self.deadlines.happened(("found", job))
        for other, one in self._rows.items():
            if one.state in ("done", "cancelled", "failed"):
                for waited in ("found", "ended", "told"):
                    self.deadlines.happened((waited, other))
            if one.state != "running" or one.attempt != self._attempt_of.get(other):
                self.deadlines.happened(("lost", other))

    # The parts

    def start(self) -> None:
        """The sweeper, Celery's main process, and those of its pool."""
        sweeping = self.machine.process("sweeper")

        def sweep() -> None:
            sessions: Any = Watched(self)
            stop: Any = Event(self.machine)
            sweeper = worker.sweeper.Sweeper(SETTINGS, sessions, Bell(self.redis))
            # The rest of a sweep concerns no job.
            for name in ("_count", "_roll_up", "_forget"):
                setattr(sweeper, name, lambda *_: None)
            sweeper.run(stop)

        sweeping.start(sweep)
        self.pool = [self._pool_process(f"pool {number}") for number in range(SLOTS + QUICK + PAUSED)]
        self.machine.process("celery").start(self._celery)

    def _pool_process(self, name: str) -> Any:
        process = self.machine.process(name)
        self.processes.append(process)
        inbox, made = Event(self.machine), SimpleNamespace(process=process, inbox=None, busy=False)
        made.inbox = inbox

        def main() -> None:
            kinds = {"simulation": Kind(name="simulation", request=Request, run=self._run)}
            slots: Any = VirtualSlots(self, process)
            made.runner = worker.runner.Runner(SETTINGS, kinds, slots)
            made.runner.note_that_it_works = lambda: None
            made.runner.write_counts = made.runner.delete_layers = lambda: None
            worker.looking.Looker(made.runner, SETTINGS.pace.look_seconds)
            while True:
                made.busy = False
                inbox.clear()
                inbox.wait()
                made.busy = True
                made.runner.drain()

        process.start(main)
        return made

    def _celery(self) -> None:
        """Gives messages to idle processes, and replaces dead ones after a while."""
        while True:
            self.redis.rung.clear()
            for number, one in enumerate(self.pool):
                if one.process.dead:
                    self.pool[number] = self._pool_process(one.process.name)
                elif not one.busy and self.redis.queue and not self.redis.away and not self.redis.deaf:
                    self.redis.queue.popleft()
                    one.busy = True
                    one.inbox.set()
            self.redis.rung.wait(0.25)

    def _run(self, request: Request, work: Work) -> Ending[Answer]:
        process = self.machine.current().process
        began, job, attempt = work.control.now(), *self._claims[process.number]
        done = self.jobs[job].done
        for _ in range(request.steps):
            work.control.check()
            self.machine.sleep(STEP)
            done[attempt] = done.get(attempt, 0) + 1
            self._may_step(process)
        return Ending(Answer(steps=done[attempt], seconds=work.control.now() - began))

    def _may_step(self, process: Process) -> None:
        mine = self.table.entries.get(process.number)
        if mine is not None and mine.role is Role.PAUSED and self.machine.now - mine.since > 2 * STEP:
            raise Violation(f"{process.name} goes on, although its job is paused since {mine.since:.2f} s")

    # The clients

    def submit(self, owner: str, steps: int) -> str:
        """As the API: commit, then ring."""
        new = NewJob("simulation", Request(steps=steps).model_dump_json(), owner)
        idle = sum(lived not in ("done", "cancelled", "failed") for lived in self._states()) < SLOTS
        self.jobs[new.id] = Lived(owner, steps, self.machine.now)
        with self.sessions.write() as session:
            machine.submit(session, [new])
        see = self.specification.submitted
        self._asked.append(("", new.id, lambda changed: see(new.id, new.id, owner, 0, changed)))
        self.look_at_rows()
        if self.calm and idle:
            self.deadlines.within(LOOK, ("found", new.id), f"{new.id} was not found by a bell or a look")
        Bell(self.redis).ring()
        return new.id

    def cancel(self, job: str) -> None:
        """As the API: commit, then tell."""
        with self.sessions.write() as session:
            state = machine.request_cancel(session, job)
        see = self.specification.asked_to_cancel
        self._asked.append(("", job, lambda changed: see(job, str(state), changed)))
        self.look_at_rows()
        if self.calm and self._rows[job].state == "running":
            wait = SETTINGS.pace.heartbeat_seconds + SOON
            self.deadlines.within(wait, ("told", job), f"{job} went on after a cancel")
        Bell(self.redis).cancel(job)

    def _states(self) -> list[str]:
        return [row.state for row in self._rows.values()]

    def kill(self) -> None:
        """SIGKILL for a process of the pool."""
        chosen = self.machine.chance.choice(self.pool)
        if chosen.process.dead:
            return
        for job, row in self._rows.items():
            if row.state == "running" and self._claims.get(chosen.process.number, ("",))[0] == job:
                wait = LEASE + SETTINGS.pace.sweep_seconds + SOON
                self._attempt_of[job] = row.attempt
                self.deadlines.within(wait, ("lost", job), f"nobody noticed that {job} lost its process")
                self._killed.add(job)
        chosen.process.kill()

    def live(self) -> None:
        """The storm, then the calm."""
        chance = self.machine.chance
        clients = self.machine.process("clients")
        clients.start(lambda: self._storm(chance))
        self.machine.run(until=STORM)
        self.redis.away = self.redis.deaf = False
        self.calm = True
        clients.start(lambda: self._calm(chance))
        self.machine.run(until=STORM + CALM)
        self.deadlines.look()
        self.specification.all_have_ended()
        self._nothing_was_lost()

    def _storm(self, chance: Any) -> None:
        jobs: list[str] = []
        while True:
            self.machine.sleep(chance.expovariate(0.7))
            drawn = chance.random()
            if drawn < 0.45 and len(jobs) < 8:
                jobs.append(self.submit(chance.choice("abc"), chance.choice((1, 10, 100, 400))))
            elif drawn < 0.6 and jobs:
                self.cancel(chance.choice(jobs))
            elif drawn < 0.75:
                self.kill()
            elif drawn < 0.85:
                self.redis.queue.clear()
            else:
                self.redis.away, self.redis.deaf = chance.choice(((True, False), (False, True), (False, False)))
                if self.redis.away:
                    self.redis.break_off()
            if self.machine.now > STORM - 5:
                return

    def _calm(self, chance: Any) -> None:
        """Ann has long jobs; a job of three seconds of Bob ends within ten."""
        self.machine.sleep(LEASE + 10)
        mine = [self.submit("ann", chance.randrange(500, 1200)) for _ in range(SLOTS + 1)]
        self.machine.sleep(chance.uniform(1, 8))
        for _ in range(3):
            job = self.submit("bob", 150)
            self.deadlines.within(
                10.0, ("ended", job), f"{job}, of 3 s beside long ones of another owner, has not ended"
            )
            self.machine.sleep(chance.uniform(10, 15))
        self.cancel(chance.choice(mine))

    def _nothing_was_lost(self) -> None:
        for job, lived in self.jobs.items():
            row = self._rows[job]
            if row.state != "done":
                continue
            answer = Answer.model_validate_json(row.answer)
            if answer.steps != lived.steps or abs(answer.seconds - lived.steps * STEP) > SOON:
                raise Violation(f"{job} of {lived.steps} steps has the answer {answer}")
            lost = sum(lived.done.values()) - lived.steps
            tries = max(lived.done) - 1
            # A try takes half a second; one that a kill has ended loses all its steps.
            if job not in self._killed and lost > tries * (worker.turns.QUICK_SECONDS / STEP + 5):
                raise Violation(f"{job} has lost {lost} steps in {tries} tries, and no process of it was killed")


class Watched:
    """The sessions of one process: a dead one writes nothing, and after each transaction rows are looked at."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.engine = service.sessions.engine

    def _alive(self) -> bool:
        return not self._service.machine.current().process.dead

    def transact(self, work: Callable[[Any], Any], *, patience: float = 5.0) -> Any:
        return self._seen(lambda: self._service.sessions.transact(work, patience=patience))

    def run(self, work: Callable[[Any], Any], *, patience: float = 5.0) -> Any:
        return self._seen(lambda: self._service.sessions.run(work, patience=patience))

    def _seen(self, work: Callable[[], Any]) -> Any:
        if not self._alive():
            raise SystemExit
        result = work()
        self._note_claim(result)
        self._service.look_at_rows()
        return result

    def _note_claim(self, result: Any) -> None:
        claim = result[1] if isinstance(result, tuple) else result
        if isinstance(claim, Claim):
            number = self._service.machine.current().process.number
            self._service._claims[number] = (claim.id, claim.attempt)
            # A process that hands a job back and claims it again at once does so for ever: the clock stands still.
            if claim.attempt > MOST_ATTEMPTS:
                raise Violation(f"{claim.id} was claimed {claim.attempt} times and has not ended")

    def read(self) -> Any:
        return self._service.sessions.read()

    def close(self) -> None:
        """The database goes on."""


_COLUMNS = (
    *("id", "state", "attempt", "losses", "cancel_requested", "quick", "worker", "lease_until", "started_at"),
    *("finished_at", "progress", "progress_at", "error", "answer"),
)
_ROWS = select(*(getattr(Job, name) for name in _COLUMNS))


@lru_cache(1)
def _database() -> tuple[Sessions, SimpleNamespace]:
    """A database in memory, whose clock is ``now()`` of the second value."""
    home = tempfile.mkdtemp(prefix="hstar-simulation-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    clock = SimpleNamespace(now=lambda: 0.0)
    engine = make_engine(f"sqlite:///{Path(home) / 'jobs.sqlite'}", pool_size=1)

    def strftime(_format: str, _now: str, modifier: str = "+0 seconds") -> str:
        at = datetime.fromtimestamp(EPOCH + clock.now() + float(modifier.split()[0]), UTC)
        return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond:06d}"

    migrate.upgrade(engine)

    @event.listens_for(engine, "checkout")
    def configure(connection: Any, _record: Any, _proxy: Any) -> None:
        connection.create_function("strftime", -1, strftime)

    return make_sessions(engine), clock


def live_services(seed: int) -> None:
    """The history of a seed. Raises `Violation`."""
    sessions, clock = _database()
    with sessions.write() as session:
        session.execute(delete(Job))
    service = Service(seed, sessions, clock)
    ids = patch.multiple(store.ids, _last_ms=0, _last_random=0)  # those made afterwards follow this machine's own time
    with service.observed(), service.machine.installed(*MODULES), ids, _quiet():
        try:
            service.start()
            service.live()
        finally:
            service.machine.close()


@contextmanager
def _quiet() -> Iterator[None]:
    before = structlog.get_config()
    logging.disable()
    structlog.configure(processors=[], wrapper_class=structlog.make_filtering_bound_logger(50))
    try:
        yield
    finally:
        structlog.configure(**before)
        logging.disable(logging.NOTSET)
