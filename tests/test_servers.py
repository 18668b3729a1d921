"""The servers that other tests use: they really are the declared programs, and they stop."""

import os

import psycopg
import pytest

from tests.servers import PostgreSQL, Server, Valkey


def libpq(url: str) -> str:
    return url.replace("+psycopg", "")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_valkey_killed_and_restarted_empty_has_its_address_but_not_its_data() -> None:
    with Valkey() as valkey:
        port = valkey.port
        with valkey.client() as client:
            client.set("bell", "rung")
            assert client.get("bell") == b"rung"
            assert client.config_get("appendonly") == {"appendonly": "yes"}
        valkey.kill()
        assert not valkey.answers()
        valkey.forget()
        valkey.start(port)
        with valkey.client() as client:
            assert client.get("bell") is None


def test_valkey_keeps_its_data_over_a_warm_stop() -> None:
    with Valkey() as valkey:
        with valkey.client() as client:
            client.set("bell", "rung")
        valkey.stop()
        valkey.start()
        with valkey.client() as client:
            assert client.get("bell") == b"rung"


def test_postgresql_databases_are_apart(postgresql: PostgreSQL) -> None:
    one, other = postgresql.create_database(), postgresql.create_database()
    with psycopg.connect(libpq(one)) as connection:
        connection.execute("CREATE TABLE rows (id integer)")
        version = connection.info.server_version
    with psycopg.connect(libpq(other)) as connection:
        (found,) = connection.execute("SELECT count(*) FROM pg_tables WHERE tablename = 'rows'").fetchone() or ()
    assert found == 0
    assert version >= 150000
    postgresql.drop_database(one)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(libpq(one))
    postgresql.drop_database(other)


@pytest.mark.parametrize("kind", [Valkey, PostgreSQL])
def test_a_server_leaves_neither_process_nor_data(kind: type[Server]) -> None:
    with kind() as server:
        assert server.process is not None
        pid = server.process.pid
        assert is_running(pid)
    assert not is_running(pid)
    assert not server.home.exists()


def test_a_server_that_cannot_start_says_why(valkey: Valkey) -> None:
    second = Valkey()
    with pytest.raises(AssertionError, match="Address already in use"):
        second.start(valkey.port)
    second.close()
    assert valkey.answers()


def test_each_database_fixture_is_empty(database_url: str) -> None:
    scheme, _, rest = database_url.partition("://")
    assert scheme in {"sqlite", "postgresql+psycopg"}
    assert rest
