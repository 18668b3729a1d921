"""Prefer, Idempotency-Key, Retry-After."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.errors import ProblemError
from service.headers import idempotency_key, preferred_wait, retry_after


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        (None, None),
        ("", None),
        ("wait=10", 10),
        ("Wait = 10", 10),
        ('wait="10"', 10),
        ("respond-async, wait=3", 3),
        ("wait=3; foo=bar, wait=9", 3),
        ("wait=0", 0),
        ("wait", None),
        ("wait=", None),
        ("wait=-1", None),
        ("wait=1.5", None),
        ("wait=soon", None),
        ("wait=9999999999999999999999", None),
        ("waiting=5", None),
    ],
)
def test_the_first_wait_counts_and_malformed_ones_do_not(prefer: str | None, seconds: int | None) -> None:
    assert preferred_wait(prefer) == seconds


@given(st.text(max_size=40))
def test_no_prefer_header_is_an_error(prefer: str) -> None:
    seconds = preferred_wait(prefer)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    ("header", "key"),
    [(None, None), ("abc", "abc"), ('"abc"', "abc"), ("k" * 255, "k" * 255), ('"' + "k" * 255 + '"', "k" * 255)],
)
def test_keys_are_bare_or_quoted(header: str | None, key: str | None) -> None:
    assert idempotency_key(header) == key


@pytest.mark.parametrize("header", ["", '""', "a b", " a", "k" * 256, "schlüssel", "a\tb", '"a', 'a"', 'a"b', "a\n"])
def test_other_keys_are_refused(header: str) -> None:
    with pytest.raises(ProblemError) as caught:
        idempotency_key(header)
    assert caught.value.kind.code == "bad-request"
    assert caught.value.faults[0].where == "header:Idempotency-Key"


@pytest.mark.parametrize(("elapsed", "seconds"), [(-5, 1), (0, 1), (19, 1), (35, 3), (86_400, 10)])
def test_polls_grow_rarer(elapsed: float, seconds: int) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after(now - timedelta(seconds=elapsed), now) == seconds
    assert retry_after(None, now) == 1
