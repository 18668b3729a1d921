"""Fixtures of the service's tests: the real application on real databases, and the worker's runner in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from apiflask import APIFlask
from flask.testing import FlaskClient

from service.app import create_app, make_context
from store.database import make_engine, migrate
from store.settings import Settings
from tests.conftest import TEST_ALL
from tests.service.contract import CheckedClient
from worker.runner import Runner

KEYS = "alice:key-of-alice-in-tests,bob:key-of-bob-in-tests"


@pytest.fixture(params=["sqlite", "postgresql"] if TEST_ALL else ["sqlite"])
def database_url(request: pytest.FixtureRequest) -> str:
    """One database, because the service uses it only through the store, whose tests run on both: SQLite, or PostgreSQL
    where a module says `either_database_url`; in `make test-all` both."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def settings(database_url: str, broker_url: str, tmp_path: Path) -> Settings:
    """Settings for an empty, migrated database and the session's Valkey."""
    return Settings(var=tmp_path, database_url=database_url, broker_url=broker_url)


#: applications that have been used; the context of an application, which is all that depends on its settings but for
#: `proxies`, takes a tenth of the time that its routes take
_used: list[APIFlask] = []


def _application(settings: Settings) -> APIFlask:
    if _used and not settings.proxies:
        make_context(settings).attach(_used[-1].extensions)
        return _used.pop()
    made = create_app(settings)
    made.test_client_class = CheckedClient
    return made


@pytest.fixture
def make_client(settings: Settings) -> Iterator[Callable[..., FlaskClient]]:
    """Clients of applications with ``settings``, some of them changed: ``make_client(api_keys=KEYS)``."""
    made: list[tuple[APIFlask, Settings]] = []

    def make(**changes: object) -> FlaskClient:
        changed = Settings(**(settings.model_dump() | changes))
        app = _application(changed)
        made.append((app, changed))
        return app.test_client()

    yield make
    for app, changed in made:
        app.extensions["hstar"].sessions.close()
        if not changed.proxies:
            _used.append(app)


@pytest.fixture
def client(make_client: Callable[..., FlaskClient]) -> FlaskClient:
    """A client of the application with ``settings``."""
    return make_client()


@pytest.fixture
def work_off(settings: Settings) -> Iterator[Callable[[], int]]:
    """The worker's runner in this process: runs all queued jobs and returns their number."""
    runner = Runner(settings)

    def work() -> int:
        ran = runner.drain()
        runner.write_counts()
        return ran

    yield work
    runner.close()


@pytest.fixture(scope="session")
def open_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A client of an application without keys on SQLite, shared by tests that store nothing; it has no broker."""
    home = tmp_path_factory.mktemp("open")
    settings = Settings(var=home, broker_url="redis://127.0.0.1:1/0")
    migrate.upgrade(make_engine(settings.database_url))
    app = create_app(settings)
    app.test_client_class = CheckedClient
    yield app.test_client()
    app.extensions["hstar"].sessions.close()
