"""Whether a student may submit now: attempts are counted, and tokens slow down guessing.

The functions are pure: the caller passes the submissions that count. A submission that the service could not grade does
not count, so a fault of the service costs neither an attempt nor a token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from math import ceil, floor

from hstar.grading.schema import AssignmentIn, TokenBucket

_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Allowance:
    """The attempts and tokens that a student has left; None: no limit. ``next_token_at`` is None if no token is
    missing."""

    attempts_used: int
    attempts_left: int | None
    tokens_left: int | None
    next_token_at: datetime | None

    @property
    def exhausted(self) -> bool:
        """Whether no attempt is left."""
        return self.attempts_left == 0

    @property
    def too_early(self) -> bool:
        """Whether no token is left, until ``next_token_at``."""
        return self.tokens_left == 0


def allowance(assignment: AssignmentIn, times: Sequence[datetime], now: datetime) -> Allowance:
    """The attempts and tokens that a student has left.

    :param times: the times of the submissions that count, in order
    """
    left = None if assignment.attempts is None else max(0, assignment.attempts - len(times))
    if assignment.bucket is None:
        return Allowance(len(times), left, None, None)
    tokens, next_at = _tokens(assignment.bucket, times, now)
    return Allowance(len(times), left, tokens, next_at)


def _tokens(bucket: TokenBucket, times: Sequence[datetime], now: datetime) -> tuple[int, datetime | None]:
    """The tokens in the bucket now, and when the next one comes; in exact fractions of a token."""
    most = Fraction(bucket.tokens)
    every = Fraction(bucket.hours_a_token) * 3600 * 10**6  # microseconds
    level, last = most, times[0] if times else now
    for moment in times:
        # Negative only if the bucket was made smaller since.
        level = max(Fraction(0), _refilled(level, moment - last, most, every) - 1)
        last = moment
    level = _refilled(level, now - last, most, every)
    whole = floor(level)
    if whole == most:
        return whole, None
    return whole, now + ceil((whole + 1 - level) * every) * _MICROSECOND


def _refilled(level: Fraction, passed: timedelta, most: Fraction, every: Fraction) -> Fraction:
    return min(most, level + Fraction(passed // _MICROSECOND) / every)
