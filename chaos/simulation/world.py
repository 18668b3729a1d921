"""Everybody who handles jobs, and what may befall them: clients, workers, sweepers, the clock.

    world = World(MemoryJobs())
    world.act("submit", 5)                  # every action takes a number and makes of it what it needs
    world.act("claim", 1)
    world.recover()                         # no more faults: everything must come to an end

After each action every row that changed is looked at; a `Violation` says what is wrong. What the store answers is
compared with what the world remembers of it, so that a result that was recorded twice, or by an attempt that had lost
the job, is noticed although the row looks all right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chaos.simulation.memory import LEASE, Jobs, Ticket
from store.jobs.rules import Row, faults, step_faults
from store.jobs.states import FINAL, State

OWNERS = ("ann", "bob", "cyd")
WORKERS = 3
MOST_JOBS = 8
# All steps of the clock are multiples of 300, and the lease is none: it never ends within the seconds that a real
# database needs for a history.
STEPS = (300, 300, 300, 1500, 3600, -3600)
ENDS = (State.DONE, State.DONE, State.DONE, State.FAILED)


class Violation(AssertionError):
    """Something happened that must never happen."""


@dataclass(slots=True)
class Late:
    """A worker that stands still just before it writes an end."""

    ticket: Ticket
    state: State


class World:
    """One history."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._ids: list[str] = []
        #: what was made under each Idempotency-Key
        self._made: dict[str, str] = {}
        self._seen: dict[str, Row] = {}
        self._hands: list[Ticket | None] = [None] * WORKERS
        self._told_to_cancel = [False] * WORKERS
        self._late: list[Late] = []
        self._issued: set[Ticket] = set()
        self._newest: dict[str, int] = {}
        #: the attempt whose end was kept
        self._results: dict[str, int] = {}
        self._actions: dict[str, Callable[[int], None]] = {
            name: getattr(self, f"_{name}") for name in dict.fromkeys(ACTIONS)
        }

    def act(self, name: str, number: int) -> None:
        """Let something happen; raises `Violation` if it must not."""
        self._actions[name](number)
        self._look()

    def recover(self) -> None:
        """All processes die and start again, and from now on nothing goes wrong: every job must end soon.

        Everything that nobody holds is back in the queue after a lease and two sweeps.
        """
        self._hands = [None] * WORKERS
        for _ in range(len(self._late)):
            self.act("wake", 0)
        for seconds in (0, LEASE + 500):
            self._jobs.pass_time(seconds)
            self.act("sweep", 0)
        stuck = [job_id for job_id, row in self._seen.items() if row.state is State.RUNNING]
        if stuck:
            raise Violation(f"nobody runs {stuck}, and a lease and two sweeps later they still wait")
        for _ in self._ids:
            self.act("claim", 0)
            self.act("end", 0)
        for job_id, row in self._seen.items():
            if row.state not in FINAL:
                raise Violation(f"{job_id} is {row.state} although there was a worker for it")
            if row.state is State.DONE and (
                self._results.get(job_id) != row.attempt or row.answer != text_of((job_id, row.attempt))
            ):
                raise Violation(f"{job_id} has the answer {row.answer}, and attempt {row.attempt} has ended it")
        if sorted(self._seen) != sorted(self._made.values()):
            raise Violation(f"there are {len(self._seen)} jobs, and {len(self._made)} were accepted")

    def _look(self) -> None:
        for job_id, row in self._jobs.changed().items():
            before = self._seen.get(job_id, Row())
            wrong = faults(row) + step_faults(before, row)
            if wrong:
                raise Violation(f"{job_id}: {'; '.join(wrong)}; it was {before} and is {row}")
            self._seen[job_id] = row

    # Clients

    def _submit(self, number: int) -> None:
        if len(self._made) < MOST_JOBS:
            self._ask(f"key-{len(self._made)}", number)

    def _submit_again(self, number: int) -> None:
        """The client has heard nothing: the API died after the commit, or the answer was lost."""
        if self._made:
            self._ask(f"key-{number % len(self._made)}", number)

    def _ask(self, key: str, number: int) -> None:
        job_id = self._jobs.submit(OWNERS[number % 3], key, 5 if number % 7 == 0 else 0)
        if self._made.setdefault(key, job_id) != job_id:
            raise Violation(f"{key} made {self._made[key]} and then {job_id}")
        if job_id not in self._ids:
            self._ids.append(job_id)

    def _cancel(self, number: int) -> None:
        if self._ids:
            self._jobs.cancel(self._ids[number % len(self._ids)])

    # Workers

    def _claim(self, number: int) -> None:
        worker = number % WORKERS
        if self._hands[worker] is None:
            self._hands[worker] = self._take(worker)
            self._told_to_cancel[worker] = False

    def _claim_and_die(self, number: int) -> None:
        """The claim is committed, and nobody hears of it."""
        self._take(number % WORKERS)

    def _take(self, worker: int) -> Ticket | None:
        ticket = self._jobs.claim(f"worker-{worker}")
        if ticket is not None:
            if ticket in self._issued:
                raise Violation(f"{ticket} was claimed twice")
            self._issued.add(ticket)
            self._newest[ticket[0]] = ticket[1]
        return ticket

    def _beat(self, number: int) -> None:
        worker = number % WORKERS
        ticket = self._hands[worker]
        if ticket is None:
            return
        held, cancel = self._jobs.heartbeat(ticket)
        if held and self._newest[ticket[0]] != ticket[1]:
            raise Violation(f"{ticket} holds a job that another attempt has")
        self._told_to_cancel[worker] |= cancel
        if not held:
            self._hands[worker] = None

    def _end(self, number: int) -> None:
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            self._write(Late(ticket, self._how(worker, number)))

    def _end_unheard(self, number: int) -> None:
        """The end is committed, the connection breaks before the answer, and the worker writes it once more."""
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            late = Late(ticket, self._how(worker, number))
            self._write(late)
            self._write(late)

    def _stall(self, number: int) -> None:
        """The process stands still before it writes its end; another takes its place."""
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            self._late.append(Late(ticket, self._how(worker, number)))

    def _wake(self, number: int) -> None:
        if self._late:
            self._write(self._late.pop(number % len(self._late)))

    def _how(self, worker: int, number: int) -> State:
        return State.CANCELLED if self._told_to_cancel[worker] else ENDS[number // WORKERS % len(ENDS)]

    def _write(self, late: Late) -> None:
        job_id, attempt = late.ticket
        if self._jobs.end(late.ticket, late.state, text_of(late.ticket)):
            if job_id in self._results:
                raise Violation(f"{job_id} has two results: of attempts {self._results[job_id]} and {attempt}")
            if attempt != self._newest[job_id]:
                raise Violation(f"{late.ticket} has written a result, and attempt {self._newest[job_id]} had the job")
            self._results[job_id] = attempt

    def _release(self, number: int) -> None:
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None and self._jobs.release(ticket) and self._newest[ticket[0]] != ticket[1]:
            raise Violation(f"{ticket} was handed back, and another attempt had the job")

    def _die(self, number: int) -> None:
        self._hands[number % WORKERS] = None

    # Time

    def _sweep(self, _number: int) -> None:
        self._jobs.sweep()

    def _pass_time(self, number: int) -> None:
        self._jobs.pass_time(STEPS[number % len(STEPS)])


def text_of(ticket: Ticket) -> str:
    """The answer of an attempt; JSON, because the columns are."""
    return f'"{ticket[0]}:{ticket[1]}"'


#: what may happen, as often as it is named
ACTIONS = (
    *("submit",) * 5,
    *("submit_again",) * 2,
    *("claim",) * 7,
    "claim_and_die",
    *("beat",) * 3,
    *("end",) * 3,
    "end_unheard",
    *("stall",) * 2,
    *("wake",) * 2,
    "release",
    *("die",) * 2,
    *("cancel",) * 2,
    *("sweep",) * 5,
    *("pass_time",) * 5,
)
