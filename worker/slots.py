"""Which of a worker's processes may run: slots for long jobs, tries of small ones, and turns of several owners.

    slots = Slots(Rules(slots=1, quick=1, paused=2))     # in the main process, before it forks
    slots.enter()                                        # in a process of the pool, before it claims a job
    slots.look(LongJob("ann", 1.0, began, mib=300))      # while the job runs: whether it may go on
    slots.leave()

A worker runs ``HSTAR_WORKERS`` long jobs at a time. It has ``HSTAR_QUICK_SLOTS`` processes more, which try new jobs for
half a second while all slots are taken, and ``HSTAR_PAUSED_SLOTS`` more, so that owners can share a slot: a job of one
runs while that of the other waits in its process, with all that it holds in memory.

Whose turn it is: each owner has used so many seconds of slots, divided by the share of their role. A job that has had
its slot for `slice_seconds` leaves it to a waiting job whose owner has not used more. An owner who comes later has used
as much as the one who used least, so nobody saves up turns.

The table is in an unlinked file, under a lock of one byte. Each process also locks a byte of its own, and the system
releases that when it dies.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum

#: A process that has not looked for this long counts neither as waiting nor as one that could leave its slot.
SEEN_SECONDS = 1.0
#: Owners whose use is remembered.
MOST_OWNERS = 64
#: For the lock of the table; a process that was stopped may hold it.
LOCK_SECONDS = 0.2
_LOCK, _ALIVE = 2**20, 2**21
_MOST_BYTES = 2**16


class Role(StrEnum):
    """What a process may do."""

    SLOT = "slot"
    #: its job waits for a slot, or for the turn of its owner
    PAUSED = "paused"
    #: a job that is tried for half a second
    QUICK = "quick"


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of a worker. ``spare_mib``: what paused jobs may hold together."""

    slots: int = 1
    quick: int = 0
    paused: int = 0
    spare_mib: int = 0
    slice_seconds: float = 3.0
    lease_seconds: float = 15.0


@dataclass(frozen=True, slots=True)
class LongJob:
    """A job that takes long: its owner, their share, when it began, and what it holds."""

    owner: str
    share: float
    began: float
    mib: int = 0


@dataclass(slots=True)
class Entry:
    """A process at work.

    ``since``: when it got its slot or began to wait; ``seen``: when it looked last; ``owner``: of its job, "" before it
    is known to be long; ``mib``: what its job holds
    """

    role: Role
    since: float
    seen: float
    owner: str = ""
    mib: int = 0


@dataclass(slots=True)
class Table:
    """The processes at work by their number, and what each owner has used. Times are seconds of any clock."""

    rules: Rules
    entries: dict[int, Entry] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)

    def enter(self, process: int, now: float) -> Role | None:
        """Before a claim: a slot, if one is free and no job waits for it, or else a try; None: neither."""
        self._drop(process, now)
        role = None
        if self._free() and not self._waiting(now):
            role = Role.SLOT
        elif self._count(Role.QUICK) < self.rules.quick:
            role = Role.QUICK
        if role is not None:
            self.entries[process] = Entry(role, now, now)
        return role

    def reserve(self, process: int, now: float) -> int:
        """Before a claim of a job that will wait for its turn: how many running jobs its owner may have with it, or 0
        if there is no room for another."""
        self._drop(process, now)
        if not self._has_room():
            return 0
        self.entries[process] = Entry(Role.PAUSED, now, now)
        return self._fair_number()

    def keep(self, process: int, owner: str, now: float) -> Role | None:
        """After a try that was too short: a slot, or a place in which to wait for one; None: it must be handed back."""
        mine = self.entries.pop(process)
        role = None
        if self._free() and not self._waiting(now):
            role = Role.SLOT
        elif self._has_room() and self._jobs_of(owner) < self._fair_number():
            role = Role.PAUSED
        self.entries[process] = mine if role is None else Entry(role, now, now)
        return role

    def look(self, process: int, job: LongJob, now: float) -> Role:
        """Count the time of a job, and give its slot to another or take one; its role from now on."""
        mine, owner = self.entries[process], job.owner
        mine.seen, seen = now, mine.seen
        self._drop(None, now)
        if mine.owner != owner:
            others = (one.owner for one in self.entries.values() if one.owner and one is not mine)
            self.used[owner] = max(self.used.get(owner, 0.0), min((self.used[one] for one in others), default=0.0))
        if mine.role is Role.SLOT:
            # The process may have had the slot for other jobs before.
            mine.since = max(mine.since, job.began)
            self.used[owner] += (now - max(seen, job.began)) / job.share
        mine.owner, mine.mib = owner, job.mib
        waiting = self._waiting(now)
        if mine.role is Role.PAUSED and self._free() and waiting and waiting[0] is mine:
            mine.role, mine.since = Role.SLOT, now
        elif mine.role is Role.SLOT and waiting and not self._free() and self._must_yield(mine, waiting[0], now):
            # The other takes it at its next look, if it still looks.
            mine.role, mine.since = Role.PAUSED, now
        self._forget()
        return mine.role

    def _drop(self, process: int | None, now: float) -> None:
        """Without this process, and without those that hang: their jobs have lost their leases."""
        self.entries = {
            number: one
            for number, one in self.entries.items()
            if number != process and not (one.owner and now - one.seen > self.rules.lease_seconds)
        }

    def _must_yield(self, mine: Entry, to: Entry, now: float) -> bool:
        held = [
            one
            for one in self.entries.values()
            if one.role is Role.SLOT and one.owner and self._is_seen(one, now) and self._is_over(one, now)
        ]
        if mine not in held or self.used[to.owner] > self.used[mine.owner]:
            return False
        if max(held, key=lambda one: (self.used[one.owner], -one.since)) is not mine:
            return False
        paused = sum(one.mib for one in self.entries.values() if one.role is Role.PAUSED)
        return paused - to.mib + mine.mib <= self.rules.spare_mib

    def _is_over(self, one: Entry, now: float) -> bool:
        return now - one.since >= self.rules.slice_seconds

    @staticmethod
    def _is_seen(one: Entry, now: float) -> bool:
        return now - one.seen <= SEEN_SECONDS

    def _waiting(self, now: float) -> list[Entry]:
        """The jobs that wait for a slot, those of the owner who has used least first."""
        waiting = [
            one for one in self.entries.values() if one.role is Role.PAUSED and one.owner and self._is_seen(one, now)
        ]
        return sorted(waiting, key=lambda one: (self.used[one.owner], one.since))

    def _count(self, *roles: Role) -> int:
        return sum(one.role in roles for one in self.entries.values())

    def _free(self) -> bool:
        return self._count(Role.SLOT) < self.rules.slots

    def _has_room(self) -> bool:
        # The slots that are free are for those who claim without waiting.
        return self._count(Role.SLOT, Role.PAUSED) < self.rules.slots + self.rules.paused

    def _jobs_of(self, owner: str) -> int:
        return sum(one.owner == owner for one in self.entries.values() if one.role is not Role.QUICK)

    def _fair_number(self) -> int:
        """How many jobs an owner may have here before those of others have to wait for them: with one more, the owner
        with most slots still has as many."""
        slots = [one.owner for one in self.entries.values() if one.role is Role.SLOT and one.owner]
        return max([1, *(slots.count(owner) - 1 for owner in slots)])

    def _forget(self) -> None:
        if len(self.used) > MOST_OWNERS:
            here = {one.owner for one in self.entries.values()}
            least = min((owner for owner in self.used if owner not in here), key=self.used.__getitem__, default=None)
            if least is not None:
                del self.used[least]


