"""Counts that many processes add to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.exc import DBAPIError

from store.counts import Counts, read
from store.database import Sessions, make_engine, make_sessions


def values(sessions: Sessions) -> dict[tuple[str, tuple[str, ...]], float]:
    with sessions.read() as session:
        return {(sample.name, tuple(sample.labels.values())): sample.value for sample in read(session)}


def test_simultaneous_writes_add_up(sessions: Sessions) -> None:
    def write(number: int) -> None:
        counts = Counts()
        for _ in range(5):
            counts.add("jobs_ended", kind="solve", state="done")
            counts.add("fenced_ends")
            counts.observe("solve_seconds", 0.05 if number % 2 else 5000)
            counts.write(sessions)
        counts.write(sessions)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert values(sessions) == {
        ("jobs_ended", ("solve", "done")): 40,
        ("fenced_ends", ()): 40,
        ("solve_seconds_bucket", ("0.1",)): 20,
        ("solve_seconds_bucket", ("+Inf",)): 20,
        ("solve_seconds_sum", ()): pytest.approx(20 * 0.05 + 20 * 5000),
    }


def test_unknown_counters_are_refused() -> None:
    with pytest.raises(KeyError):
        Counts().add("unheard_of")
    with pytest.raises(KeyError):
        Counts().add("jobs_ended", kind="solve")


def test_counts_are_kept_if_the_database_fails(sqlite_sessions: Sessions, sqlite_url: str) -> None:
    counts = Counts()
    counts.add("fenced_ends", 3)
    empty = make_sessions(make_engine(sqlite_url + ".other"))
    with pytest.raises(DBAPIError):
        counts.write(empty)
    empty.close()
    counts.add("fenced_ends")
    counts.write(sqlite_sessions)
    assert values(sqlite_sessions) == {("fenced_ends", ()): 4}
