"""Engines and sessions under faults: many writers, a full disk, connections that break."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import event, func, literal, select, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, StatementError
from sqlalchemy.orm import Session

import store.database.sessions
from store.database import Sessions, make_engine, make_sessions, migrate, normal_url
from store.database.clock import from_now, now
from store.database.sessions import Connecting
from store.database.types import UtcDateTime
from store.jobs import machine
from store.jobs.states import State
from store.owners.principal import SYSTEM
from store.solves import submission
from store.solves.models import Solve
from store.solves.objects import to_object
from store.solves.queries import get_solve
from tests.servers import wait_until
from tests.store.builders import answer, end, must_claim, new_solve, row, solve_of, submit


def test_urls_name_the_driver_that_we_use() -> None:
    for given in ("postgres://u:p@h/d", "postgresql://u:p@h/d", "postgresql+psycopg://u:p@h/d"):
        assert normal_url(given).render_as_string(hide_password=False) == "postgresql+psycopg://u:p@h/d"
    for wrong in ("sqlite://", "sqlite:///:memory:", "mysql+pymysql://h/d"):
        with pytest.raises((ValueError, ModuleNotFoundError)):
            make_engine(wrong)


def test_a_moment_is_the_same_on_the_way_in_and_out(sessions: Sessions) -> None:
    with sessions.read() as session:
        for given in (
            datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
            datetime(2026, 7, 1, tzinfo=timezone(timedelta(hours=-7))),
            datetime(1970, 1, 1, tzinfo=UTC),
        ):
            found = session.scalar(select(literal(given, UtcDateTime())))
            assert found == given
            assert found is not None
            assert found.utcoffset() == timedelta(0)
        with pytest.raises(StatementError, match="no time zone"):
            session.scalar(select(literal(datetime(2026, 1, 1), UtcDateTime())))


def test_the_databases_clock_is_now_and_intervals_add_up(sessions: Sessions) -> None:
    with sessions.read() as session:
        for seconds in (0.0, 15.0, -15.0, 0.05, -0.001, 86_400.0 * 3):
            before = datetime.now(UTC)
            found = session.scalar(select(from_now(timedelta(seconds=seconds))))
            after = datetime.now(UTC)
            assert found is not None
            slack = timedelta(milliseconds=2)
            assert before - slack <= found - timedelta(seconds=seconds) <= after + slack
        assert session.scalar(select(now() < from_now(timedelta(seconds=0.01))))
        assert session.scalar(select(from_now(timedelta(seconds=-0.01)) < now()))
        assert session.scalar(select(literal(datetime.now(UTC), UtcDateTime()) < from_now(timedelta(seconds=1))))


def test_writers_queue_up_instead_of_failing(sessions: Sessions) -> None:
    start = threading.Barrier(10)

    def work(number: int) -> None:
        start.wait()
        for _ in range(8):
            solve_id = submit(sessions, f"owner-{number}")
            with sessions.read() as session:
                assert session.get(Solve, solve_id) is not None

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(work, range(10)))
    with sessions.read() as session:
        assert len(session.scalars(select(Solve.id)).all()) == 80


def test_a_failed_write_leaves_nothing(sessions: Sessions) -> None:
    new = new_solve()

    def twice(session: Session) -> None:
        submission.submit(session, new)
        session.execute(text("INSERT INTO solve_documents SELECT * FROM solve_documents"))

    with pytest.raises(IntegrityError):
        sessions.run(twice)
    with sessions.read() as session:
        assert session.get(Solve, new.id) is None


def test_submitting_takes_one_statement_where_each_is_a_round_trip(sessions: Sessions) -> None:
    asked: list[str] = []
    event.listen(sessions.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    one, several = submit(sessions), [new_solve(), new_solve()]
    inserting = [statement for statement in asked if "INSERT" in statement]
    assert len(inserting) == (1 if sessions.engine.dialect.name == "postgresql" else 3)
    sessions.run(lambda session: submission.submit_many(session, several))
    found = []
    for solve_id in (one, *(new.id for new in several)):
        with sessions.read() as session:
            solve = get_solve(session, solve_id, SYSTEM)
        assert solve is not None
        assert solve.job.state is State.QUEUED
        found.append(to_object(solve).model_dump(exclude={"id", "created_at"}))
    assert found[0] == found[1] == found[2]


def test_a_faulty_statement_is_not_repeated(sessions: Sessions) -> None:
    calls: list[int] = []

    def faulty(session: Session) -> None:
        calls.append(1)
        session.execute(text("INSERT INTO solves (id) VALUES (NULL)"))

    with pytest.raises(IntegrityError):
        sessions.run(faulty)
    assert len(calls) == 1


@pytest.fixture
def sqlite_sessions(sqlite_url: str) -> Iterator[Sessions]:
    """As `sessions`, but only SQLite."""
    made = make_sessions(make_engine(sqlite_url))
    migrate.upgrade(made.engine)
    yield made
    made.close()


def test_sqlite_runs_as_we_say(sqlite_sessions: Sessions) -> None:
    submit(sqlite_sessions)
    sqlite_sessions.checkpoint()
    with sqlite_sessions.read() as session:
        for pragma, expected in (
            ("journal_mode", "wal"),
            ("synchronous", 1),
            ("foreign_keys", 1),
            ("busy_timeout", 10_000),
        ):
            assert session.scalar(text(f"PRAGMA {pragma}")) == expected


@pytest.fixture
def short_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log of fifty pages is worth a restart."""
    monkeypatch.setattr(store.database.sessions, "SQLITE_WORTH_A_RESTART_PAGES", 50)


