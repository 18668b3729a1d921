"""Control of a running solve from other threads: they can stop it and read its progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hstar import _kernel
from hstar.databases.building import watching
from hstar.polling import polling

__all__ = ["Control", "Stopped", "trim_memory"]


def trim_memory() -> int:
    """Return the memory kept for the next search to the system; returns the number of bytes, 0 during a search."""
    return _kernel.trim_arena()


class Stopped(Exception):
    """The solve was cancelled while databases were being built, or other tables made ready."""


class Control:
    """Stops a solve, and reads its counters (as of about every 1000 expansions), from any thread.

    A solve may search more than once (see `hstar.search.problem.Strategy`); the counters are of all its searches.
    """

    def __init__(self) -> None:
        self._search = _kernel.Control()
        self._part: Control | None = None
        self._expanded = self._generated = self._stored = self._bytes = 0
        self._f_bound = 0.0
        self._cancelled = False
        self._building: tuple[str, float | None] | None = None
        self._best: tuple[str, ...] | None = None

    def cancel(self) -> None:
        """End the solve soon. May be called any number of times, also before it begins."""
        self._cancelled = True
        self._search.cancel()
        if (part := self._part) is not None:
            part.cancel()

    @property
    def cancelled(self) -> bool:
        return self._cancelled

    @property
    def expanded(self) -> int:
        return self._expanded + self._search.expanded + (part.expanded if (part := self._part) else 0)

    @property
    def generated(self) -> int:
        return self._generated + self._search.generated + (part.generated if (part := self._part) else 0)

    @property
    def stored(self) -> int:
        """Distinct states stored; of several searches the largest number."""
        return max(self._stored, self._search.stored, part.stored if (part := self._part) else 0)

    @property
    def f_bound(self) -> float:
        """No open node has a smaller f; the largest bound of all searches."""
        return max(self._f_bound, self._search.f_bound)

    @property
    def bytes(self) -> int:
        """Memory in use; of several searches the largest."""
        return max(self._bytes, self._search.bytes, part.bytes if (part := self._part) else 0)

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

    @property
    def kernel(self) -> _kernel.Control:
        """The kernel's control of the current search."""
        return self._search

    def search_again(self) -> None:
        """Keep the counters, and make a new kernel control for the next search."""
        ended = self._search
        self._expanded += ended.expanded
        self._generated += ended.generated
        self._f_bound = max(self._f_bound, ended.f_bound)
        self._search = _kernel.Control()
        if self._cancelled:  # the old one may have been cancelled meanwhile
            self._search.cancel()

    def part(self) -> Control:
        """A control for a part of the running search: it is cancelled with it, but has its own counters."""
        self._part = part = Control()
        if self._cancelled:
            part.cancel()
        return part

    def count(self, expanded: int, generated: int, stored: int, peak_bytes: int) -> None:
        """Add the counters of a part after its end; its states and memory are free again."""
        self._part = None
        self._expanded += expanded
        self._generated += generated
        self._stored = max(self._stored, stored)
        self._bytes = max(self._bytes, peak_bytes)

    def raise_bound(self, bound: float) -> None:
        """Raise the lower bound on all solutions, proven by a part."""
        self._f_bound = max(self._f_bound, bound)

    def show_best(self, solution: tuple[str, ...]) -> None:
        self._best = solution

    @contextmanager
    def watching_builds(self) -> Iterator[None]:
        """Report builds inside the block. They, and other long work in Python, raise `Stopped` when the solve is
        cancelled."""
        try:
            with watching(self._watch), polling(self.check):
                yield
        finally:
            self._building = None

    def _watch(self, what: str, done: int, total: int) -> None:
        self._building = what, done / total if total else None
        self.check()

    def check(self) -> None:
        """
        :raises Stopped: the solve was cancelled
        """
        if self._cancelled:
            raise Stopped
