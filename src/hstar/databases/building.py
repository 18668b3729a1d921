"""Building tables on all cores, with progress reports; Ctrl-C stops it.

>>> with watching(lambda what, done, total: print(f"{what}: {done}/{total}")):       # doctest: +SKIP
...     database.kernel                                                              # built on first use
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Thread
from typing import TypeVar

from hstar import _kernel
from hstar.polling import LOOK_SECONDS, poll, watched

__all__ = ["Watcher", "aside", "cores", "run", "tell", "watching"]

#: called with the name of the table, the entries that are done, and all entries (0: not known); an exception ends the
#: build
Watcher = Callable[[str, int, int], None]

T = TypeVar("T")

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Builds inside the block call ``watcher`` about fifty times a second, and once at the end."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(what: str, done: int = 0, total: int = 0) -> None:
    """Call the watcher of this thread, if there is one, and what polls long work; either may end it by an exception."""
    poll()
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


def cores() -> int:
    """The number of threads that this process may use."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on macOS
        return max(1, os.cpu_count() or 1)


def run(what: str, build: Callable[[_kernel.Control], T | None]) -> T:
    """The result of ``build``, which runs in its own thread so that this one can report progress and be interrupted."""
    progress = _kernel.Control()

    def ask() -> None:
        # Whoever is asked may wait, because the solve is paused; then the build must not go on.
        progress.pause()
        tell(what, progress.done, progress.total)
        progress.resume()

    result = aside(lambda: build(progress), ask, stop=progress.cancel)
    assert result is not None  # only a cancelled build returns nothing
    tell(what, progress.total, progress.total)
    return result


def aside(work: Callable[[], T], ask: Callable[[], None] = poll, stop: Callable[[], None] = lambda: None) -> T:
    """The result of ``work``, which runs in its own thread while this one calls ``ask`` every 20 ms. If that raises,
    ``stop`` is called, and the work left alone if it does not end at once."""
    future: Future[T] = Future()

    def begin() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # for the one who waits
            future.set_exception(error)

    Thread(target=begin, name="hstar-build").start()
    try:
        return watched(future, ask)
    except BaseException:
        stop()
        wait([future], timeout=LOOK_SECONDS)
        raise
