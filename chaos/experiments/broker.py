"""Faults of the broker: it is down, hangs, loses its data, breaks connections, or loses and repeats messages."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import closing

from chaos.clients import Submitting, quick
from chaos.experiments.table import Experiment, mixed, times
from chaos.system import System
from store.doorbell import QUEUE
from tests.servers import wait_until

DEAF_SECONDS = 15.0


def messages_lost(system: System, scale: float) -> int:
    """Another client takes messages from the queue, as if Redis died between pop and acknowledgement."""
    system.start()
    stolen, ended = [0], threading.Event()

    def steal() -> None:
        with closing(system.valkey.client()) as client:
            while not ended.is_set():
                stolen[0] += client.blpop([QUEUE], timeout=0.2) is not None

    thief = threading.Thread(target=steal)
    thief.start()
    try:
        for body in mixed(system, times(150, scale), 0.1):
            system.client.submit(body)
            time.sleep(0.05)
    finally:
        ended.set()
        thief.join()
    return stolen[0]


def away_at_submit(system: System, scale: float) -> int:
    """Redis is down while jobs are submitted, and comes back."""
    system.start()
    faults = times(8, scale)
    for _ in range(faults):
        port = system.valkey.port
        system.valkey.kill()
        system.client.submit_all(mixed(system, 10))
        system.valkey.start(port)
    return faults


def hung(system: System, scale: float) -> int:
    """Redis is stopped (SIGSTOP) for some seconds under load."""
    system.start()
    faults = times(6, scale)
    with Submitting(system.client, mixed(system, 30 * faults)):
        for _ in range(faults):
            assert system.valkey.process is not None
            system.valkey.process.send_signal(signal.SIGSTOP)
            time.sleep(2.5)
            system.valkey.process.send_signal(signal.SIGCONT)
            time.sleep(0.5)
    return faults


def emptied(system: System, scale: float) -> int:
    """Redis is killed and emptied with 50 jobs queued."""
    system.start(workers=0)
    faults = times(3, scale)
    for _ in range(faults):
        system.client.submit_all(mixed(system, 50))
        system.restart_valkey(empty=True)
        program = system.start_worker()
        time.sleep(1)
        system.stop(program)
    system.start_worker()
    return faults


def restarted(system: System, scale: float) -> int:
    """Ten restarts of Redis under load; the worker must outlive all of them."""
    system.start()
    faults, worker = times(10, scale), system.find("worker")
    with Submitting(system.client, mixed(system, 30 * faults)):
        for _ in range(faults):
            system.restart_valkey(empty=system.chance.random() < 0.5, away=system.chance.uniform(0, 0.5))
            time.sleep(1)
    assert not worker.ended(), "the worker has ended"
    return faults


def connections_reset(system: System, scale: float) -> int:
    """Every connection to Redis is reset; the next job must be found within 15 s."""
    system.start()
    faults = times(25, scale)
    for number in range(faults):
        with closing(system.valkey.client()) as client:
            client.client_kill_filter(skipme=True)
        job_id = system.client.submit(quick(number))
        path = f"/v1/jobs/{job_id}"
        wait_until(
            lambda: system.client.get(path).json()["outcome"] == "solved",  # noqa: B023
            "a job after a reset",
            DEAF_SECONDS,
            pause=0.1,
        )
    return faults


def repeated(system: System, scale: float) -> int:
    """A message is delivered 50 times, repeatedly."""
    system.start(workers=0)
    count = times(20, scale)
    with closing(system.valkey.client()) as client:
        system.bell.ring()
        message = client.lindex(QUEUE, 0)
        assert message is not None, "no client took the message"
        system.start_worker()
        for number in range(count):
            system.client.submit(quick(number))
            client.lpush(QUEUE, *[message] * 50)
    return count


EXPERIMENTS = (
    Experiment("messages-lost", "messages taken from the queue by another client", messages_lost),
    Experiment("redis-away", "Redis down while jobs are submitted", away_at_submit),
    Experiment("redis-hung", "Redis stopped for 2.5 s under load", hung),
    Experiment("redis-emptied", "Redis killed and emptied with 50 jobs queued", emptied),
    Experiment("redis-restarts", "ten restarts of Redis, emptied or not, under load", restarted),
    Experiment("connections-reset", "all connections to Redis reset; the next job within 15 s", connections_reset),
    Experiment("messages-repeated", "a message delivered 50 times", repeated),
)
