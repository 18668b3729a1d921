"""The actors that handle jobs, and their faults: clients, workers, sweepers, the clock.

world = World(MemoryJobs())
world.act("submit", 5)                  # every action takes a number, and derives its parameters from it
world.act("claim", 1)
world.recover()                         # no more faults: all jobs must end

After each action every changed row is checked; a `Violation` says what is wrong. The answers of the store are
compared with the world's own records, so that a result that was written twice, or by an attempt that had lost the
job, is noticed even if the row is valid.
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
# All steps of the clock are multiples of 300, and the lease is not, so no lease ends within the few seconds that a real
# database needs for a history.
STEPS = (300, 300, 300, 1500, 3600, -3600)
ENDS = (State.DONE, State.DONE, State.DONE, State.FAILED)


class Violation(AssertionError):
    """An invariant was violated."""


@dataclass(slots=True)
class Late:
    """A worker that hangs just before it writes a result."""

    ticket: Ticket
    state: State


class World:
    """One history."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._ids: list[str] = []
        #: the job of each Idempotency-Key
        self._made: dict[str, str] = {}
        self._seen: dict[str, Row] = {}
        self._hands: list[Ticket | None] = [None] * WORKERS
        self._told_to_cancel = [False] * WORKERS
        self._late: list[Late] = []
        self._issued: set[Ticket] = set()
        self._newest: dict[str, int] = {}
        #: the attempt whose result was accepted
        self._results: dict[str, int] = {}
        self._actions: dict[str, Callable[[int], None]] = {
            name: getattr(self, f"_{name}") for name in dict.fromkeys(ACTIONS)
        }

    def act(self, name: str, number: int) -> None:
        """Do an action; raises `Violation` if an invariant is broken."""
        self._actions[name](number)
        self._look()

    def recover(self) -> None:
        """Restart all processes; from now on there are no faults, and every job must end soon.

        After a lease and two sweeps, every job without a worker must be back in the queue.
        """
        self._hands = [None] * WORKERS
        for _ in range(len(self._late)):
            self.act("wake", 0)
        for seconds in (0, LEASE + 500):
            self._jobs.pass_time(seconds)
            self.act("sweep", 0)
        stuck = [job_id for job_id, row in self._seen.items() if row.state is State.RUNNING]
        if stuck:
            raise Violation(f"{stuck} have no worker, and are still not queued after a lease and two sweeps")
        for _ in self._ids:
            self.act("claim", 0)
            self.act("end", 0)
        for job_id, row in self._seen.items():
            if row.state not in FINAL:
                raise Violation(f"{job_id} is {row.state}, although a worker was there for it")
            if row.state is State.DONE and (
                self._results.get(job_id) != row.attempt or row.answer != text_of((job_id, row.attempt))
            ):
                raise Violation(f"{job_id} has the answer {row.answer}, but attempt {row.attempt} ended it")
        if sorted(self._seen) != sorted(self._made.values()):
            raise Violation(f"there are {len(self._seen)} jobs, but {len(self._made)} were accepted")

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
        """The client sends again, because the API died after the commit, or the answer was lost."""
        if self._made:
            self._ask(f"key-{number % len(self._made)}", number)

    def _ask(self, key: str, number: int) -> None:
        job_id = self._jobs.submit(OWNERS[number % 3], key, 5 if number % 7 == 0 else 0)
        if self._made.setdefault(key, job_id) != job_id:
            raise Violation(f"{key} made {self._made[key]}, and then {job_id}")
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
        """The claim is committed, but the worker dies."""
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
            raise Violation(f"{ticket} extended its lease, but another attempt has the job")
        self._told_to_cancel[worker] |= cancel
        if not held:
            self._hands[worker] = None

    def _end(self, number: int) -> None:
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            self._write(Late(ticket, self._how(worker, number)))

    def _end_unheard(self, number: int) -> None:
        """The result is committed, but the connection breaks before the answer, and the worker writes it again."""
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            late = Late(ticket, self._how(worker, number))
            self._write(late)
            self._write(late)

    def _stall(self, number: int) -> None:
        """The process hangs before it writes its result; another takes its place."""
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
                raise Violation(f"{late.ticket} wrote a result, but attempt {self._newest[job_id]} had the job")
            self._results[job_id] = attempt

    def _release(self, number: int) -> None:
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None and self._jobs.release(ticket) and self._newest[ticket[0]] != ticket[1]:
            raise Violation(f"{ticket} was handed back, but another attempt had the job")

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


#: the possible actions; repeated names are more frequent
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
