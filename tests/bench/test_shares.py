"""The program that says what a request pays for."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import shares
from store.database import make_engine, migrate


@pytest.mark.parametrize("read", [False, True])
def test_shares_are_of_known_parts(sqlite_url: str, broker_url: str, tmp_path: Path, read: bool) -> None:
    migrate.upgrade(make_engine(sqlite_url))
    seconds, seen = shares.application(sqlite_url, broker_url, tmp_path, 20, read)
    assert seconds > 0
    assert "SQLAlchemy" in seen
    assert set(seen) <= {*shares.PARTS.values(), "other"}
