"""Engines and sessions: one code for SQLite and PostgreSQL.

    sessions = make_sessions(make_engine(settings.database_url))
    with sessions.read() as session:          # a snapshot; never blocks a writer
        ...
    with sessions.write() as session:         # commits at the end; on SQLite it holds the write lock throughout
        ...
    status = sessions.run(lambda session: machine.request_cancel(session, id))   # a write, retried if it was busy

    beat = sessions.transact(lambda transaction: machine.heartbeat(transaction, claim, lease))   # without objects

A session is for one thread and one ``with`` block. Its objects can still be read after it (``expire_on_commit`` is
off).
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from sqlalchemy import Engine, Executable, Row, create_engine, event
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.engine import URL, Connection, make_url
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

T = TypeVar("T")

# A server that does not let a client in within this long, and does not refuse it either, does not answer.
SLOW_SECONDS = 1.0
SQLITE_BUSY_SECONDS = 10.0
SQLITE_FIRST_PAUSE_SECONDS = 0.0001
SQLITE_LONGEST_PAUSE_SECONDS = 0.005
# The sweeper checkpoints the log long before it has so many pages (`Sessions.checkpoint`).
SQLITE_LOG_PAGES = 16_000
SQLITE_WORTH_A_RESTART_PAGES = 1_000
# A checkpoint that waits for readers keeps writers from writing.
SQLITE_CHECKPOINT_SECONDS = 0.05


def normal_url(url: str | URL) -> URL:
    """``url`` with our driver: psycopg 3 for every spelling of PostgreSQL."""
    parsed = make_url(url)
    if parsed.drivername in ("postgres", "postgresql"):
        return parsed.set(drivername="postgresql+psycopg")
    return parsed


def make_engine(url: str | URL, *, pool_size: int = 5, check_connections: bool = True) -> Engine:
    """An engine for a SQLite file or a PostgreSQL database; other databases raise ValueError.

    ``check_connections`` tests each pooled connection before it is used (one round trip): right for the service,
    unnecessary in the worker, which repeats failed statements anyway.
    """
    parsed = normal_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _make_sqlite_engine(parsed, pool_size)
    if parsed.get_backend_name() != "postgresql":
        raise ValueError(f"the database must be SQLite or PostgreSQL, not {parsed.get_backend_name()}")
    engine = create_engine(
        parsed,
        hide_parameters=True,  # an error has the statement, but not its parameters: what users send must not be logged
        pool_size=pool_size,
        max_overflow=pool_size,
        pool_timeout=10,
        pool_pre_ping=check_connections,
        # This level is enough for the state machine's single conditional statements; see decision 0011.
        isolation_level="READ COMMITTED",
        connect_args={
            "connect_timeout": 5,
            "application_name": "hstar",
            # A dead server is noticed within about 15 s instead of the system's two hours.
            "keepalives": 1,
            "keepalives_idle": 5,
            "keepalives_interval": 5,
            "keepalives_count": 2,
            "tcp_user_timeout": 15_000,  # the same for data that was sent and is not acknowledged
            # The level again, for statements without BEGIN: the server's own default may be another.
            "options": r"-c default_transaction_isolation=read\ committed -c lock_timeout=10s "
            "-c idle_in_transaction_session_timeout=60s -c timezone=UTC "
            # The server, too: otherwise the connections of a host that was cut off stay for two hours, until there are
            # too many.
            "-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=2 "
            "-c tcp_user_timeout=15000",
        },
    )
    event.listen(engine, "do_connect", Connecting().connect)
    return engine


class Connecting:
    """While the server does not answer, one thread tries to connect, and the others fail at once.

    Otherwise each request waits for the time limit of a connection when packets are lost, and those behind it for a
    thread. A server that refuses connections needs none of this.
    """

    def __init__(self) -> None:
        self._away = False
        self._trying = threading.Lock()

    def connect(self, dialect: Any, _record: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """A connection, for SQLAlchemy's event ``do_connect``. Raises the driver's OperationalError."""
        if not self._away:
            return self._connect(dialect, arguments, named)
        if not self._trying.acquire(blocking=False):
            raise dialect.loaded_dbapi.OperationalError("the database has not answered, and another thread tries again")
        try:
            return self._connect(dialect, arguments, named)
        finally:
            self._trying.release()

    def _connect(self, dialect: Any, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        began = time.monotonic()
        try:
            made = dialect.connect(*arguments, **named)
        except dialect.loaded_dbapi.OperationalError:
            self._away = time.monotonic() - began >= SLOW_SECONDS
            raise
        self._away = False
        return made


class _HintingCompiler(SQLiteCompiler):
    """Compiles ``with_hint(table, "INDEXED BY ...", "sqlite")``, which SQLAlchemy does not do for SQLite by itself."""

    def get_from_hint_text(self, table: Any, text: str | None) -> str | None:
        return text


def _make_sqlite_engine(url: URL, pool_size: int) -> Engine:
    if not url.database or url.database == ":memory:":
        raise ValueError("SQLite needs a file: several processes share the database")
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        url,
        hide_parameters=True,
        pool_size=pool_size,
        max_overflow=pool_size,
        connect_args={"timeout": SQLITE_BUSY_SECONDS},
    )

    engine.dialect.statement_compiler = _HintingCompiler

    @event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        # The driver must not begin transactions by itself: it would begin deferred ones, and a deferred transaction
        # that reads before it writes fails at once if another process wrote in between.
        connection.isolation_level = None
        cursor = connection.cursor()
        # WAL: readers and the one writer do not block each other. NORMAL: a commit survives the death of any process;
        # a power cut may lose the last commits, but the file stays intact, and the jobs run again.
        for pragma in (
            "journal_mode=WAL",
            "synchronous=NORMAL",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            f"wal_autocheckpoint={SQLITE_LOG_PAGES}",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("hstar_write", False):
            _take_write_lock(connection)
        else:
            connection.exec_driver_sql("BEGIN")

    return engine


def _take_write_lock(connection: Connection) -> None:
    """Begin a writing transaction as soon as the other processes have none.

    SQLite itself sleeps for 1, 2, 5, 10 ... 100 ms between its attempts, several times as long as a transaction takes.
    """
    driver: Any = connection.connection.driver_connection
    until, pause = time.monotonic() + SQLITE_BUSY_SECONDS, SQLITE_FIRST_PAUSE_SECONDS
    driver.execute("PRAGMA busy_timeout=0")
    try:
        while time.monotonic() < until:
            try:
                driver.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    break
            time.sleep(pause)
            pause = min(1.5 * pause, SQLITE_LONGEST_PAUSE_SECONDS)
        # Once more, for an error of SQLAlchemy.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    finally:
        driver.execute(f"PRAGMA busy_timeout={1000 * SQLITE_BUSY_SECONDS:.0f}")


class Transaction(Protocol):
    """An open transaction in which statements are executed. A `Session` is one, too."""

    def connection(self) -> Connection:
        """The connection of the transaction."""

    def get_bind(self) -> Engine | Connection:
        """What has the dialect of the database."""


class PlainTransaction:
    """A transaction without a session. A session costs more processor time than the statements of a job's end."""

    def __init__(self, engine: Engine, ending: ExitStack) -> None:
        self._engine = engine
        self._ending = ending
        self._on: Connection | None = None

    def connection(self) -> Connection:
        """The connection, in a transaction that begins with the first call."""
        if self._on is None:
            self._on = self._ending.enter_context(self._engine.begin())
        return self._on

    def get_bind(self) -> Engine:
        """The engine."""
        return self._engine

    def execute_alone(self, statement: Executable, parameters: Mapping[str, Any]) -> Row[Any] | None:
        """Execute a statement that is a whole transaction, which saves PostgreSQL's round trips of BEGIN and COMMIT.

        If other statements came before, it is executed in their transaction.
        """
        if self._on is not None or self._engine.dialect.name == "sqlite":
            return self.connection().execute(statement, parameters).one_or_none()
        with self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            return connection.execute(statement, parameters).one_or_none()