def restarts_of_the_log(url: str) -> int:
    """How many times SQLite has written its log from the start: the fourth number of the file."""
    log = Path(f"{url.removeprefix('sqlite:///')}-wal").read_bytes()
    return int.from_bytes(log[12:16], "big")


@pytest.mark.usefixtures("short_logs")
def test_a_log_that_could_not_be_copied_whole_at_first_starts_anew(sqlite_sessions: Sessions, sqlite_url: str) -> None:
    """The first copy ends before what was written meanwhile: here, at the snapshot of a reader, who then ends."""
    copies: list[str] = []
    reader = ExitStack()

    @event.listens_for(sqlite_sessions.engine, "checkout")
    def follow(connection: object, _record: object, _proxy: object) -> None:
        connection.set_trace_callback(after)  # type: ignore[attr-defined]

    def after(statement: str) -> None:
        if copies:
            reader.close()
        copies.extend([statement] if "checkpoint" in statement else [])

    others = make_sessions(make_engine(sqlite_url))
    submit(others)
    reader.enter_context(others.read()).execute(text("SELECT count(*) FROM solves"))
    others.run(lambda session: submission.submit_many(session, [new_solve() for _ in range(100)]))
    before = restarts_of_the_log(sqlite_url)
    sqlite_sessions.checkpoint()
    submit(others)
    assert restarts_of_the_log(sqlite_url) == before + 1
    others.close()


@pytest.mark.usefixtures("short_logs")
def test_the_write_ahead_log_starts_anew_while_others_write(sqlite_sessions: Sessions, sqlite_url: str) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            sqlite_sessions.run(lambda session: submission.submit_many(session, [new_solve() for _ in range(20)]))

    with ThreadPoolExecutor(2) as pool:
        writers = [pool.submit(write) for _ in range(2)]
        try:

            def has_restarted() -> bool:
                sqlite_sessions.checkpoint()
                return restarts_of_the_log(sqlite_url) > 0

            wait_until(has_restarted, "a restart of the log")
        finally:
            stop.set()
        for writer in writers:
            writer.result()


