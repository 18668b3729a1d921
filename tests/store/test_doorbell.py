"""The doorbell with a real Valkey, and without one."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace

import pytest

from store.database import Sessions, make_engine, make_sessions, migrate
from store.doorbell import FALLBACK_SECONDS, MOST_BELLS, PAUSE_SECONDS, QUEUE, Doorbell
from store.ids import new_id
from store.jobs import machine
from store.jobs.states import State
from store.jobs.waiting import wait_until_final
from tests.servers import Valkey, wait_until
from tests.store.builders import answer, end, must_claim, submit

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def bell(broker_url: str) -> Iterator[Doorbell]:
    made = Doorbell(broker_url)
    yield made
    made.close()


@pytest.fixture
def lite(sqlite_url: str) -> Iterator[Sessions]:
    made = make_sessions(make_engine(sqlite_url))
    migrate.upgrade(made.engine)
    yield made
    made.close()


def queued_bells(bell: Doorbell) -> int:
    return int(bell._redis.llen(QUEUE))


def test_queued_messages_are_limited(bell: Doorbell) -> None:
    assert bell.ring()
    assert bell.ring(3)
    assert queued_bells(bell) == 4
    assert bell.ring(10 * MOST_BELLS)
    assert bell.ring()
    assert queued_bells(bell) == MOST_BELLS


def test_many_threads_may_ring(bell: Doorbell) -> None:
    threads = [threading.Thread(target=bell.ring) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queued_bells(bell) == 20


def test_a_listener_receives_only_its_own_job(bell: Doorbell) -> None:
    mine, other = new_id(), new_id()
    with bell.listen(mine) as finished, bell.listen_for_cancels() as cancels:
        assert finished.connected
        bell.finished(other)
        bell.finished(mine)
        bell.cancel(other)
        assert finished.wait(10) == "1"
        assert finished.wait(0.01) is None
        assert cancels.wait(10) == other


def test_a_listener_leaves_nothing_to_the_next(bell: Doorbell) -> None:
    """They share connections, but each receives only its own channel, even if an earlier message comes late."""
    ids = [new_id() for _ in range(10)]
    for before, mine in pairwise(ids):
        with bell.listen(before):
            bell.finished(before)
        with bell.listen(mine) as finished:
            bell.finished(before, mine)
            assert finished.wait(10) == "1"
            assert finished.wait(0.01) is None
    assert len(bell._idle) == 1
    assert all(bell._redis.pubsub_numsub(f"hstar:finished:{one}")[0][1] == 0 for one in ids[:-1])


def test_closing_a_doorbell_ends_its_listeners_silently(broker_url: str, caplog: pytest.LogCaptureFixture) -> None:
    bell = Doorbell(broker_url)
    with bell.listen_for_cancels() as cancels:
        heard: list[str | None] = []
        waiting = threading.Thread(target=lambda: heard.append(cancels.wait(60)))
        waiting.start()
        bell.close()
        waiting.join(60)
        assert not waiting.is_alive()
    assert heard == [None]
    assert caplog.records == []


def test_without_redis_nothing_raises() -> None:
    bell = Doorbell(NOWHERE)
    assert not bell.ring()
    assert not bell.finished("x")
    assert not bell.answers()
    with bell.listen("x") as finished:
        assert not finished.connected
        assert finished.wait(FALLBACK_SECONDS / 10) is None
    bell.close()


class Refusing(socketserver.BaseRequestHandler):
    """A server that closes connections at once, and counts them."""

    calls = 0

    def handle(self) -> None:
        type(self).calls += 1


def test_a_broker_that_fails_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of these could have waited for seconds, a hundred of them for minutes."""
    monkeypatch.setattr("store.doorbell.PAUSE_SECONDS", 3600.0)
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        bell = Doorbell(f"redis://127.0.0.1:{server.server_address[1]}/0")
        assert not bell.ring()
        first = Refusing.calls
        for _ in range(100):
            bell.ring()
            bell.cancel("x")
        assert Refusing.calls == first > 0
        bell.close()
        server.shutdown()


