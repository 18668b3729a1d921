"""A small job never waits for huge ones: slots for long jobs, and one more process."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection

import pytest

from hstar.schema import ScrambleIn, SolveRequest
from store.settings import Settings
from store.solves.status import Status
from tests.servers import wait_until
from tests.worker.fleet import Fleet, endless, fleet, long
from worker.runner import Runner
from worker.slots import LongSlots

SMALL = SolveRequest(puzzle="8-puzzle", scramble=ScrambleIn(k=5, seed=1))


def hold(slots: LongSlots, said: Connection) -> None:
    said.send(slots.take())
    signal.pause()


def test_the_slots_are_shared_between_processes_and_those_of_a_dead_one_are_free() -> None:
    slots = LongSlots(2)
    context = multiprocessing.get_context("fork")
    heard, said = context.Pipe()
    holders = [context.Process(target=hold, args=(slots, said), daemon=True) for _ in range(2)]
    for holder in holders:
        holder.start()
    assert [heard.recv() for _ in holders] == [True, True]
    assert (slots.take(), slots.taken) == (False, False)
    assert holders[0].pid is not None
    os.kill(holders[0].pid, signal.SIGKILL)
    holders[0].join()
    assert (slots.take(), slots.take(), slots.taken) == (True, True, True)
    slots.give_back()
    slots.give_back()
    assert not slots.taken
    holders[1].kill()
    holders[1].join()


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


def test_a_job_that_is_not_quick_goes_on_where_a_slot_became_free(
    database_url: str, broker_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.runner.QUICK_SECONDS", 0.05)
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
        assert (slots.asked, slots.taken) == (2, False)


class Refusing(LongSlots):
    """Taken when a job is claimed, and free when it has run for longer than a quick one."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked = 0

    def take(self) -> bool:
        self.asked += not self.taken
        return self.asked > 1 and super().take()
