"""Long work in Python asks now and then whether to stop; who started it answers.

>>> def check() -> None:
...     raise TimeoutError
>>> with polling(check):
...     poll()
Traceback (most recent call last):
TimeoutError

Without an answer it goes on:

>>> poll()

The kernel's searches and builds ask in their own way (native/README.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["LOOK_SECONDS", "poll", "polling", "watched"]

T = TypeVar("T")

#: a cancel is to be seen within 50 ms: so often work in another thread is looked at, and what was cancelled has as long
#: to end
LOOK_SECONDS = 0.02
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


@contextmanager
def polling(check: Callable[[], None]) -> Iterator[None]:
    """Work inside the block calls ``check`` every few milliseconds, in this thread. To stop the work, it raises."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def poll() -> None:
    """Call the check of this thread, if there is one."""
    check = _check.get()
    if check is not None:
        check()


def watched(work: Future[T], ask: Callable[[], None] = poll) -> T:
    """The result of work in another thread; calls ``ask`` every 20 ms meanwhile.

    Looking hears Ctrl-C, too. A thread that waits without a limit is not woken by a signal that another one was given.
    """
    while not wait([work], timeout=LOOK_SECONDS).done:
        ask()
    return work.result()
