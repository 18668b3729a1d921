"""The pipe between a main process and its pool, with real forks and signals."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

from hstar.search import Control, prepare, solve
from tests.worker.fleet import long
from worker.stopping import StopLine, StopReason

Write = Callable[[str], None]


class Forked:
    """A forked process that runs ``body`` and sends words to this one."""

    def __init__(self, body: Callable[[Write], None]) -> None:
        self._reading, writing = os.pipe()
        self._text = ""
        self.number = os.fork()
        if self.number == 0:  # in the other process
            os.close(self._reading)

            def write(word: str) -> None:
                os.write(writing, f"{word} ".encode())

            try:
                body(write)
            finally:
                os._exit(0)
        os.close(writing)

    def heard(self, words: int) -> list[str]:
        """Its first words, as soon as there are so many, or all at its end."""
        while self._text.count(" ") < words:
            more = os.read(self._reading, 4096)
            if not more:
                break
            self._text += more.decode()
        return self._text.split()

    def all(self) -> list[str]:
        """All its words, at its end."""
        words = self.heard(1_000_000)
        os.close(self._reading)
        os.waitpid(self.number, 0)
        return words


def watch(line: StopLine, write: Write, reasons: int) -> None:
    """Write every reason to stop, until there were so many."""
    came: list[StopReason] = []
    enough = threading.Event()

    def stop(reason: StopReason) -> None:
        came.append(reason)
        write(reason.name)
        if len(came) >= reasons:
            enough.set()

    line.watch(stop)
    with StopLine.holding():
        write("ready")
        enough.wait(60)


def test_every_process_notices_a_shutdown_even_one_forked_later() -> None:
    line = StopLine()
    early = [Forked(lambda write: watch(line, write, 1)) for _ in range(2)]
    line.request()
    late = Forked(lambda write: watch(line, write, 1))
    for forked in (*early, late):
        assert sorted(forked.all()) == ["SHUTDOWN", "ready"]


def test_a_signal_is_noticed_each_time_and_does_not_kill_a_holding_process() -> None:
    line = StopLine()

    def body(write: Write) -> None:
        watch(line, write, 2)
        write("alive")

    forked = Forked(body)
    assert forked.heard(1) == ["ready"]
    os.kill(forked.number, signal.SIGTERM)
    # Pending signals of one kind merge, so the second is sent after the first was received.
    assert forked.heard(2) == ["ready", "SIGNAL"]
    os.kill(forked.number, signal.SIGTERM)
    assert forked.all() == ["ready", "SIGNAL", "SIGNAL", "alive"]


def test_after_holding_a_signal_ends_the_process_again() -> None:
    def body(write: Write) -> None:
        with StopLine.holding():
            os.kill(os.getpid(), signal.SIGTERM)
        write("held")
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
        write("survived")

    assert Forked(body).all() == ["held"]


def test_an_orphan_notices() -> None:
    def parent(write: Write) -> None:
        line = StopLine()

        def orphan(tell_parent: Write) -> None:
            def say(word: str) -> None:
                write(word)
                if word == "ready":  # later there is no parent to tell
                    tell_parent(word)

            watch(line, say, 1)

        Forked(orphan).heard(1)

    assert sorted(Forked(parent).all()) == ["ORPHANED", "ready"]


def test_a_search_in_the_main_thread_is_stopped_from_the_side() -> None:
    """A Python signal handler could not run before the end of the search."""
    line = StopLine()
    problem = prepare(long())

    def body(write: Write) -> None:
        control = Control()
        line.watch(lambda _: control.cancel())
        with StopLine.holding():
            write("ready")
            write(solve(problem, control).status)

    forked = Forked(body)
    forked.heard(1)
    os.kill(forked.number, signal.SIGTERM)
    assert forked.all() == ["ready", "cancelled"]

    forked = Forked(body)
    forked.heard(1)
    line.request()
    assert forked.all() == ["ready", "cancelled"]
