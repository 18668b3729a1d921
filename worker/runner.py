"""Running jobs: claim one, let its kind run it, write its result, and go on until the queue is empty.

What can happen to a claimed job:

| what happened                                          | what is written                                   |
|--------------------------------------------------------|---------------------------------------------------|
| it ran to its end, or was cancelled on request         | its state and its answer (`finish`)               |
| the request does not parse, or the run raised          | `failed` with the error                           |
| the worker shuts down                                  | the job goes back into the queue (`release`)      |
| no slot for long jobs is free, and it is not quick     | the same, and later it needs a slot for long jobs; |
|                                                        | or nothing: it waits for its owner's turn         |
| the lease was lost                                     | nothing: another attempt has the job              |
| the process died                                       | nothing: the lease runs out and a sweeper sees it |
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any, TypeVar

import structlog
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from structlog.contextvars import bound_contextvars

from hstar.databases.files import take_unkept_bytes
from hstar.errors import HstarError
from hstar.options import Scratch
from hstar.puzzles.added import looking_in
from hstar.remembered import sharing
from hstar.search.control import Stopped, trim_memory
from store import draining, parts
from store.certificates import CertificateFiles
from store.counts import Counts
from store.database import Transaction, is_passing, make_engine, make_sessions
from store.doorbell import Doorbell
from store.ids import new_id
from store.jobs import choice, machine, queries
from store.jobs.choice import NO_CAP, Among
from store.jobs.machine import Claim, FollowingClaim
from store.jobs.states import State
from store.puzzles.definitions import StoredDefinitions
from store.remembered import SharedResults
from store.settings import Settings
from worker.cancel_listener import CancelListener
from worker.kinds import KINDS, forget
from worker.kinds.kind import Ending, Kind, Work
from worker.lease_keeper import LeaseKeeper
from worker.notifier import Notifier
from worker.slots import Role, Rules, Slots
from worker.stopping import StopReason
from worker.subtrees import Subtrees
from worker.turns import QUICK_SECONDS, Turns

log = structlog.get_logger(__name__)
T = TypeVar("T")

# A worker that shuts down tries for this long to hand its job back; after that the job waits until its lease runs out.
HAND_BACK_SECONDS = 3.0
# A process that ends waits this long for a job in another of its threads.
CLOSE_SECONDS = 10.0
# A process without a job that was told to end, or has lost its parent, exits by itself after this.
LEAVE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A job that cannot be run, with the reason."""

    message: str


