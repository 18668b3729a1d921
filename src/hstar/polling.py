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
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["poll", "polling"]

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
