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


def test_a_used_database_is_as_a_new_one_for_the_next_test(postgresql: PostgreSQL) -> None:
    """Its rows are deleted, and nobody who had it finds it; after any other change it is not used again."""
    names: set[str] = set()

    def is_used_again_after(change: str) -> bool:
        url = postgresql.create_database(migrated=True)
        with psycopg.connect(libpq(url), autocommit=True) as connection:
            connection.execute(f"COMMENT ON DATABASE {url.rpartition('/')[2]} IS 'used'".encode())
            connection.execute(change.replace("NAME", url.rpartition("/")[2]).encode())
            postgresql.drop_database(url)
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            psycopg.connect(libpq(url))
        following = postgresql.create_database(migrated=True)
        with psycopg.connect(libpq(following)) as connection:
            assert connection.execute("SELECT * FROM owner_databases").fetchall() == []
            assert connection.execute("SELECT * FROM alembic_version").fetchall() != []
            (comment,) = connection.execute(
                "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"
            ).fetchone() or (None,)
        postgresql.drop_database(following)
        assert not {url, following} & names
        names.update({url, following})
        return bool(comment == "used")

    # The first ones may be left over from other tests, and have grown too large.
    row = "INSERT INTO owner_databases VALUES ('alice', 'of a pattern', 1, now())"
    assert any(is_used_again_after(row) for _ in range(5))
    for change in (
        "DROP INDEX ix_jobs_queued",
        "ALTER TABLE jobs ALTER COLUMN priority SET DEFAULT 7",
        "ALTER DATABASE NAME SET default_transaction_isolation = serializable",
        "UPDATE alembic_version SET version_num = '0001'",
        "ANALYZE jobs",
        "INSERT INTO owner_databases SELECT 'alice', g, g, now() FROM generate_series(1, 40000) AS g",
    ):
        assert not is_used_again_after(change), change


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
