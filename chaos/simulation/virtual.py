"""Threads and clocks of a simulated machine: they run in turn, in one thread, and time passes only when all wait.

    machine = Machine()
    with machine.installed(worker.runner, worker.lease_keeper):      # their `threading` and `time` are the machine's
        process = machine.process("worker 1")
        process.start(lambda: ...)                                   # a thread; it may start others
        machine.run(until=60.0)
        process.kill()                                               # its threads never run again

Each thread is a greenlet. So a history is the same each time, and an hour of it takes as long as what happens in it.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]


class Process:
    """Threads that live and die together."""

    def __init__(self, machine: Machine, name: str, number: int) -> None:
        self._machine, self.name, self.number, self.dead = machine, name, number, False

    def start(self, work: Callable[[], object]) -> Thread:
        """Run this in a new thread of the process."""
        thread = Thread(self._machine, work, process=self)
        thread.start()
        return thread

    def kill(self) -> None:
        """As SIGKILL: none of its threads runs again."""
        self.dead = True


class Thread:
    """As `threading.Thread`, of the process that makes it."""

    def __init__(
        self,
        machine: Machine,
        target: Callable[..., object],
        args: tuple[Any, ...] = (),
        name: str = "",
        daemon: bool = False,
        process: Process | None = None,
    ) -> None:
        self._machine = machine
        self.process: Process = process or machine.current().process
        self.name = name
        self._work: Callable[[], object] = lambda: target(*args)
        self._ended = Event(machine)
        self.greenlet = greenlet(self._run)
        #: changes with each wait, so that an old alarm wakes nobody
        self.wait_number = 0

    def start(self) -> None:
        self._machine.threads.append(self)
        self._machine.wake(self)

    def join(self, timeout: float | None = None) -> None:
        self._ended.wait(timeout)

    def _run(self) -> None:
        self._work()
        self._ended.set()


class Event:
    """As `threading.Event`."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._set = machine, False
        self._waiting: list[Thread] = []

    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        self._set = True
        for thread in self._waiting:
            self._machine.wake(thread)

    def clear(self) -> None:
        self._set = False

    def wait(self, timeout: float | None = None) -> bool:
        if not self._set:
            self._machine.wait(self._waiting, timeout)
        return self._set


class Lock:
    """As `threading.Lock`."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._held = machine, False
        self._waiting: list[Thread] = []

    def locked(self) -> bool:
        return self._held

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        until = None if timeout < 0 else self._machine.now + timeout
        while self._held:
            left = None if until is None else until - self._machine.now
            if not blocking or (left is not None and left <= 0):
                return False
            self._machine.wait(self._waiting, left)
        self._held = True
        return True

    def release(self) -> None:
        self._held = False
        if self._waiting:
            self._machine.wake(self._waiting[0])

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class SimpleQueue:
    """As `queue.SimpleQueue`."""

    def __init__(self, machine: Machine) -> None:
        self._machine, self._items, self._waiting = machine, deque[Any](), list[Thread]()

    def put(self, item: object) -> None:
        self._items.append(item)
        if self._waiting:
            self._machine.wake(self._waiting[0])

    def get(self) -> Any:
        while not self._items:
            self._machine.wait(self._waiting, None)
        return self._items.popleft()

    def empty(self) -> bool:
        return not self._items


class Machine:
    """The clock, and all threads of all processes."""

    def __init__(self, seed: int = 0) -> None:
        self.now = 0.0
        self.chance = random.Random(seed)
        self.threads: list[Thread] = []
        self._alarms: list[tuple[float, int, Thread, int]] = []
        self._numbers = count(1)
        self._scheduler = getcurrent()

    def process(self, name: str) -> Process:
        return Process(self, name, next(self._numbers))

    def current(self) -> Thread:
        """The thread that runs."""
        running = getcurrent()
        return next(thread for thread in reversed(self.threads) if thread.greenlet is running)

    def run(self, until: float) -> None:
        """Let time pass. An exception that ends a thread ends this, too."""
        while self._alarms and self._alarms[0][0] <= until:
            at, _, thread, number = heapq.heappop(self._alarms)
            if number != thread.wait_number or thread.process.dead or thread.greenlet.dead:
                continue
            self.now = max(self.now, at)
            thread.greenlet.switch()
        self.now = max(self.now, until)

    def close(self) -> None:
        """End all threads; what they do on their way out is done by dead processes."""
        for thread in self.threads:
            thread.process.kill()
        for thread in self.threads:
            thread.greenlet.throw(GreenletExit)

    def sleep(self, seconds: float) -> None:
        self.wait([], seconds)

    def wait(self, waiting: list[Thread], seconds: float | None) -> None:
        """Until this thread is woken, or for so long."""
        me = self.current()
        if me.process.dead:
            raise GreenletExit
        me.wait_number += 1
        if seconds is not None:
            heapq.heappush(self._alarms, (self.now + max(seconds, 0.0), next(self._numbers), me, me.wait_number))
        waiting.append(me)
        try:
            self._scheduler.switch()
        finally:
            waiting.remove(me)

    def wake(self, thread: Thread) -> None:
        thread.wait_number += 1
        heapq.heappush(self._alarms, (self.now, next(self._numbers), thread, thread.wait_number))

    @contextmanager
    def installed(self, *modules: ModuleType) -> Iterator[None]:
        """In the block these modules use this machine's threads and clocks."""
        threading = SimpleNamespace(
            Thread=lambda **named: Thread(self, **named), Event=lambda: Event(self), Lock=lambda: Lock(self)
        )
        clock = SimpleNamespace(
            monotonic=lambda: self.now,
            process_time=lambda: self.now,
            time_ns=lambda: round(1e9 * (EPOCH + self.now)),
            sleep=self.sleep,
        )
        replaced = {
            "threading": threading,
            "time": clock,
            "random": self.chance,
            "SimpleQueue": lambda: SimpleQueue(self),
        }
        with ExitStack() as stack:
            for module in modules:
                for name in replaced.keys() & vars(module).keys():
                    stack.enter_context(patch.object(module, name, replaced[name]))
            yield


#: seconds since 1970 at the beginning
EPOCH = 1_800_000_000
