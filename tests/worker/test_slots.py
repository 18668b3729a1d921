"""A small job never waits for huge ones: slots for long jobs, and one more process."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any

import pytest

from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from store.owners.principal import LOCAL_OWNER
from store.settings import SMALL_SECONDS, Settings
from store.solves.status import Status
from tests.servers import wait_until
from tests.worker.fleet import Fleet, endless, fleet, long, pace, quick
from worker.runner import Runner
from worker.slots import Entry, LongJob, Role, Rules, Slots, Table

SMALL = SolveRequest(puzzle="8-puzzle", scramble=ScrambleIn(k=5, seed=1))


TURNS: dict[str, Any] = {"HSTAR_QUICK_SLOTS": "1", "HSTAR_CAP_MEMORY_MIB": "512"}


def hold(slots: Slots, said: Connection) -> None:
    said.send(slots.enter())
    signal.pause()


def test_the_slots_are_shared_between_processes_and_those_of_a_dead_one_are_free() -> None:
    slots = Slots(Rules(slots=2))
    context = multiprocessing.get_context("fork")
    heard, said = context.Pipe()
    holders = [context.Process(target=hold, args=(slots, said), daemon=True) for _ in range(2)]
    for holder in holders:
        holder.start()
    assert [heard.recv() for _ in holders] == [Role.SLOT, Role.SLOT]
    assert (slots.enter(), slots.role, slots.reserve()) == (None, None, 0)
    assert holders[0].pid is not None
    os.kill(holders[0].pid, signal.SIGKILL)
    holders[0].join()
    assert (slots.enter(), slots.enter(), slots.role) == (Role.SLOT, Role.SLOT, Role.SLOT)
    slots.leave()
    slots.leave()
    assert slots.role is None
    holders[1].kill()
    holders[1].join()


def hold_the_lock(slots: Slots, said: Connection) -> None:
    with slots._table():
        said.send(None)
        signal.pause()


def test_a_stopped_process_with_the_lock_stops_no_other_for_long() -> None:
    slots = Slots(Rules(slots=1, quick=1, paused=1))
    assert slots.enter() is Role.SLOT
    context = multiprocessing.get_context("fork")
    heard, said = context.Pipe()
    holder = context.Process(target=hold_the_lock, args=(slots, said), daemon=True)
    holder.start()
    heard.recv()
    assert slots.look(LongJob("ann", 1.0, 0.0))  # it goes on
    assert slots.reserve() == 0
    holder.kill()
    holder.join()
    assert slots.reserve() == 1


def test_a_table_that_was_not_written_whole_is_made_again() -> None:
    slots = Slots(Rules(slots=1, paused=1))
    assert slots.enter() is Role.SLOT
    assert slots.look(LongJob("ann", 1.0, 0.0))
    os.pwrite(slots._file.fileno(), b'{"entries": {"1', 0)
    assert slots.look(LongJob("ann", 1.0, 0.0))
    assert slots.role is Role.SLOT


class Shared:
    """A table under a clock of its own, with processes that run for so many seconds."""

    def __init__(self, **rules: Any) -> None:
        self.table, self.now = Table(Rules(**rules)), 100.0
        self.jobs: dict[int, LongJob] = {}
        self.ran: Counter[int] = Counter()

    def begin(self, process: int, owner: str, share: float = 1.0, mib: int = 0) -> Role | None:
        """A long job of this owner: in a slot, or after a try."""
        if self.table.enter(process, self.now) is Role.QUICK and self.table.keep(process, owner, self.now) is None:
            del self.table.entries[process]
            return None
        self.jobs[process] = LongJob(owner, share, self.now, mib)
        return self.table.look(process, self.jobs[process], self.now)

    def end(self, process: int) -> None:
        del self.jobs[process], self.table.entries[process]

    def run(self, seconds: float) -> Counter[int]:
        """The seconds for which each process had a slot."""
        ran: Counter[int] = Counter()
        for _ in range(round(seconds * 20)):
            self.now += 0.05
            for process, job in self.jobs.items():
                self.table.look(process, job, self.now)
            running = [process for process, one in self.table.entries.items() if one.role is Role.SLOT]
            assert len(running) <= self.table.rules.slots
            ran.update(running)
        return Counter({process: round(count / 20) for process, count in ran.items()})


def test_owners_share_a_slot_by_their_shares() -> None:
    for shares in ((1, 1), (4, 1), (1, 4), (4, 4, 1), (1, 1, 1)):
        shared = Shared(quick=1, paused=3, slice_seconds=1)
        for process, share in enumerate(shares):
            shared.begin(process, f"owner {process}", share)
        ran = shared.run(600)
        assert sum(ran.values()) > 570  # a slot that was left is taken at the next look
        expected = [sum(ran.values()) * share / sum(shares) for share in shares]
        assert all(abs(ran[process] - one) < 10 for process, one in enumerate(expected)), (shares, ran)


def test_of_two_slots_each_owner_has_one() -> None:
    shared = Shared(slots=2, quick=1, paused=2, slice_seconds=1)
    assert [shared.begin(0, "ann"), shared.begin(1, "ann")] == [Role.SLOT, Role.SLOT]
    shared.run(100)
    assert shared.begin(2, "bob") is Role.PAUSED
    ran = shared.run(600)
    assert abs(ran[2] - 600) < 15
    assert abs(ran[0] + ran[1] - 600) < 15
    # Bob has as many slots as Ann, so no other of his jobs has a turn.
    assert shared.begin(3, "bob") is None


def test_a_later_owner_begins_soon_and_a_stream_of_jobs_takes_no_more_than_its_share() -> None:
    shared = Shared(quick=1, paused=2, slice_seconds=3)
    shared.begin(0, "ann")
    shared.run(100)
    longest = ran = jobs = 0
    while shared.now < 1300:
        asked, jobs = shared.now, jobs + 1
        shared.begin(1, "bob")
        shared.run(0.1)
        while (spent := shared.run(0.1)[1] * 0.1) < 0.1 and shared.table.entries[1].role is not Role.SLOT:
            assert shared.now - asked < 20, spent
        if jobs == 1:
            assert shared.now - asked < 1  # Ann has had hers for long
        ran += 3
        shared.run(3)
        longest = max(longest, round(shared.now - asked))
        shared.end(1)
    assert longest <= 8
    assert 500 < ran < 700


def test_what_is_paused_fits_into_memory_and_is_seen_to_wait() -> None:
    shared = Shared(quick=1, paused=1, slice_seconds=1, spare_mib=1000)
    shared.begin(0, "ann", mib=1001)
    assert shared.begin(1, "bob") is Role.PAUSED
    assert shared.run(50) == {0: 50}  # there is no room for what Ann's holds
    shared.jobs[0] = LongJob("ann", 1.0, 100.0, 1000)
    assert shared.run(50)[1] > 20
    assert shared.begin(2, "cyd") is None  # no room


def test_what_hangs_keeps_no_slot_from_others() -> None:
    for hangs in (Role.SLOT, Role.PAUSED):
        shared = Shared(quick=1, paused=1, slice_seconds=1, lease_seconds=5)
        shared.begin(0, "ann")
        shared.begin(1, "bob")
        shared.run(20)
        hung = next(process for process in (0, 1) if shared.table.entries[process].role is hangs)
        shared.jobs.pop(hung)
        assert shared.run(50)[1 - hung] > 43
        shared.end(1 - hung)
        assert shared.table.enter(2, shared.now) is Role.SLOT


def test_a_job_of_another_owner_has_its_turn_and_the_long_ones_lose_nothing(
    either_database_url: str, broker_url: str
) -> None:
    with fleet(
        either_database_url, broker_url, **TURNS, HSTAR_PAUSED_SLOTS="1", HSTAR_PACE=pace(slice_seconds=0.3)
    ) as running:
        worker = running.worker(concurrency=3)
        # Before its memory is full, at 1.6 million nodes.
        limits = {"expanded": 1_400_000, "memory_mib": 512}
        huge = [running.submit(long(**limits), owner="ann") for _ in range(3)]
        first = running.wait_progress(huge[0])
        # More than a try, also on a busy machine, where a limit of seconds would end one.
        limited = long(expanded=600_000, memory_mib=512)
        short = [running.submit(limited, owner=owner) for owner in ("bob", "cyd", "bob")]
        for one in short:
            assert running.wait(one, seconds=120).limit == "expanded"
        ended = [running.wait(one) for one in huge]
        assert "looking whose turn it is failed" not in worker.log.read_text()
        # Ann's first search had its turns in the process where it began.
        assert (ended[0].job.attempt, ended[0].job.worker) == (1, first.job.worker)
        assert any("the job goes on" in line and huge[0] in line for line in worker.log.read_text().splitlines())
        assert [row.job.losses for row in ended] == [0, 0, 0]
        assert all(one.counters and one.counters.expanded == limits["expanded"] for one in map(running.answer, huge))


def test_a_cancel_reaches_a_paused_job_and_a_shutdown_hands_it_back(database_url: str, broker_url: str) -> None:
    with fleet(
        database_url, broker_url, **TURNS, HSTAR_PAUSED_SLOTS="2", HSTAR_PACE=pace(slice_seconds=3600)
    ) as running:
        worker = running.worker(concurrency=4)
        running.wait_progress(running.submit(endless(), owner="ann"))
        # Two owners wait, and the slot stays with Ann.
        paused = [running.submit(endless(), owner=owner) for owner in ("bob", "cyd")]
        wait_until(lambda: worker.log.read_text().count("waits for its turn") >= 2, "two to wait")
        running.cancel(paused[0])
        assert running.wait(paused[0]).job.attempt == 1
        worker.send(signal.SIGTERM)
        wait_until(worker.ended, "the worker to end", 60)
        row = running.row(paused[1])
        assert (row.status, row.job.losses) == (Status.QUEUED, 0)


def test_small_jobs_are_solved_while_long_ones_hold_every_slot(either_database_url: str, broker_url: str) -> None:
    with fleet(either_database_url, broker_url, HSTAR_QUICK_SLOTS="1") as running:
        running.worker(concurrency=2)
        huge = running.submit(long())
        running.wait_progress(huge)
        assert running.wait(running.submit(SMALL)).status is Status.SOLVED
        # Another huge job is tried and handed back, and blocks no other job. It may have a solution by then, which is
        # not yet its answer.
        second = running.submit(endless())
        wait_until(lambda: not running.row(second).job.quick, "it to be handed back", 60)
        assert running.wait(running.submit(SMALL)).status is Status.SOLVED
        assert running.row(huge).status is Status.RUNNING
        assert (running.row(huge).job.attempt, running.row(second).status) == (1, Status.QUEUED)
        # As soon as the slot is free it runs to its end.
        running.cancel(huge)
        running.wait_attempt(second, 2)
        running.cancel(second)
        running.wait(second)
        assert running.row(second).job.losses == 0


def test_a_worker_for_small_jobs_starts_one_at_once_while_huge_ones_hold_all_other_slots(
    either_database_url: str, broker_url: str
) -> None:
    # No worker looks by itself, so a message starts the small job. Its owner runs as many others as they may.
    with fleet(
        either_database_url, broker_url, HSTAR_PACE=pace(look_seconds=3600.0), HSTAR_OWNER_RUNNING="1"
    ) as running:
        running.worker()
        running.worker(3, HSTAR_WORKER_TAKES="small", HSTAR_QUICK_SLOTS="1", HSTAR_PAUSED_SLOTS="1")
        huge = running.submit(endless())
        running.wait_progress(huge)
        waiting = [running.submit(endless(), owner=owner) for owner in (LOCAL_OWNER, "ann")]
        small = running.submit(quick(limits=LimitsIn(seconds=SMALL_SECONDS)))
        assert running.wait(small).status is Status.SOLVED
        # With the end of one job a process takes the next that it may run.
        assert [running.row(one).job.attempt for one in (huge, *waiting)] == [1, 0, 0]
        assert running.row(huge).status is Status.RUNNING
        for one in (*waiting, huge):
            running.cancel(one)
        running.wait(huge)


def test_a_job_that_is_not_quick_goes_on_where_a_slot_became_free(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.turns.QUICK_SECONDS", 0.05)
    with Fleet(database_url, broker_url, HSTAR_QUICK_SLOTS="1") as made:
        settings = Settings.from_env({k: v for k, v in made.environment.items() if k.startswith("HSTAR_")})
        slots = Refusing()
        runner = Runner(settings, slots=slots)
        try:
            limited = made.submit(long(expanded=200_000), ring=False)
            assert runner.drain() == 1
        finally:
            runner.close()
        assert (made.row(limited).status, made.row(limited).job.attempt) == (Status.LIMIT_REACHED, 1)
        assert (slots.asked, slots.role) == (2, None)


class Refusing(Slots):
    """A try where the job is claimed; a slot is free when it has run for longer than a quick one."""

    def __init__(self) -> None:
        super().__init__(Rules(slots=1, quick=1))
        self.asked = 0

    def enter(self) -> Role | None:
        self.asked += 1
        with self._table() as table:
            assert table is not None
            table.entries = {os.getpid(): Entry(Role.QUICK, 0.0, 0.0)}
        return Role.QUICK
