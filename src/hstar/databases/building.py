"""Building tables on all cores, with progress reports; Ctrl-C stops it.

>>> with watching(lambda what, done, total: print(f"{what}: {done}/{total}")):       # doctest: +SKIP
...     database.kernel                                                              # built on first use
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from hstar import _kernel

__all__ = ["Watcher", "cores", "run", "tell", "watching"]

#: called with the name of the table, the entries that are done, and all entries (0: not known); an exception ends the
#: #: build
Watcher = Callable[[str, int, int], None]

T = TypeVar("T")

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)

#: a cancel is to be seen within 50 ms
_POLL_SECONDS = 0.02


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Builds inside the block call ``watcher`` about fifty times a second, and once at the end."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(what: str, done: int = 0, total: int = 0) -> None:
    """Call the watcher of this thread, if there is one."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, done, total)


def cores() -> int:
    """The number of threads that this process may use."""
    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:  # not on macOS
        return max(1, os.cpu_count() or 1)


def run(what: str, build: Callable[[_kernel.BuildProgress], T | None]) -> T:
    """The result of ``build``, which runs in its own thread so that this one can report progress and be interrupted."""
    progress = _kernel.BuildProgress()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="hstar-build") as pool:
        future = pool.submit(build, progress)
        try:
            while not wait([future], timeout=_POLL_SECONDS).done:
                tell(what, progress.done, progress.total)
        except BaseException:
            progress.cancel()
            raise
    result = future.result()
    assert result is not None  # only a cancelled build returns nothing
    tell(what, progress.total, progress.total)
    return result