class Slots:
    """The table of one worker, shared by the processes that it forks. Every method is about the calling process."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # it lives as long as the process
        self._changing = threading.Lock()
        self._mine: Entry | None = None

    @property
    def role(self) -> Role | None:
        """The role of this process."""
        return None if self._mine is None else self._mine.role

    def enter(self) -> Role | None:
        """See `Table.enter`; None also if another process keeps the table locked."""
        if self.role is Role.SLOT and not self._somebody_waits():
            return Role.SLOT
        with self._table() as table:
            return None if table is None else table.enter(os.getpid(), time.monotonic())

    def reserve(self) -> int:
        """See `Table.reserve`."""
        if self._rules.paused == 0:
            return 0
        with self._table() as table:
            return 0 if table is None else table.reserve(os.getpid(), time.monotonic())

    def keep(self, owner: str) -> bool:
        """See `Table.keep`."""
        with self._table() as table:
            return table is not None and table.keep(os.getpid(), owner, time.monotonic()) is not None

    def look(self, job: LongJob) -> bool:
        """See `Table.look`: whether the job may run."""
        if self._rules.paused > 0:
            with self._table() as table:
                if table is not None:
                    table.look(os.getpid(), job, time.monotonic())
        return self.role is not Role.PAUSED

    def leave(self) -> None:
        """The process has nothing to do."""
        if self._mine is not None:
            with self._table() as table:
                if table is not None:
                    table.entries.pop(os.getpid(), None)

    @contextmanager
    def _table(self) -> Iterator[Table | None]:
        """The table, to be changed; None if it stays locked."""
        with self._changing:
            if not _until(lambda: self._lock(_LOCK)):
                yield None
                return
            try:
                table = self._read()
                yield table
                self._mine = table.entries.get(os.getpid())
                text = json.dumps({"entries": {k: asdict(v) for k, v in table.entries.items()}, "used": table.used})
                os.pwrite(self._file.fileno(), text.encode() + b"\n", 0)
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _LOCK)

    def _text(self) -> bytes:
        return os.pread(self._file.fileno(), _MOST_BYTES, 0).partition(b"\n")[0]

    def _somebody_waits(self) -> bool:
        """A look without the lock, because it is made before each job of a process that has a slot."""
        return self._rules.paused > 0 and f'"{Role.PAUSED}"'.encode() in self._text()

    def _read(self) -> Table:
        me = os.getpid()
        self._lock(_ALIVE + me)
        text = self._text()
        table = Table(self._rules)
        try:
            read = json.loads(text or b'{"entries": {}, "used": {}}')
            table.used = read["used"]
            entries = {int(k): Entry(**{**v, "role": Role(v["role"])}) for k, v in read["entries"].items()}
        except ValueError:  # a process was killed while it wrote
            entries = {}
        table.entries = {process: one for process, one in entries.items() if process == me or self._is_alive(process)}
        if self._mine is not None and me not in table.entries:
            table.entries[me] = self._mine
            table.used.setdefault(self._mine.owner, 0.0)
        return table

    def _lock(self, byte: int) -> bool:
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _is_alive(self, process: int) -> bool:
        if not self._lock(_ALIVE + process):
            return True
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _ALIVE + process)
        return False


def _until(done: Callable[[], bool]) -> bool:
    """Whether it is done within `LOCK_SECONDS`."""
    until = time.monotonic() + LOCK_SECONDS
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True
