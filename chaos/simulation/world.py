"""The actors that handle jobs, and their faults: clients, workers, sweepers, the clock.

world = World(MemoryJobs())
world.act("submit", 5)                  # every action takes a number, and derives its parameters from it
world.act("claim", 1)
world.recover()                         # no more faults: all jobs must end

Every answer of the store and every changed row goes to `chaos.simulation.specification`, which says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chaos.simulation.memory import LEASE, MAX_LOSSES, Jobs, Ticket
from chaos.simulation.specification import Specification
from store.jobs.states import State

OWNERS = ("ann", "bob", "cyd")
WORKERS = 3
MOST_JOBS = 8
# All steps of the clock are multiples of 300, and the lease is not, so no lease ends within the few seconds that a real
# database needs for a history.
STEPS = (300, 300, 300, 1500, 3600, -3600)
ENDS = (State.DONE, State.DONE, State.DONE, State.FAILED)


@dataclass(slots=True)
class Late:
    """A worker that hangs just before it writes a result."""

    ticket: Ticket
    state: State


class World:
    """One history."""

    def __init__(self, jobs: Jobs, *, exact: bool = True) -> None:
        """:param exact: see `Specification`"""
        self._jobs = jobs
        self._specification = Specification(LEASE, MAX_LOSSES, exact=exact)
        self._clock = 0.0
        self._ids: list[str] = []
        self._keys = 0
        self._hands: list[Ticket | None] = [None] * WORKERS
        self._told_to_cancel = [False] * WORKERS
        self._late: list[Late] = []
        self._actions: dict[str, Callable[[int], None]] = {
            name: getattr(self, f"_{name}") for name in dict.fromkeys(ACTIONS)
        }

    def act(self, name: str, number: int) -> None:
        """Do an action; raises `Violation` if a property does not hold."""
        self._actions[name](number)

    def recover(self) -> None:
        """Restart all processes; from now on there are no faults, and every job must end soon.

        After a lease and two sweeps, every job without a worker must be back in the queue.
        """
        self._hands = [None] * WORKERS
        for _ in range(len(self._late)):
            self.act("wake", 0)
        for seconds in (0, LEASE + 500):
            self._move_clock(seconds)
            self.act("sweep", 0)
        for _ in self._ids:
            self.act("claim", 0)
            self.act("end", 0)
        self._specification.all_have_ended()

    # Clients

    def _submit(self, number: int) -> None:
        if self._keys < MOST_JOBS:
            self._keys += 1
            self._ask(f"key-{self._keys - 1}", number)

    def _submit_again(self, number: int) -> None:
        """The client sends again, because the API died after the commit, or the answer was lost."""
        if self._keys:
            self._ask(f"key-{number % self._keys}", number)

    def _ask(self, key: str, number: int) -> None:
        owner, priority = OWNERS[number % 3], 5 if number % 7 == 0 else 0
        job_id = self._jobs.submit(owner, key, priority)
        self._specification.submitted(key, job_id, owner, priority, self._jobs.changed())
        if job_id not in self._ids:
            self._ids.append(job_id)

    def _cancel(self, number: int) -> None:
        if self._ids:
            job_id = self._ids[number % len(self._ids)]
            state = self._jobs.cancel(job_id)
            self._specification.asked_to_cancel(job_id, state, self._jobs.changed())

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
        self._specification.claimed(f"worker-{worker}", ticket, self._jobs.changed())
        return ticket

    def _beat(self, number: int) -> None:
        worker = number % WORKERS
        ticket = self._hands[worker]
        if ticket is None:
            return
        progress = f'"{number}"' if number % 2 else None
        held, cancel = self._jobs.heartbeat(ticket, progress)
        self._specification.extended(ticket, held, cancel, progress, self._jobs.changed())
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
        text = text_of(late.ticket)
        accepted = self._jobs.end(late.ticket, late.state, text)
        self._specification.ended(late.ticket, late.state, text, accepted, self._jobs.changed())

    def _release(self, number: int) -> None:
        worker = number % WORKERS
        ticket, self._hands[worker] = self._hands[worker], None
        if ticket is not None:
            long = number // WORKERS % 2 == 0
            released = self._jobs.release(ticket, long=long)
            self._specification.released(ticket, long, released, self._jobs.changed())

    def _die(self, number: int) -> None:
        self._hands[number % WORKERS] = None

    # Time

    def _sweep(self, _number: int) -> None:
        self._jobs.sweep()
        self._specification.swept(self._jobs.changed())

    def _pass_time(self, number: int) -> None:
        self._move_clock(STEPS[number % len(STEPS)])

    def _move_clock(self, seconds: int) -> None:
        self._jobs.pass_time(seconds)
        self._clock += seconds
        self._specification.clock_is(self._clock)


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
