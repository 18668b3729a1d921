"""Jobs in a table of their own, apart from solves; the statistics' rollup under its own name.

Revision: 0004, after 0003

PostgreSQL alters its tables in place. SQLite cannot change constraints, so its tables are rebuilt; foreign keys are off
meanwhile and checked at the end (migrations/env.py). The downgrade deletes jobs of other kinds than solves, which the
old tables cannot hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)
STATES = "'queued', 'running', 'done', 'cancelled', 'failed'"
OUTCOMES = "'cancelled', 'exhausted', 'failed', 'limit_reached', 'solved'"
PROGRESS = ("expanded", "generated", "stored", "lower_bound", "bytes", "building", "built")

JOB = (
    "id", "owner", "priority", "attempt", "losses", "worker", "lease_until", "cancel_requested", "created_at",
    "started_at", "finished_at", "progress_at", "error",
)  # fmt: skip
#: columns that the old and the new table of solves share
SOLVE = (
    "id", "owner", "puzzle", "goal", "moves", "algorithm", "method", "weight", "heuristic", "heuristic_name",
    "tie_breaking", "limit_expanded", "limit_generated", "limit_seconds", "limit_memory_mib", "scramble_id",
    "scramble_moves", "k", "seed", "solution", "length", "optimality", "lower_bound", "expanded", "generated",
    "evaluated", "reopened", "stored", "max_open", "expanded_last_layer", "expanded_before_last_layer",
    "branching_generated", "branching_effective", "seconds", "peak_bytes",
)  # fmt: skip

OLD_CHECKS = {
    "status": f"status IN ('queued', 'running', {OUTCOMES})",
    "lease": "(status = 'running') = (lease_until IS NOT NULL)",
    "worker": "status <> 'running' OR worker IS NOT NULL",
    "finished": f"(status IN ({OUTCOMES})) = (finished_at IS NOT NULL)",
    "solution": "(status = 'solved') = (solution IS NOT NULL)",
    "limit": "(status = 'limit_reached') = (limit_name IS NOT NULL)",
    "error": "(status = 'failed') = (error IS NOT NULL)",
    "attempt": "attempt >= 0 AND losses >= 0 AND losses <= attempt",
}
NEW_CHECKS = {
    "outcome": f"outcome IN ({OUTCOMES})",
    "solution": "(outcome IS NOT NULL AND outcome = 'solved') = (solution IS NOT NULL)",
    "limit": """(outcome IS NOT NULL AND outcome = 'limit_reached') = ("limit" IS NOT NULL)""",
}
JOB_CHECKS = {
    "state": f"state IN ({STATES})",
    "lease": "(state = 'running') = (lease_until IS NOT NULL)",
    "worker": "state <> 'running' OR worker IS NOT NULL",
    "finished": "(state IN ('cancelled', 'done', 'failed')) = (finished_at IS NOT NULL)",
    "error": "(state = 'failed') = (error IS NOT NULL)",
    "answer": "answer IS NULL OR state IN ('cancelled', 'done')",
    "attempt": "attempt >= 0 AND losses >= 0 AND losses <= attempt",
}

# (name, table, event, condition, action): the same on both databases.
NOTE = "INSERT INTO uncounted_solves (solve_id) VALUES (NEW.id)"
END_SOLVE = "UPDATE solves SET outcome = NEW.state WHERE id = NEW.id AND outcome IS NULL"
OLD_TRIGGERS = (
    ("solves_end", "solves", "UPDATE OF status", "OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL", NOTE),
    ("solves_ended", "solves", "INSERT", "NEW.finished_at IS NOT NULL", NOTE),
)
NEW_TRIGGERS = (
    ("solves_end", "solves", "UPDATE OF outcome", "OLD.outcome IS NULL AND NEW.outcome IS NOT NULL", NOTE),
    ("solves_ended", "solves", "INSERT", "NEW.outcome IS NOT NULL", NOTE),
    # If a job ends without an answer (cancelled, failed, lost), its state becomes the solve's outcome, whichever
    # statement ends it.
    ("jobs_end", "jobs", "UPDATE OF state", "NEW.kind = 'solve' AND NEW.state IN ('cancelled', 'failed')", END_SOLVE),
)
FUNCTIONS = {NOTE: "note_uncounted_solve", END_SOLVE: "end_solve"}


def required(name: str, kind: Any) -> sa.Column[Any]:
    """A column that is never null."""
    return sa.Column(name, kind, nullable=False)


def optional(name: str, kind: Any) -> sa.Column[Any]:
    """A column that may be null."""
    return sa.Column(name, kind, nullable=True)


def on_sqlite() -> bool:
    """Whether this is SQLite."""
    return op.get_bind().dialect.name == "sqlite"


def upgrade() -> None:
    """Move the columns of the job into a table of their own."""
    drop_triggers(OLD_TRIGGERS)
    create_jobs()
    build = "json_object" if on_sqlite() else "json_build_object"
    pairs = ", ".join(f"'{name}', s.progress_{name}" for name in PROGRESS)
    op.execute(
        f"INSERT INTO jobs ({', '.join(JOB)}, kind, state, progress, request) "
        f"SELECT {', '.join(f's.{name}' for name in JOB)}, 'solve', "
        "CASE WHEN s.status IN ('solved', 'exhausted', 'limit_reached') THEN 'done' ELSE s.status END, "
        f"CASE WHEN s.progress_at IS NOT NULL THEN CAST({build}({pairs}) AS TEXT) END, d.request "
        "FROM solves s JOIN solve_documents d ON d.solve_id = s.id"
    )
    drop_indices("ix_solves_queued", "ix_solves_running", "ix_solves_owner_id", "ix_solves_puzzle_moves_id")
    drop_indices("ix_solves_status_id")
    if on_sqlite():
        rebuild(
            "solves",
            (*question_and_answer(), optional("outcome", sa.String(16)), optional("limit", sa.String(16))),
            (
                sa.ForeignKeyConstraint(["id"], ["jobs.id"], name=op.f("fk_solves_id"), ondelete="CASCADE"),
                *checks(NEW_CHECKS),
            ),
            f'SELECT *, CASE WHEN status IN ({OUTCOMES}) THEN status END AS outcome, limit_name AS "limit" FROM solves',
        )
        op.drop_column("solve_documents", "request")
    else:
        for name in OLD_CHECKS:
            op.drop_constraint(op.f(f"ck_solves_{name}"), "solves")
        op.alter_column("solves", "status", new_column_name="outcome", nullable=True)
        op.execute("UPDATE solves SET outcome = NULL WHERE outcome IN ('queued', 'running')")
        op.alter_column("solves", "limit_name", new_column_name="limit")
        gone = {*JOB, *(f"progress_{name}" for name in PROGRESS)} - {"id", "owner"}
        for name in sorted(gone):
            op.drop_column("solves", name)
        op.create_foreign_key(op.f("fk_solves_id"), "solves", "jobs", ["id"], ["id"], ondelete="CASCADE")
        for name, condition in NEW_CHECKS.items():
            op.create_check_constraint(op.f(f"ck_solves_{name}"), "solves", condition)
        op.drop_column("solve_documents", "request")
    create_solve_indices("outcome")
    rename_rollup("statistics_cells", "statistics_rollup", "status", "outcome")
    create_triggers(NEW_TRIGGERS)


def downgrade() -> None:
    """Move them back into the table of solves."""
    drop_triggers(NEW_TRIGGERS)
    rename_rollup("statistics_rollup", "statistics_cells", "outcome", "status")
    drop_indices("ix_solves_owner_id", "ix_solves_puzzle_moves_id", "ix_solves_outcome_id")
    own = [name for name in JOB if name not in ("id", "owner")]
    kept = "j.progress ->> '$.{0}'" if on_sqlite() else "CAST(j.progress AS json) ->> '{0}'"
    kinds = {"lower_bound": "INTEGER", "building": "TEXT", "built": "DOUBLE PRECISION"}
    progress = {f"progress_{name}": f"CAST({kept.format(name)} AS {kinds.get(name, 'BIGINT')})" for name in PROGRESS}
    status = "COALESCE(s.outcome, j.state)"
    if on_sqlite():
        columns = ", ".join(
            [*(f"s.{name}" for name in SOLVE), *(f"j.{name}" for name in own)]
            + [f"{text} AS {name}" for name, text in progress.items()]
            + [f"{status} AS status", 's."limit" AS limit_name']
        )
        rebuild(
            "solve_documents",
            (
                required("solve_id", ID),
                required("request", sa.Text()),
                required("start", sa.JSON()),
                required("heuristic", sa.JSON()),
                required("tags", sa.JSON()),
            ),
            (
                sa.PrimaryKeyConstraint("solve_id", name=op.f("pk_solve_documents")),
                sa.ForeignKeyConstraint(
                    ["solve_id"], ["solves.id"], name=op.f("fk_solve_documents_solve_id"), ondelete="CASCADE"
                ),
            ),
            "SELECT d.*, j.request FROM solve_documents d JOIN jobs j ON j.id = d.solve_id",
        )
        rebuild(
            "solves",
            (
                *question_and_answer(),
                *job_columns(),
                required("status", sa.String(16)),
                optional("limit_name", sa.String(16)),
            ),
            tuple(checks(OLD_CHECKS)),
            f"SELECT {columns} FROM solves s JOIN jobs j ON j.id = s.id",
        )
    else:
        for name in NEW_CHECKS:
            op.drop_constraint(op.f(f"ck_solves_{name}"), "solves")
        op.drop_constraint(op.f("fk_solves_id"), "solves", type_="foreignkey")
        for column in job_columns():
            op.add_column("solves", optional(column.name, column.type))
        values = {name: f"j.{name}" for name in own} | progress | {"outcome": status}
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        op.execute(f"UPDATE solves s SET {text} FROM jobs j WHERE j.id = s.id")
        op.alter_column("solves", "outcome", new_column_name="status", nullable=False)
        op.alter_column("solves", "limit", new_column_name="limit_name")
        for column in job_columns():
            if not column.nullable:
                op.alter_column("solves", column.name, nullable=False)
        for name, condition in OLD_CHECKS.items():
            op.create_check_constraint(op.f(f"ck_solves_{name}"), "solves", condition)
        op.add_column("solve_documents", optional("request", sa.Text()))
        op.execute("UPDATE solve_documents d SET request = j.request FROM jobs j WHERE j.id = d.solve_id")
        op.alter_column("solve_documents", "request", nullable=False)
    create_solve_indices("status")
    for name, columns_, status_ in (
        ("ix_solves_queued", ["priority", "owner", "created_at", "id"], "queued"),
        ("ix_solves_running", ["owner"], "running"),
    ):
        where = sa.text(f"status = '{status_}'")
        op.create_index(name, "solves", columns_, postgresql_where=where, sqlite_where=where)
    op.drop_table("jobs")
    create_triggers(OLD_TRIGGERS)


def create_jobs() -> None:
    """The table of jobs."""
    op.create_table(
        "jobs",
        required("id", ID),
        required("kind", sa.String(32)),
        required("owner", sa.String(64)),
        required("state", sa.String(16)),
        required("priority", sa.Integer()),
        required("attempt", sa.Integer()),
        required("losses", sa.Integer()),
        optional("worker", sa.String(128)),
        optional("lease_until", TIME),
        required("cancel_requested", sa.Boolean()),
        required("created_at", TIME),
        optional("started_at", TIME),
        optional("finished_at", TIME),
        optional("progress", sa.Text()),
        optional("progress_at", TIME),
        optional("error", sa.Text()),
        required("request", sa.Text()),
        optional("answer", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        *checks(JOB_CHECKS, "jobs"),
    )
    for name, columns, state in (
        ("ix_jobs_queued", ["priority", "owner", "created_at", "id"], "queued"),
        ("ix_jobs_running", ["owner"], "running"),
    ):
        where = sa.text(f"state = '{state}'")
        op.create_index(name, "jobs", columns, postgresql_where=where, sqlite_where=where)
    op.create_index("ix_jobs_owner_kind_id", "jobs", ["owner", "kind", "id"])


def question_and_answer() -> list[sa.Column[Any]]:
    """The columns of solves that do not change."""
    big = sa.BigInteger()
    real: Any = sa.Double()
    return [
        required("id", ID),
        required("owner", sa.String(64)),
        required("puzzle", sa.String(64)),
        optional("goal", sa.Text()),
        required("moves", sa.String(64)),
        required("algorithm", sa.String(32)),
        optional("method", sa.String(32)),
        required("weight", real),
        required("heuristic", sa.Text()),
        optional("heuristic_name", sa.String(64)),
        required("tie_breaking", sa.String(16)),
        optional("limit_expanded", big),
        optional("limit_generated", big),
        optional("limit_seconds", real),
        required("limit_memory_mib", sa.Integer()),
        optional("scramble_id", ID),
        optional("scramble_moves", sa.String(64)),
        optional("k", sa.Integer()),
        optional("seed", big),
        optional("solution", sa.JSON()),
        optional("length", sa.Integer()),
        optional("optimality", sa.String(16)),
        optional("lower_bound", sa.Integer()),
        *(optional(name, big) for name in SOLVE[SOLVE.index("expanded") : SOLVE.index("branching_generated")]),
        optional("branching_generated", real),
        optional("branching_effective", real),
        optional("seconds", real),
        optional("peak_bytes", big),
    ]


def job_columns() -> list[sa.Column[Any]]:
    """The columns of the job in the old table of solves."""
    return [
        required("priority", sa.Integer()),
        required("attempt", sa.Integer()),
        required("losses", sa.Integer()),
        optional("worker", sa.String(128)),
        optional("lease_until", TIME),
        required("cancel_requested", sa.Boolean()),
        required("created_at", TIME),
        optional("started_at", TIME),
        optional("finished_at", TIME),
        optional("error", sa.Text()),
        optional("progress_at", TIME),
        *(optional(f"progress_{name}", sa.BigInteger()) for name in ("expanded", "generated", "stored", "bytes")),
        optional("progress_lower_bound", sa.Integer()),
        optional("progress_building", sa.String(128)),
        optional("progress_built", sa.Double()),
    ]


def checks(conditions: dict[str, str], table: str = "solves") -> list[sa.CheckConstraint]:
    """Check constraints by the last part of their names."""
    return [sa.CheckConstraint(text, name=op.f(f"ck_{table}_{name}")) for name, text in conditions.items()]


def rebuild(name: str, columns: Sequence[sa.Column[Any]], constraints: Sequence[sa.Constraint], rows: str) -> None:
    """On SQLite: rebuild the table with new columns, filled from ``rows`` by name."""
    if name == "solves":
        constraints = (
            *constraints,
            sa.PrimaryKeyConstraint("id", name=op.f("pk_solves")),
            sa.ForeignKeyConstraint(
                ["scramble_id"], ["scrambles.id"], name=op.f("fk_solves_scramble_id"), ondelete="SET NULL"
            ),
        )
    names = ", ".join(f'"{column.name}"' for column in columns)
    op.create_table(f"{name}_new", *columns, *constraints)
    op.execute(f"INSERT INTO {name}_new ({names}) SELECT {names} FROM ({rows})")
    op.drop_table(name)
    op.rename_table(f"{name}_new", name)


def drop_indices(*names: str) -> None:
    """Drop indices of the table of solves."""
    for name in names:
        op.drop_index(name, "solves")


def create_solve_indices(outcome: str) -> None:
    """The indices that both tables have."""
    op.create_index("ix_solves_owner_id", "solves", ["owner", "id"])
    op.create_index(f"ix_solves_{outcome}_id", "solves", [outcome, "id"])
    op.create_index("ix_solves_puzzle_moves_id", "solves", ["puzzle", "moves", "id"])


def rename_rollup(old: str, new: str, old_column: str, new_column: str) -> None:
    """The table of the statistics, its index, and the column of the outcome."""
    op.drop_index(f"ix_{old}_owner_by_length", old)
    op.rename_table(old, new)
    op.alter_column(new, old_column, new_column_name=new_column)
    op.create_index(f"ix_{new}_owner_by_length", new, ["owner", "by_length"])
    if not on_sqlite():
        op.execute(f"ALTER TABLE {new} RENAME CONSTRAINT pk_{old} TO pk_{new}")


def create_triggers(triggers: Sequence[tuple[str, str, str, str, str]]) -> None:
    """Create triggers. On PostgreSQL a trigger calls a function; on SQLite it holds the statements itself."""
    for name, table, event, condition, action in triggers:
        if on_sqlite():
            op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} WHEN {condition} BEGIN {action}; END")
            continue
        function = FUNCTIONS[action]
        op.execute(
            f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN {action}; RETURN NULL; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW WHEN ({condition}) "
            f"EXECUTE FUNCTION {function}()"
        )


def drop_triggers(triggers: Sequence[tuple[str, str, str, str, str]]) -> None:
    """Drop triggers and their functions."""
    for name, table, *_ in triggers:
        op.execute(f"DROP TRIGGER {name}" + ("" if on_sqlite() else f" ON {table}"))
    if not on_sqlite():
        for function in sorted({FUNCTIONS[action] for *_, action in triggers}):
            op.execute(f"DROP FUNCTION {function}()")
