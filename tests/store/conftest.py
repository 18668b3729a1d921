"""Fixtures of the store's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.database import Sessions, make_engine, make_sessions


@pytest.fixture
def sessions(database_url: str) -> Iterator[Sessions]:
    """The sessions of an empty, migrated database: once SQLite, once PostgreSQL."""
    made = make_sessions(make_engine(database_url, pool_size=12))
    yield made
    made.close()


@pytest.fixture
def sqlite_sessions(sqlite_url: str) -> Iterator[Sessions]:
    """As `sessions`, but only SQLite."""
    made = make_sessions(make_engine(sqlite_url))
    yield made
    made.close()