class Runner:
    """Runs the jobs of one process of the pool. Make it after the fork, because it owns threads and connections."""

    def __init__(
        self, settings: Settings, kinds: Mapping[str, Kind[Any, Any]] = KINDS, slots: Slots | None = None
    ) -> None:
        """``slots``: shared with the other processes of the worker; without it, this process always has a slot."""
        self._settings = settings
        self._draining = draining.sign(settings)
        self._slots = Slots(Rules()) if slots is None else slots
        self._kinds = kinds
        self._lease = timedelta(seconds=settings.lease_seconds)
        # Statements are repeated after a lost connection, so connections need no test before each.
        self._sessions = make_sessions(make_engine(settings.database_url, pool_size=2, check_connections=False))
        self._remembered = SharedResults(self._sessions)
        self._certificates = CertificateFiles.of(settings)
        self._bell = Doorbell(settings.broker_url)
        self._keeper = LeaseKeeper(self._sessions, lease=self._lease, interval=settings.pace.heartbeat_seconds)
        self._listener = CancelListener(self._bell, self._keeper)
        self._notifier = Notifier(self._bell)
        self._turns = Turns(self._slots, self._share_of)
        # Unique even if a process id is used again.
        self.name = f"{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}"
        self._counts = Counts()
        self._stopping = threading.Event()
        self._stopping_since = 0.0
        self._busy = threading.Lock()
        # Whether a job since the start of the last `drain` may have made this process large.
        self._is_large = False

    def stop(self, reason: StopReason) -> None:
        """Hand the running job back and claim no more. May be called from any thread, any number of times."""
        log.info("stopping", reason=reason.value, worker=self.name)
        if not self._stopping.is_set():
            self._stopping_since = time.monotonic()
            self._stopping.set()
        self._keeper.interrupt()
        if reason is not StopReason.SHUTDOWN:
            threading.Thread(target=self._leave, name="hstar-leave", daemon=True).start()

    def drain(self) -> int:
        """Run jobs until none is queued or the worker stops; returns how many were run."""
        ran = 0
        with self._busy:
            try:
                claim = None if self._stopping.is_set() else self._claim_first() or self._claim_turn()
                while claim is not None:
                    claim = self.run(claim) or self._claim_turn()
                    ran += 1
            finally:
                self._give_slot_back()
        return ran

    @property
    def is_busy(self) -> bool:
        """Whether a job runs, or one is looked for after a message."""
        return self._busy.locked()

    def look(self) -> int:
        """As `drain`, but without a wake-up message: does nothing if this process is busy or nothing is queued."""
        if self._stopping.is_set() or self.is_busy:
            return 0
        with self._sessions.read() as session:
            needed = queries.count_queued(session, 1) > 0
        return self.drain() if needed else 0

    def run(self, claim: Claim) -> Claim | None:
        """Run one claimed job to its end; returns the next claim, made in the same transaction as that end."""
        # In every log line of this job, whichever module writes it.
        with bound_contextvars(job=claim.id, attempt=claim.attempt):
            return self._run(claim)

    def _run(self, claim: Claim) -> Claim | None:
        certify = partial(self._certificates.make, claim.id, claim.attempt)
        queue = Subtrees(self._sessions, self._bell, claim)
        work = Work(before=claim.progress, certify=certify, scratch=self._scratch(claim), queue=queue)
        began = time.monotonic()
        with self._keeper.keeping(claim, work) as watch, self._turns.taking(claim, work):
            # A stop that came before the lease keeper had this job has not reached its control.
            if self._stopping.is_set():
                work.control.cancel()
            ending = self._attempt(claim, work)
        # Tables that did not fit on the disk are in this process's memory, which the next search may need.
        if take_unkept_bytes():
            forget()
        self._is_large |= time.monotonic() - began > QUICK_SECONDS
        if watch.lost:
            self._counts.add("fenced_ends")
            log.warning("the lease was lost; the result is dropped")
            return self._claim_first() if not self._stopping.is_set() else None
        stopped = isinstance(ending, Ending) and (ending.state is State.CANCELLED or ending.partial)
        if stopped and not watch.cancel_requested:
            long = not self._stopping.is_set()
            self._hand_back(claim, long=long)
            return self._claim_first() if long else None
        return self._end(claim, ending)

    def _layers(self, claim: Claim) -> Path:
        return self._settings.var.absolute() / "layers" / claim.id

    def _scratch(self, claim: Claim) -> Scratch | None:
        most = self._settings.layers_mib
        return Scratch(str(self._layers(claim)), most) if most else None

    def delete_layers(self) -> None:
        """Delete what searches have left on this machine that have ended elsewhere, or without a worker."""
        for path in (self._settings.var.absolute() / "layers").glob("*"):
            with self._sessions.read() as session:
                state = queries.get_state(session, path.name)
            if state is None or state.final:
                rmtree(path, ignore_errors=True)

    def write_counts(self) -> None:
        """Write the counts to the database; raises if that fails."""
        self._counts.write(self._sessions)

    def note_that_it_works(self) -> None:
        """Note in the database that a worker looks for jobs; raises if that fails."""
        if not (self._stopping.is_set() or self._draining.exists()):
            parts.note(self._sessions, "worker")

    def close(self) -> None:
        """Close threads and connections once no job needs them; a job that was not handed back in time keeps them."""
        self._busy.acquire(timeout=CLOSE_SECONDS)
        self._listener.close()
        self._keeper.close()
        self._turns.close()
        self._notifier.close()
        with suppress(DBAPIError):
            self._counts.write(self._sessions)
        self._bell.close()
        self._sessions.close()

    def _shrink(self) -> None:
        """Free memory before a job without a slot, because only processes with a slot may be large."""
        if self._is_large and self._settings.quick_slots + self._settings.paused_slots:
            trim_memory()
        self._is_large = False

    def _give_slot_back(self) -> None:
        self._shrink()
        self._slots.leave()

    def _attempt(self, claim: Claim, work: Work) -> Ending[Any] | Failure:
        try:
            kind = self._kinds[claim.kind]
            with looking_in(StoredDefinitions(self._sessions, owner=None)), sharing(self._remembered):
                return kind.run(kind.request.model_validate_json(claim.request), work)
        except Stopped:
            return Ending(None, State.CANCELLED)
        except (HstarError, ValidationError) as error:
            # It was valid at submission, so another version wrote it, or the row was changed.
            log.error("the request cannot be run", error=str(error))
            return Failure(f"the request cannot be run: {error}")
        except Exception as error:
            log.exception("the job failed", kind=claim.kind)
            return Failure(f"internal error: {type(error).__name__}: {error}")

    def _claim_first(self) -> Claim | None:
        following = self._next_claim()
        return None if following is None else self._claim(following)

    def _claim_turn(self) -> Claim | None:
        """A job that may have to wait, of an owner who has no job or fewer than others, where all slots are taken."""
        if self._stopping.is_set() or self._slots.role is Role.SLOT or self._draining.exists():
            return None
        most = self._slots.reserve()
        if most == 0:
            return None
        claim = self._claim(self._following(Among.ALL, most))
        if claim is None:
            self._slots.leave()
        return claim

    def _claim(self, following: FollowingClaim) -> Claim | None:
        try:
            return self._sessions.transact(lambda session: replace(following).get(session))
        except DBAPIError as error:
            # The wake-up message is used up; the sweeper sends another when the database is back.
            log.error("cannot claim a job", error=str(error.orig))
            return None

    def _next_claim(self) -> FollowingClaim | None:
        """The claim that this process may make now; None: it may neither run a long job nor try a small one."""
        if self._draining.exists():
            return None
        role = self._slots.enter()
        if role is not Role.SLOT:
            self._shrink()
        if role is None:
            return None
        return self._following(Among.QUICK if role is Role.QUICK else Among.ALL)

    def _following(self, among: Among, most: int = NO_CAP) -> FollowingClaim:
        if self._settings.takes_small:
            # Whatever an owner runs: the cap leaves room for others, and these leave it soon by themselves.
            return FollowingClaim(self.name, self._lease, most, Among.SMALL)
        return FollowingClaim(self.name, self._lease, min(most, self._settings.owner_running or NO_CAP), among)

    def _share_of(self, owner: str) -> float:
        with self._sessions.read() as session:
            return choice.share_of(session, owner)

    def _end(self, claim: Claim, ending: Ending[Any] | Failure) -> Claim | None:
        """Write the result and claim the next job in one transaction."""

        def write(session: Transaction) -> tuple[bool, Claim | None]:
            following = None if self._stopping.is_set() else self._next_claim()
            if isinstance(ending, Failure):
                kept = machine.fail(session, claim, ending.message)
            else:
                kept = self._finish(session, claim, ending, following)
            return kept, following.get(session) if following is not None else None

        try:
            kept, following = self._until_done(write)
        except DBAPIError as error:
            if is_passing(error) or isinstance(ending, Failure):
                log.error("cannot write the result; the job will run again after its lease", error=str(error.orig))
                return None
            # The database refuses this result: fail the job with that error, rather than run it twice more.
            log.exception("the result was refused")
            return self._end(claim, Failure(f"the database refused the result: {error.orig}"))
        if kept:
            rmtree(self._layers(claim), ignore_errors=True)
            self._count(claim.kind, ending)
            self._notifier.finished(claim.id)
        else:
            self._counts.add("fenced_ends")
            log.warning("another attempt has the job or it has ended; the result is dropped")
        return following

    def _count(self, name: str, ending: Ending[Any] | Failure) -> None:
        state = State.FAILED if isinstance(ending, Failure) else ending.state
        log.info("the job ended", kind=name, state=state)
        self._counts.add("jobs_ended", kind=name, state=state)
        if isinstance(ending, Ending) and ending.answer is not None:
            self._kinds[name].count(ending.answer, self._counts)

    def _finish(
        self, session: Transaction, claim: Claim, ending: Ending[Any], following: FollowingClaim | None
    ) -> bool:
        """Write the final state, and in the same transaction the answer, where its kind stores answers."""
        finish, answer = self._kinds[claim.kind].finish, ending.answer
        if finish is not None and answer is not None:
            return finish(session, claim, ending, following)
        return machine.finish(session, claim, ending.state, answer.model_dump_json() if answer is not None else None)

    def _hand_back(self, claim: Claim, *, long: bool) -> None:
        try:
            released = self._until_done(lambda session: machine.release(session, claim, long=long))
        except DBAPIError as error:
            log.error("cannot hand the job back; it will run again after its lease", error=str(error.orig))
            return
        log.info("the job was handed back", released=released, long=long)
        self._bell.ring(small=True)

    def _until_done(self, work: Callable[[Transaction], T]) -> T:
        """Run ``work`` in a transaction; repeat it while the database may come back and there is time.

        Waiting is safe: while the database is unreachable nobody else can take the job, and afterwards the fencing
        token decides.
        """
        while True:
            try:
                return self._sessions.transact(work, patience=1.0)
            except DBAPIError as error:
                late = self._stopping.is_set() and time.monotonic() - self._stopping_since > HAND_BACK_SECONDS
                if late or not is_passing(error):
                    raise
                log.warning("cannot write the result; trying again", error=str(error.orig))
                self._stopping.wait(0.5)

    def _leave(self) -> None:
        """End this process once it has no job, unless the pool ends it first."""
        time.sleep(LEAVE_SECONDS)
        with self._busy:
            log.info("leaving", worker=self.name)
            os._exit(0)
