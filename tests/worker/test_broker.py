"""Whatever the broker does or sends, and without a broker, the worker and its searches go on."""

from __future__ import annotations

import base64
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psutil
import pytest
import redis

from store.doorbell import QUEUE, RING_TASK, redis_url
from store.solves.status import Status
from tests.servers import Valkey, wait_until
from tests.worker.fleet import Fleet, fleet, long, pace, quick

BODY = base64.b64encode(b"[[], {}, {}]").decode()


def message(body: str = BODY, task: str | None = RING_TASK, **changed: Any) -> bytes:
    """A wake-up message as Celery's own client sends it, with something changed in it."""
    headers = {"lang": "py", "id": "1", "root_id": "1"} | ({} if task is None else {"task": task})
    delivery = {"exchange": "", "routing_key": QUEUE}
    properties = {"delivery_mode": 2, "delivery_tag": "t", "delivery_info": delivery, "body_encoding": "base64"}
    whole = {"body": body, "content-encoding": "utf-8", "content-type": "application/json", "headers": headers}
    return json.dumps(whole | {"properties": properties} | changed).encode()


NO_BELLS = [
    b"",
    b"no JSON",
    b"\xff\xfe",
    b"null",
    b"[]",
    b"{}",
    b'{"body": "", "properties": {}}',
    message(body="no base64 !"),
    message(body=base64.b64encode(b"no JSON").decode()),
    message(body=base64.b64encode(b"{}").decode()),
    message(body=base64.b64encode(b"[[1, 2], {}, {}]").decode()),
    message(task="os.system"),
    message(task=None),
    message(properties={}),
    message(headers=None),
    message(**{"content-type": "application/x-python-serialize"}),
    message(**{"content-encoding": "no-such-encoding"}),
]


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    with Valkey() as own:
        yield own


def explained(running: Fleet, condition: Callable[[], bool], what: str) -> None:
    """`wait_until`, with the processes' logs in its failure message."""
    try:
        wait_until(condition, what, seconds=60, pause=0.1)
    except AssertionError as error:
        raise AssertionError(f"{error}\n{running.logs()}") from None


def rung(running: Fleet, seed: int) -> None:
    """Assert that a job is solved as soon as a wake-up message is sent."""
    solve_id = running.submit(quick(seed), ring=False)

    def solved() -> bool:
        running.bell.ring()
        return running.row(solve_id).status is Status.SOLVED

    explained(running, solved, "a bell to be heard")


def test_nothing_that_the_broker_sends_or_does_ends_a_worker(sqlite_url: str, valkey: Valkey) -> None:
    # It polls once an hour, so a job that is solved here was found by a message.
    with fleet(sqlite_url, valkey.url, HSTAR_PACE=pace(look_seconds=3600), HSTAR_LEASE_SECONDS="3600") as running:
        worker = running.worker(concurrency=2)
        processes = set(psutil.Process(worker.process.pid).children())
        # IDA*, because a full memory would end another search on a slow machine.
        searching = running.submit(long().model_copy(update={"algorithm": "ida_star"}))
        running.wait(searching, Status.RUNNING)
        with closing(valkey.client()) as client:
            client.lpush(QUEUE, *NO_BELLS)
            explained(running, lambda: client.llen(QUEUE) == 0, "all to be taken")
            rung(running, 1)
            # An error answers every write.
            client.replicaof("127.0.0.1", "1")
            explained(running, lambda: worker.said("ReadOnlyError"), "the worker to be refused")
            client.replicaof("NO", "ONE")
            rung(running, 2)
            client.client_kill_filter(_type="normal", skipme=True)
            rung(running, 3)
        for seed in range(4, 7):
            port = valkey.port
            valkey.kill()
            valkey.start(port)
            rung(running, seed)
        assert not worker.ended()
        assert set(psutil.Process(worker.process.pid).children()) == processes
        row = running.row(searching)
        assert (row.status, row.job.attempt) == (Status.RUNNING, 1)
        running.cancel(searching)
        running.wait(searching, Status.CANCELLED)


def test_messages_without_a_free_process_stay_in_the_queue(sqlite_url: str, valkey: Valkey) -> None:
    """In the queue they prevent more from being sent; if taken, each would become a task with nothing to do."""
    with fleet(sqlite_url, valkey.url) as running, closing(valkey.client()) as client:
        running.worker(concurrency=1)
        searching = running.submit(long())
        running.wait(searching, Status.RUNNING)
        running.bell.ring(40)
        # In the time of two heartbeats the worker could take one message, or all of them.
        for _ in range(2):
            before = running.row(searching).job.progress
            explained(running, lambda before=before: running.row(searching).job.progress != before, "a beat")  # type: ignore[misc]
        assert client.llen(QUEUE) >= 37
        running.cancel(searching)
        explained(running, lambda: client.llen(QUEUE) == 0, "the bells to be taken")
        assert running.wait(running.submit(quick(1))).status is Status.SOLVED
        # These two commands acknowledge, and kombu remembers every message for which it sent them.
        assert {"cmdstat_zrem", "cmdstat_hdel"}.isdisjoint(client.info("commandstats"))


def test_a_broker_that_hangs_is_one_that_is_away(sqlite_url: str, valkey: Valkey) -> None:
    with fleet(sqlite_url, valkey.url) as running:
        worker = running.worker()
        assert valkey.process is not None
        valkey.process.send_signal(signal.SIGSTOP)
        try:
            assert running.wait(running.submit(quick(1))).status is Status.SOLVED
            worker.send(signal.SIGTERM)
            explained(running, worker.ended, "the worker to end")
        finally:
            valkey.process.send_signal(signal.SIGCONT)


def test_without_a_broker_jobs_are_found_and_handed_back(sqlite_url: str, valkey: Valkey) -> None:
    valkey.stop()
    with fleet(sqlite_url, valkey.url, HSTAR_LEASE_SECONDS="3600") as running:
        worker = running.worker(ready="Cannot connect")
        assert running.wait(running.submit(quick(1))).status is Status.SOLVED
        solve_id = running.submit(long())
        running.wait_progress(solve_id)
        worker.send(signal.SIGTERM)
        row = running.wait(solve_id, Status.QUEUED)
        assert (row.job.attempt, row.job.losses) == (1, 0)
        explained(running, worker.ended, "the worker to end")


def test_a_broker_on_a_socket() -> None:
    assert redis_url("redis://:word@host:1/2") == "redis://:word@host:1/2"
    assert redis_url("redis+socket:///a/b.sock?virtual_host=3") == "unix:///a/b.sock?db=3"
    with closing(redis.Redis.from_url(redis_url("redis+socket:///a/b.sock?virtual_host=3"))) as client:
        assert client.connection_pool.connection_kwargs["path"] == "/a/b.sock"
        assert client.connection_pool.connection_kwargs["db"] == 3
