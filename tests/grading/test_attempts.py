"""Attempts and tokens, compared with a bucket that is simulated minute by minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hstar.grading.attempts import allowance
from hstar.grading.schema import AssignmentIn

START = datetime(2026, 11, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def over(**changes: Any) -> AssignmentIn:
    base: dict[str, Any] = {"title": "t", "puzzle": "8-puzzle", "rubric": [{"kind": "valid", "points": 1}]}
    return AssignmentIn.model_validate(base | changes)


def test_without_limits() -> None:
    left = allowance(over(), [START] * 100, START)
    assert (left.attempts_used, left.attempts_left, left.tokens_left, left.next_token_at) == (100, None, None, None)
    assert not left.exhausted
    assert not left.too_early


def test_attempts() -> None:
    assert allowance(over(attempts=3), [START], START).attempts_left == 2
    assert allowance(over(attempts=1), [START, START], START).exhausted


def test_tokens_come_back_one_by_one() -> None:
    given_ = over(bucket={"tokens": 2, "hours_a_token": 1.5})
    assert allowance(given_, [], START).tokens_left == 2
    both = [START, START + 10 * MINUTE]
    empty = allowance(given_, both, START + 20 * MINUTE)
    assert (empty.tokens_left, empty.too_early, empty.next_token_at) == (0, True, START + 90 * MINUTE)
    again = allowance(given_, both, START + 90 * MINUTE)
    assert (again.tokens_left, again.next_token_at) == (1, START + 180 * MINUTE)
    assert allowance(given_, both, START + 180 * MINUTE).next_token_at is None


@given(
    tokens=st.integers(1, 4),
    minutes=st.integers(1, 90),
    gaps=st.lists(st.integers(0, 200), max_size=12),
    after=st.integers(0, 300),
)
def test_a_bucket_as_one_simulates_it(tokens: int, minutes: int, gaps: list[int], after: int) -> None:
    """Simulated in parts of a token, minute by minute; an attempt is allowed if there is a whole token."""
    full = tokens * minutes
    level, now, taken = full, 0, []
    for gap in gaps:
        for _ in range(gap):
            level, now = min(full, level + 1), now + 1
        if level >= minutes:
            level -= minutes
            taken.append(START + now * MINUTE)
    for _ in range(after):
        level, now = min(full, level + 1), now + 1
    left = allowance(over(bucket={"tokens": tokens, "hours_a_token": minutes / 60}), taken, START + now * MINUTE)
    assert left.tokens_left in (level // minutes, (level - 1) // minutes)  # hours_a_token is a float
    if left.next_token_at is None:
        assert level == full
    else:
        missing = (minutes - level % minutes) * MINUTE
        assert (
            abs(left.next_token_at - (START + now * MINUTE + missing)) <= timedelta(seconds=1) or level % minutes == 0
        )


def test_a_bucket_that_was_made_smaller_owes_nothing() -> None:
    """Three attempts at once were allowed before; the next token comes one interval later, not three."""
    smaller = over(bucket={"tokens": 1, "hours_a_token": 1})
    left = allowance(smaller, [START] * 3, START)
    assert (left.tokens_left, left.next_token_at) == (0, START + 60 * MINUTE)
    assert allowance(smaller, [START] * 3, START + 60 * MINUTE).tokens_left == 1


def test_whether_an_attempt_is_left() -> None:
    for used, left in ((0, 2), (1, 1), (2, 0), (3, 0)):
        found = allowance(over(attempts=2), [START] * used, START)
        assert (found.attempts_used, found.attempts_left, found.exhausted) == (used, left, left == 0)
    assert not allowance(over(bucket={"tokens": 2, "hours_a_token": 1}), [START], START).too_early