def test_a_reader_does_not_keep_a_checkpoint_or_writers_waiting(sqlite_sessions: Sessions) -> None:
    with sqlite_sessions.read() as reading:
        assert reading.scalar(select(func.count()).select_from(Solve)) == 0
        many = [new_solve() for _ in range(400)]
        sqlite_sessions.run(lambda session: submission.submit_many(session, many))
        sqlite_sessions.checkpoint()
        submit(sqlite_sessions)
        assert reading.scalar(select(func.count()).select_from(Solve)) == 0, "the snapshot before the writes"


def test_sqlite_reads_during_a_write(sqlite_sessions: Sessions) -> None:
    solve_id = submit(sqlite_sessions)
    with sqlite_sessions.write() as writing:
        machine.request_cancel(writing, solve_id)
        assert row(sqlite_sessions, solve_id).state is State.QUEUED, "the snapshot before the write"
    assert row(sqlite_sessions, solve_id).state is State.CANCELLED


def test_sqlite_outlasts_a_full_disk(sqlite_sessions: Sessions, sqlite_url: str) -> None:
    """SQLite's error is "database or disk is full"; the finish is repeated until there is room, and is written once."""
    solve_id = submit(sqlite_sessions)
    claimed = must_claim(sqlite_sessions)
    small = make_sessions(make_engine(sqlite_url, pool_size=1))
    pages: list[int] = []

    @event.listens_for(small.engine, "connect")
    def fill(connection: object, _record: object) -> None:
        cursor = connection.cursor()  # type: ignore[attr-defined]
        (count,) = cursor.execute("PRAGMA page_count").fetchone()
        cursor.execute(f"PRAGMA max_page_count = {count}")
        pages.append(count)

    large = answer(solution=["U"] * 20_000, length=20_000)
    with pytest.raises(OperationalError, match="full"):
        small.run(lambda session: end(session, claimed, large), patience=0.3)
    assert row(sqlite_sessions, solve_id).state is State.RUNNING

    def make_room() -> None:
        with small.engine.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages[0] + 1_000_000}")

    room = threading.Timer(0.5, make_room)
    room.start()
    assert small.run(lambda session: end(session, claimed, large), patience=30)
    room.join()
    small.close()
    assert solve_of(sqlite_sessions, solve_id).length == 20_000


def test_a_write_survives_the_loss_of_its_connection(postgresql_url: str) -> None:
    sessions = make_sessions(make_engine(postgresql_url, check_connections=False))
    migrate.upgrade(sessions.engine)
    solve_id = submit(sessions)
    claimed = must_claim(sessions)
    other = make_engine(postgresql_url)
    calls: list[int] = []

    def cut_off_once(session: Session) -> bool:
        calls.append(1)
        kept = end(session, claimed, answer())
        if len(calls) == 1:
            own = session.scalar(text("SELECT pg_backend_pid()"))
            with other.connect() as connection:
                connection.execute(text("SELECT pg_terminate_backend(:own)"), {"own": own})
        return kept

    assert sessions.run(cut_off_once, patience=30)
    assert len(calls) == 2
    assert row(sessions, solve_id).state is State.DONE
    other.dispose()
    sessions.close()


def test_a_statement_without_a_transaction_has_the_same_isolation(postgresql_url: str) -> None:
    name = normal_url(postgresql_url).database
    sessions = make_sessions(make_engine(postgresql_url))
    with sessions.write() as session:
        session.execute(text(f'ALTER DATABASE "{name}" SET default_transaction_isolation = serializable'))
    sessions.close()  # the setting counts for new connections
    asked = text("SELECT current_setting('transaction_isolation') AS level")
    found = sessions.transact(lambda transaction: transaction.execute_alone(asked, {}))
    assert found is not None
    assert found.level == "read committed"
    sessions.close()


def test_reads_survive_a_restart_of_connections(postgresql_url: str) -> None:
    """The service tests a pooled connection before its use, so no request fails after a restart of PostgreSQL."""
    sessions = make_sessions(make_engine(postgresql_url))
    migrate.upgrade(sessions.engine)
    solve_id = submit(sessions)
    other = make_engine(postgresql_url)
    with other.connect() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"))
    assert row(sessions, solve_id).state is State.QUEUED
    other.dispose()
    sessions.close()


