"""What lists, sweeps and deletions read in long tables on PostgreSQL: as much as they answer, however many rows there
are. The rows that each scan reads are counted (EXPLAIN ANALYZE), nothing is timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.orm import Session

from store.database import Sessions, make_engine, make_sessions
from store.jobs import children, machine, queries, retention
from store.jobs.states import State
from store.owners.principal import Principal
from store.owners.roles import Role
from store.solves import queries as solves
from store.solves.queries import SolveFilter
from store.solves.status import Status
from store.statistics.rollup import uncounted
from tests.conftest import TEST_ALL
from tests.servers import PostgreSQL

ROWS = 1_000_000 if TEST_ALL else 30_000
PAGE = 50
#: a page has one row more, and each row of solves is in three tables
MOST_READ = 10 * PAGE

START = 1_700_000_000
#: one job a second, with ids as `store.ids` makes them. `big` has a third of them, `middle` one in 200, and each of a
#: thousand others a few
FILL = (
    f"""INSERT INTO jobs (id, kind, owner, state, priority, attempt, losses, cancel_requested, quick, created_at,
        started_at, finished_at, request, error, parent)
    SELECT id, CASE WHEN n % 1000 = 7 THEN 'audit' WHEN n % 50 = 9 THEN 'subtree' ELSE 'solve' END,
        CASE WHEN n % 200 = 1 THEN 'middle' WHEN n % 3 = 0 THEN 'big' ELSE 'o' || (n * 7919 % 1000) END,
        CASE WHEN n % 5000 = 3 THEN 'failed' WHEN n % 1000 = 5 THEN 'cancelled' ELSE 'done' END,
        0, 1, 0, false, true, at, at, at, '{{}}', CASE WHEN n % 5000 = 3 THEN 'worker_lost' END,
        CASE WHEN n % 50 = 9 THEN lag(id) OVER (ORDER BY n) END
    FROM generate_series(1, {ROWS}::bigint) n, to_timestamp({START} + n) at,
        lpad(to_hex(({START} + n) * 1000), 12, '0') ms,
        CAST(left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0') AS uuid) id""",
    """INSERT INTO solves (id, owner, puzzle, moves, algorithm, heuristic, tie_breaking, weight, limit_memory_mib,
        outcome, solution, length, optimality)
    SELECT id, owner, 'megaminx', 'ccw', 'astar', '0', 'low_h', 1, 1024,
        CASE WHEN state = 'done' THEN 'solved' ELSE state END, CASE WHEN state = 'done' THEN '[]'::json END, 1, 'proven'
    FROM jobs WHERE kind = 'solve'""",
    "INSERT INTO solve_documents (solve_id, start, heuristic, tags) SELECT id, '{}', '{}', '{}' FROM solves",
    "DELETE FROM uncounted_solves",
    "VACUUM ANALYZE",
)

Ask = Callable[[Session], Any]
OPERATOR, BIG = Principal("root", Role.OPERATOR), Principal("big")
OWNERS = (BIG, Principal("middle"), Principal("o5"), Principal("nobody"))


def jobs_of(who: Principal, **wanted: Any) -> Ask:
    return lambda session: queries.list_jobs(session, who, size=PAGE, **wanted)


def solves_of(who: Principal, **wanted: Any) -> Ask:
    return lambda session: solves.list_solves(session, who, SolveFilter(**wanted), size=PAGE)


def later_page(session: Session) -> None:
    found, _ = queries.list_jobs(session, BIG, size=PAGE)
    queries.list_jobs(session, BIG, size=PAGE, cursor=found[-1].id)


def nothing_old(session: Session) -> None:
    old = retention._old_jobs(datetime.fromtimestamp(START, UTC))
    assert not session.scalars(old.limit(retention.BATCH)).all()


def needs_sweep(session: Session) -> None:
    assert not machine.needs_sweep(session, lease=timedelta(seconds=15), wake_after=timedelta(seconds=2))


QUESTIONS: dict[str, Ask] = {
    **{f"jobs of {who.owner}": jobs_of(who) for who in (OPERATOR, *OWNERS)},
    **{f"audits of {who.owner}": jobs_of(who, kinds=["audit"]) for who in OWNERS},
    **{
        f"{state} jobs of {who.owner}": jobs_of(who, states=[state])
        for state in (State.FAILED, State.CANCELLED, State.RUNNING, State.QUEUED)
        for who in OWNERS
    },
    **{f"{state} jobs of all": jobs_of(OPERATOR, states=[state]) for state in (State.RUNNING, State.QUEUED)},
    "a later page": later_page,
    **{f"solves of {who.owner}": solves_of(who) for who in (OPERATOR, *OWNERS)},
    "failed solves of all": solves_of(OPERATOR, outcomes=[Status.FAILED]),
    "solves of another puzzle": solves_of(OPERATOR, puzzle="8-puzzle"),
    "open parts of ended jobs": children.orphans,
    "whether to sweep": needs_sweep,
    "the queue": lambda session: queries.count_queued(session, 1000),
    "the oldest in the queue": queries.oldest_queued_seconds,
    "solves that are not counted": lambda session: uncounted(session, 1000),
    "old jobs": nothing_old,
}


@pytest.fixture(scope="module")
def long_tables(postgresql: PostgreSQL) -> Iterator[Sessions]:
    url = postgresql.create_database(migrated=True)
    made = make_sessions(make_engine(url))
    with made.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in FILL:
            connection.exec_driver_sql(statement.replace("%", "%%"))
    yield made
    made.close()
    postgresql.drop_database(url)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_reads_as_much_as_it_answers(long_tables: Sessions, question: str) -> None:
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, values: Any, *_rest: Any) -> None:
        asked.append((statement, values))

    event.listen(long_tables.engine, "before_cursor_execute", note)
    try:
        with long_tables.read() as session:
            QUESTIONS[question](session)
    finally:
        event.remove(long_tables.engine, "before_cursor_execute", note)
    selects = [(statement, values) for statement, values in asked if "SELECT" in statement]
    assert selects
    with long_tables.engine.connect() as connection:
        for statement, values in selects:
            ((plan,),) = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", values).all()
            assert rows_read(plan[0]["Plan"]) <= MOST_READ, plan


def rows_read(plan: dict[str, Any]) -> int:
    """What the scans of a plan have read, with what a condition left out."""
    mine = 0
    if "Scan" in plan["Node Type"] and plan["Node Type"] != "Bitmap Heap Scan":
        mine = round((plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"])
    return mine + sum(rows_read(part) for part in plan.get("Plans", ()))
