"""Fixtures every part shares: real servers, started once a session and only where a test asks for one."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers import PostgreSQL, Valkey

# No test asserts how long something took; and what decides whether a change lands must not depend on luck.
settings.register_profile("hstar", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("hstar")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The parts that take longest first, so that none of them is left for the end, when the other processes idle."""
    items.sort(key=lambda item: item.path.parent.name not in ("packaging", "worker"))


@pytest.fixture(scope="session", autouse=True)
def databases_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where this run keeps pattern databases, all its processes in one place: none are found, none are left."""
    base = tmp_path_factory.getbasetemp()
    directory = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "databases"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HSTAR_DATABASES", str(directory))
        yield directory


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """A running Valkey. A test that kills it takes one of its own: `with Valkey() as own:`."""
    with Valkey() as server:
        yield server


@pytest.fixture
def broker_url(valkey: Valkey) -> str:
    """The URL of the session's Valkey, emptied for this test."""
    valkey.empty()
    return valkey.url


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A running PostgreSQL."""
    with PostgreSQL() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> Iterator[str]:
    """An empty PostgreSQL database of this test's own."""
    url = postgresql.create_database()
    yield url
    postgresql.drop_database(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file of this test's own, not there yet."""
    return f"sqlite:///{tmp_path / 'hstar.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database of this test's own: the test runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue(f"{request.param}_url"))
