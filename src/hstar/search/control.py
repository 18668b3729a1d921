"""Control of a running solve from other threads: they can stop or pause it, and read its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from typing import Protocol

from hstar import _kernel
from hstar.databases.building import watching
from hstar.polling import polling

__all__ = ["Control", "Ended", "Stopped", "trim_memory"]


def trim_memory() -> int:
    """Return the memory kept for the next search to the system; returns the number of bytes, 0 during a search."""
    return _kernel.trim_arena()


class Stopped(Exception):
    """The solve was cancelled, or is out of time, while databases were being built, or other tables made ready."""


class Ended(Protocol):
    """What is counted of a search that has ended; the kernel's `Outcome` and `Descent` have it."""

    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def stored(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...


class Control:
    """Stops or pauses a solve, and reads its counters (as of about every 1000 expansions), from any thread.

    A solve may search more than once; the counters are of all its searches.
    """

    def __init__(self) -> None:
        self._live: tuple[_kernel.Control, ...] = ()
        self._expanded = self._generated = self._stored = self._bytes = 0
        self._cancelled = False
        self._changing = threading.Lock()
        self._may_run = threading.Event()
        self._may_run.set()
        self._paused_at = self._rested = 0.0
        self._bound = 0
        self._bound_from: Callable[[float], int] | None = None
        self._building: tuple[str, float | None] | None = None
        self._best: tuple[str, ...] | None = None

    def cancel(self) -> None:
        """End the solve soon. May be called any number of times, also before it begins."""
        self._cancelled = True
        for search in self._live:
            search.cancel()
        self.resume()

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    def pause(self) -> None:
        """Let the solve wait, within some 20 ms, with all that it holds in memory; its clock stands still."""
        with self._changing:
            if self._may_run.is_set() and not self._cancelled:
                self._paused_at = time.monotonic()
                self._may_run.clear()
                for search in self._live:
                    search.pause()

    def resume(self) -> None:
        """Let it go on. A cancel does the same."""
        with self._changing:
            if not self._may_run.is_set():
                self._rested += time.monotonic() - self._paused_at
                self._may_run.set()
                for search in self._live:
                    search.resume()

    @property
    def paused(self) -> bool:
        return not self._may_run.is_set()

    def now(self) -> float:
        """The clock of the solve, in seconds: `time.monotonic` without the time for which it was paused."""
        with self._changing:
            return (time.monotonic() if self._may_run.is_set() else self._paused_at) - self._rested

    @property
    def expanded(self) -> int:
        return self._expanded + sum(search.expanded for search in self._live)

    @property
    def generated(self) -> int:
        return self._generated + sum(search.generated for search in self._live)

    @property
    def stored(self) -> int:
        """Distinct states stored; of several searches the largest number."""
        return max([self._stored, *(search.stored for search in self._live)])

    @property
    def bytes(self) -> int:
        """Memory in use; of several searches the largest."""
        return max([self._bytes, *(search.bytes for search in self._live)])

    @property
    def lower_bound(self) -> int:
        """A proven lower bound on all solutions; 0 before one is known."""
        bound_from, live = self._bound_from, self._live
        if bound_from is None or not live:
            return self._bound
        return max(self._bound, bound_from(live[-1].f_bound))

    @property
    def building(self) -> tuple[str, float | None] | None:
        """The table that is being built and the fraction that is done (None: unknown, another process builds it); None
        while the search itself runs."""
        return self._building

    @property
    def best(self) -> tuple[str, ...] | None:
        """The shortest solution so far of a search that keeps improving it."""
        return self._best

    # -- for the solve ---------------------------------------------------------------------------------------------

    def search(self, bound_from: Callable[[float], int] | None = None, seconds: float = inf) -> _kernel.Control:
        """A control for one call of the kernel: it is cancelled with the solve, and live until `count`.

        :param bound_from: the lower bound that follows from a smallest f of open nodes
        :param seconds: after which the call ends as at its own limit of seconds
        """
        search = _kernel.Control()
        if seconds < inf:
            search.end_after(seconds)
        self._bound_from = bound_from
        with self._changing:
            self._live = (*self._live, search)
            if not self._may_run.is_set():
                search.pause()
        if self._cancelled:  # perhaps before the search was among the live ones
            search.cancel()
        return search

    def count(self, ended: Ended) -> None:
        """Add the counters of a search after its end; its states and memory are free again."""
        self._live = ()
        self._expanded += ended.expanded
        self._generated += ended.generated
        self._stored = max(self._stored, ended.stored)
        self._bytes = max(self._bytes, ended.peak_bytes)

    def raise_bound(self, bound: int) -> None:
        """Raise the lower bound on all solutions."""
        self._bound = max(self._bound, bound)

    def show_best(self, solution: tuple[str, ...]) -> None:
        self._best = solution

    @contextmanager
    def watching_builds(self, check: Callable[[], None] | None = None) -> Iterator[None]:
        """Report builds inside the block. They, and other long work in Python, ask ``check`` whether to stop.

        :param check: raises `Stopped`; whether the solve is cancelled if None
        """
        ask = check or self.check

        def watch(what: str, done: int, total: int) -> None:
            self._building = what, done / total if total else None
            ask()

        try:
            with watching(watch), polling(ask):
                yield
        finally:
            self._building = None

    def wait(self, seconds: float) -> None:
        """Wait for this long, and then while the solve is paused; a cancel ends it soon."""
        until = time.monotonic() + seconds
        while not self._cancelled and (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.02))
        self._may_run.wait()

    def check(self) -> None:
        """Wait while the solve is paused.

        :raises Stopped: the solve was cancelled
        """
        self._may_run.wait()
        if self._cancelled:
            raise Stopped
