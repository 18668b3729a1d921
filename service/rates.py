"""Rate limits, counted for all processes in the broker's Redis, or in this process while Redis does not answer.

rates = Rates(settings.broker_url)
quota = rates.count(REQUESTS, 3000, "ann")       # one request of ann's; quota.allowed

The window slides: it is made of two counters of a minute each, weighted by the elapsed share of the present minute, so
that nobody can send twice the limit around the turn of a minute. Without Redis each process counts by itself: the limit
is then up to as many times larger as there are processes, and no request is refused that Redis would have allowed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import redis
import structlog
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from redis.backoff import NoBackoff
from redis.retry import Retry

from store.doorbell import PAUSE_SECONDS, TIMEOUT_SECONDS, redis_url

log = structlog.get_logger(__name__)
T = TypeVar("T")

#: what is counted
REQUESTS, WRONG_KEYS = "requests", "wrong-keys"
WINDOW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Quota:
    """What is left of a limit. ``reset``: seconds until more is available, at least 1."""

    name: str
    allowed: bool
    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        """The headers of the IETF's draft on ``RateLimit``."""
        return {
            "RateLimit-Policy": f'"{self.name}";q={self.limit};w={WINDOW_SECONDS}',
            "RateLimit": f'"{self.name}";r={self.remaining};t={self.reset}',
        }


class Rates:
    """The counters. Safe to share between threads and across forks."""

    def __init__(self, broker_url: str) -> None:
        pool = redis.ConnectionPool.from_url(
            redis_url(broker_url),
            socket_connect_timeout=TIMEOUT_SECONDS,
            socket_timeout=TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 1),
        )
        storage = RedisStorage("redis://", connection_pool=pool, key_prefix="hstar:rates")
        self._shared = SlidingWindowCounterRateLimiter(storage)
        self._own = SlidingWindowCounterRateLimiter(MemoryStorage())
        self._away_until = 0.0

    def count(self, name: str, limit: int, whose: str) -> Quota:
        """Count one more of ``name`` for ``whose``, unless the limit a minute is reached."""
        item = RateLimitItemPerMinute(limit)
        return self._ask(lambda counters: self._quota(counters, item, name, whose, counters.hit(item, name, whose)))

    def look(self, name: str, limit: int, whose: str) -> Quota:
        """Whether one more would be allowed, without counting it."""
        item = RateLimitItemPerMinute(limit)
        return self._ask(lambda counters: self._quota(counters, item, name, whose, counters.test(item, name, whose)))

    def _ask(self, question: Callable[[SlidingWindowCounterRateLimiter], T]) -> T:
        if time.monotonic() >= self._away_until:
            try:
                return question(self._shared)
            except (redis.RedisError, OSError) as error:
                # Redis is not tried again for a moment, so that its absence does not slow down every request.
                self._away_until = time.monotonic() + PAUSE_SECONDS
                log.warning("cannot reach Redis; this process counts requests by itself", error=type(error).__name__)
        return question(self._own)

    @staticmethod
    def _quota(
        counters: SlidingWindowCounterRateLimiter, item: RateLimitItemPerMinute, name: str, whose: str, allowed: bool
    ) -> Quota:
        window = counters.get_window_stats(item, name, whose)
        reset = min(WINDOW_SECONDS, max(1, ceil(window.reset_time - time.time())))
        return Quota(name, allowed, item.amount, window.remaining, reset)