def execute_alone(transaction: Transaction, statement: Executable, parameters: Mapping[str, Any]) -> Row[Any] | None:
    """Execute a statement that may be a whole transaction; returns its row, if any."""
    if isinstance(transaction, PlainTransaction):
        return transaction.execute_alone(statement, parameters)
    return transaction.connection().execute(statement, parameters).one_or_none()


class Sessions:
    """Makes reading and writing sessions."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._writing = engine.execution_options(hstar_write=True)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session whose transaction is rolled back at the end: it must not write."""
        with Session(self.engine, expire_on_commit=False, autoflush=False) as session:
            yield session

    @contextmanager
    def write(self, attach: Path | None = None) -> Iterator[Session]:
        """A session that commits at the end, or rolls back when the block raises.

        :param attach: a SQLite file to attach as the schema ``staged`` meanwhile (`store.database.staging`)
        """
        if attach is None:
            with Session(self._writing, expire_on_commit=False) as session, session.begin():
                yield session
            return
        with self._writing.connect() as connection:
            # By the driver itself, because the engine would begin a transaction, which takes the write lock.
            driver: Any = connection.connection.driver_connection
            driver.execute("ATTACH ? AS staged", (str(attach),))
            try:
                with Session(connection, expire_on_commit=False) as session, session.begin():
                    yield session
            finally:
                driver.execute("DETACH staged")

    def run(self, work: Callable[[Session], T], *, patience: float = 5.0, attach: Path | None = None) -> T:
        """Run ``work`` in a writing session; repeat it after temporary failures, for up to ``patience`` seconds.

        ``work`` may run more than once, so it must have no effects outside its session. After a failure during the
        commit it is unknown whether the commit succeeded, so ``work`` must also be safe to repeat after success. The
        transitions of :mod:`store.jobs.machine` are, because they are conditional.
        """
        return self._repeat(lambda: self.write(attach), work, patience)

    def transact(self, work: Callable[[PlainTransaction], T], *, patience: float = 5.0) -> T:
        """As `run`, for ``work`` that only executes statements."""
        return self._repeat(self._begin, work, patience)

    @contextmanager
    def _begin(self) -> Iterator[PlainTransaction]:
        with ExitStack() as ending:
            yield PlainTransaction(self._writing, ending)

    @staticmethod
    def _repeat(begin: Callable[[], AbstractContextManager[Any]], work: Callable[[Any], T], patience: float) -> T:
        deadline = time.monotonic() + patience
        pause = 0.02
        while True:
            try:
                with begin() as transaction:
                    return work(transaction)
            except DBAPIError as error:
                if not is_passing(error) or time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 1.0)

    def checkpoint(self) -> None:
        """Copy SQLite's write-ahead log into the file, so that the log starts anew. Nothing for PostgreSQL.

        Otherwise each writer does it after a commit, and waits for the disk twice; while several processes write, the
        log never starts anew, and so every commit does it.
        """
        if self.engine.dialect.name != "sqlite":
            return
        with closing(self.engine.raw_connection()) as connection:
            driver: Any = connection.driver_connection
            driver.execute(f"PRAGMA busy_timeout={1000 * SQLITE_CHECKPOINT_SECONDS:.0f}")
            try:
                _, pages, copied = driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                # Others have written meanwhile. The rest is short, so it is copied while nobody writes.
                if copied < pages and pages >= SQLITE_WORTH_A_RESTART_PAGES:
                    driver.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
            finally:
                driver.execute(f"PRAGMA busy_timeout={1000 * SQLITE_BUSY_SECONDS:.0f}")

    def free_bytes(self) -> int | None:
        """Free bytes on the disk of a SQLite file; None for PostgreSQL, whose disk is not visible here."""
        url = self.engine.url
        if url.get_backend_name() != "sqlite" or not url.database:
            return None
        return shutil.disk_usage(Path(url.database).parent).free

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def take_snapshot(session: Session) -> None:
    """Make ``session`` read everything from one snapshot; must be called before it reads."""
    if session.get_bind().dialect.name == "postgresql":  # every transaction of SQLite does
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def make_sessions(engine: Engine) -> Sessions:
    """The sessions of an engine."""
    return Sessions(engine)


def is_passing(error: DBAPIError) -> bool:
    """Whether the same statement may succeed later: after a lost connection, lock, deadlock or full disk."""
    return error.connection_invalidated or isinstance(error, OperationalError)