def test_a_database_that_is_not_there_is_an_error_soon(tmp_path: Path) -> None:
    sessions = make_sessions(make_engine("postgresql://nobody@127.0.0.1:1/none"))
    with pytest.raises(DBAPIError):
        sessions.run(lambda session: session.execute(text("SELECT 1")), patience=0.2)
    made = make_engine(f"sqlite:///{tmp_path}/not/yet/there.sqlite")
    with made.connect() as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    made.dispose()


def test_errors_do_not_contain_parameters(sessions: Sessions) -> None:
    def fail(session: Session) -> None:
        session.execute(text("SELECT * FROM no_such_table WHERE a = :sent"), {"sent": "private"})

    with pytest.raises(DBAPIError) as caught:
        sessions.run(fail)
    assert "no_such_table" in str(caught.value)
    assert "private" not in str(caught.value)


def test_while_the_server_does_not_answer_one_thread_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.database.sessions, "SLOW_SECONDS", 0.0)
    engine = make_engine("postgresql://nobody@127.0.0.1:1/none")
    asked, answered = threading.Semaphore(0), threading.Event()
    driver = engine.dialect.loaded_dbapi.OperationalError

    def connect(*_: object, **__: object) -> None:
        asked.release()
        assert answered.wait(30)
        raise driver("connection timeout expired")

    def error() -> str:
        with pytest.raises(OperationalError) as caught:
            engine.connect()
        return str(caught.value)

    monkeypatch.setattr(engine.dialect, "connect", connect)
    with ThreadPoolExecutor(3) as pool:
        first = [pool.submit(error) for _ in range(2)]
        for _ in first:
            assert asked.acquire(timeout=30)  # as long as it is not known to be away, all try
        answered.set()
        assert all("timeout expired" in one.result() for one in first)
        answered.clear()
        trying = pool.submit(error)
        assert asked.acquire(timeout=30)
        assert "another thread tries again" in error()
        assert not trying.done()
        answered.set()
        assert "timeout expired" in trying.result()
    assert "timeout expired" in error()  # nobody tries any more
    monkeypatch.setattr(store.database.sessions, "SLOW_SECONDS", 60.0)
    error()  # it is refused at once, so nobody has to wait for it
    while asked.acquire(blocking=False):
        pass
    answered.clear()
    with ThreadPoolExecutor(2) as pool:
        all_try = [pool.submit(error) for _ in range(2)]
        for _ in all_try:
            assert asked.acquire(timeout=30)
        answered.set()


def test_once_the_server_answers_again_all_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.database.sessions, "SLOW_SECONDS", 0.0)
    both = threading.Barrier(2)

    def fail() -> None:
        raise TimeoutError

    answers: list[Callable[[], object]] = [fail, lambda: "made", both.wait, both.wait]
    dialect = SimpleNamespace(
        loaded_dbapi=SimpleNamespace(OperationalError=TimeoutError), connect=lambda: answers.pop(0)()
    )
    connecting = Connecting()
    with pytest.raises(TimeoutError):
        connecting.connect(dialect, None, (), {})
    assert connecting.connect(dialect, None, (), {}) == "made"
    with ThreadPoolExecutor(2) as pool:
        at_once = [pool.submit(connecting.connect, dialect, None, (), {}) for _ in range(2)]
        assert sorted(one.result(30) for one in at_once) == [0, 1]


def test_the_server_looks_for_clients_that_are_gone(postgresql_url: str) -> None:
    engine = make_engine(postgresql_url)
    with engine.connect() as connection:
        idle, unheard = (
            connection.scalar(text(f"SHOW {name}")) for name in ("tcp_keepalives_idle", "tcp_user_timeout")
        )
    engine.dispose()
    assert (idle, unheard) == ("5", "15000")
