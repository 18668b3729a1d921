"""Identifiers: UUIDs of version 7 (RFC 9562), so that sorting by id sorts by time of creation.

The standard library has them from Python 3.14 on. The ids of one process ascend strictly, even within a millisecond.
"""

from __future__ import annotations

import os
import threading
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RANDOM_BITS = 74
_LOW_BITS = 62
_LOW_MASK = (1 << _LOW_BITS) - 1

_lock = threading.Lock()
_last_ms = 0
_last_random = 0


def _forget() -> None:
    """After a fork both processes would continue from the same number, so the child starts from new random bits."""
    global _last_ms, _last_random, _lock
    _lock = threading.Lock()
    _last_ms = _last_random = 0


os.register_at_fork(after_in_child=_forget)


def new_id() -> str:
    """A new id, larger than every id that this process made before."""
    return new_ids(1)[0]


def new_ids(count: int) -> list[str]:
    """That many new ids, each the previous one plus 1, so that all follow from the first (`ids_from`)."""
    global _last_ms, _last_random
    with _lock:
        milliseconds = max(time.time_ns() // 1_000_000, _last_ms)
        if milliseconds == _last_ms:
            # RFC 9562, method 2: random steps keep the order, and ids cannot be guessed.
            random = _last_random + 1 + int.from_bytes(os.urandom(4))
            if (random + count) >> _RANDOM_BITS:
                milliseconds, random = milliseconds + 1, int.from_bytes(os.urandom(9))
        else:
            random = int.from_bytes(os.urandom(9))  # 72 bits: the top two stay free for the steps
        if (random & _LOW_MASK) + count > _LOW_MASK:  # the counter would overflow into the bits of the variant
            random = (random | _LOW_MASK) + 1
        _last_ms, _last_random = milliseconds, random + count - 1
    high, low = random >> _LOW_BITS, random & _LOW_MASK
    return _ids_from(milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low, count)


def ids_from(first: str, count: int) -> list[str]:
    """The ids that :func:`new_ids` made, computed from the first."""
    return _ids_from(UUID(first).int, count)


def _ids_from(first: int, count: int) -> list[str]:
    return [str(UUID(int=first + i)) for i in range(count)]


def parse_id(text: str) -> str | None:
    """The canonical form of an id, or None if ``text`` is not an id."""
    if len(text) != 36:
        return None
    try:
        return str(UUID(text))
    except ValueError:
        return None


def created_at(identifier: str) -> datetime:
    """The time, to the millisecond, at which :func:`new_id` made this id."""
    return datetime.fromtimestamp((UUID(identifier).int >> 80) / 1000, UTC)


def least_id(moment: datetime) -> str:
    """The smallest possible id of a solve that was created (`created_at`) at ``moment`` (aware) or later."""
    milliseconds = -((_EPOCH - moment) // timedelta(milliseconds=1))
    return str(UUID(int=max(0, min(milliseconds, 2**48 - 1)) << 80))
