"""Cached results in the database: read by all, written once, deleted when old."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import update

from store.database import Sessions, make_engine, make_sessions
from store.database.clock import from_now
from store.remembered import SharedResults, any_old, delete_old
from store.remembered.models import RememberedResult
from store.remembered.results import MAX_TEXT

DAY = timedelta(days=1)


def test_the_first_text_of_a_key_stays(sessions: Sessions) -> None:
    results = SharedResults(sessions)
    assert results.read("a" * 64) is None
    results.write("a" * 64, "1")
    results.write("a" * 64, "2")
    assert SharedResults(sessions).read("a" * 64) == "1"
    results.write("b" * 64, "x" * (MAX_TEXT + 1))
    assert results.read("b" * 64) is None


def test_old_ones_are_deleted(sessions: Sessions) -> None:
    results = SharedResults(sessions)
    for key in ("old", "new"):
        results.write(key, "1")
    with sessions.write() as session:
        assert not any_old(session, DAY)
        session.execute(update(RememberedResult).where(RememberedResult.key == "old").values(created_at=from_now(-DAY)))
    with sessions.write() as session:
        assert any_old(session, DAY / 2)
        assert delete_old(session, DAY / 2) == 1
    assert (results.read("old"), results.read("new")) == (None, "1")


def test_a_failing_database_stops_no_job(tmp_path: object) -> None:
    sessions = make_sessions(make_engine(f"sqlite:///{tmp_path}/empty.db"))  # it has no tables
    results = SharedResults(sessions)
    results.write("a", "1")
    assert results.read("a") is None
    sessions.close()