def test_closing_a_doorbell_while_a_listener_connects_raises_nothing() -> None:
    bells: list[Doorbell] = []

    class Closing(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            bells[0].close()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Closing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        own = Doorbell(f"redis://127.0.0.1:{server.server_address[1]}/0")
        bells.append(own)
        try:
            with own.listen("a job") as listener:
                assert not listener.connected
        finally:
            own.close()
            server.shutdown()


def test_a_doorbell_works_again_after_redis_lost_its_data() -> None:
    with Valkey() as own:
        bell = Doorbell(own.url)
        assert bell.ring()
        with bell.listen("x"), bell.listen("y"):  # leaves two connections that will be dead
            pass
        with bell.listen("x") as finished:
            own.kill()
            assert not bell.ring()
            wait_until(lambda: finished.wait(0.1) is None and not finished.connected, "the listener to notice")
        own.forget()
        own.start(own.port)
        wait_until(bell.ring, "the bell to ring again", seconds=PAUSE_SECONDS + 20)
        assert queued_bells(bell) == 1
        with bell.listen("x") as finished:
            assert finished.connected
            assert bell.finished("x")
            # A connection that comes back subscribes once more, and that message ends a wait early.
            wait_until(lambda: finished.wait(1) == "1", "the message")
        bell.close()


@pytest.mark.parametrize("url", ["valkey", "nowhere"])
def test_waiting_ends_when_the_job_does(lite: Sessions, bell: Doorbell, url: str) -> None:
    heard = bell if url == "valkey" else Doorbell(NOWHERE)
    solve_id = submit(lite)
    claimed = must_claim(lite)

    ended = threading.Event()

    def end_soon() -> None:
        ended.set()
        lite.run(lambda session: end(session, claimed, answer()))
        heard.finished(solve_id)

    timer = threading.Timer(0.3, end_soon)
    timer.start()
    assert wait_until_final(lite, heard, solve_id, 3600) is State.DONE  # otherwise the test hangs
    assert ended.is_set()
    timer.join()


def test_waiting_ends_when_the_time_is_up_or_there_is_nothing_to_wait_for(lite: Sessions, bell: Doorbell) -> None:
    solve_id = submit(lite)
    assert wait_until_final(lite, bell, solve_id, 0.1) is State.QUEUED
    assert wait_until_final(lite, bell, solve_id, 60, give_up=lambda: True) is State.QUEUED
    lite.run(lambda session: machine.request_cancel(session, solve_id))
    assert wait_until_final(lite, bell, solve_id, 60) is State.CANCELLED
    assert wait_until_final(lite, bell, new_id(), 60) is None
    assert wait_until_final(lite, bell, "nonsense", 60) is None


def test_a_wait_lasts_until_its_last_moment(lite: Sessions, bell: Doorbell, monkeypatch: pytest.MonkeyPatch) -> None:
    """The job ends when a moment is left, by a clock that stands still."""
    solve_id = submit(lite)
    claimed = must_claim(lite)
    monkeypatch.setattr("store.jobs.waiting.time", SimpleNamespace(monotonic=lambda: 100.0))

    def ends() -> bool:
        lite.run(lambda session: end(session, claimed, answer()))
        bell.finished(solve_id)
        return False

    assert wait_until_final(lite, bell, solve_id, 0.001, give_up=ends) is State.DONE


def test_a_lost_message_delays_the_answer_but_does_not_lose_it(lite: Sessions, bell: Doorbell) -> None:
    solve_id = submit(lite)
    claimed = must_claim(lite)
    timer = threading.Timer(0.2, lambda: lite.run(lambda session: end(session, claimed, answer())))
    timer.start()
    assert wait_until_final(lite, bell, solve_id, 60) is State.DONE
    timer.join()
