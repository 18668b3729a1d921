"""Experiments and their members, the cells of the statistics, and the search method.

Revision: 0002, after 0001
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)
MEASURES = (
    "expanded",
    "expanded_last_layer",
    "expanded_before_last_layer",
    "generated",
    "evaluated",
    "reopened",
    "stored",
    "max_open",
    "seconds",
    "peak_bytes",
    "length",
    "branching_generated",
    "branching_effective",
)

# Whichever statement ends a solve or inserts an ended one, the same transaction records that it is to be counted.
ENDS = "OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL"
ENDED = "NEW.finished_at IS NOT NULL"
TRIGGERS = (("solves_end", "UPDATE OF status", ENDS), ("solves_ended", "INSERT", ENDED))


def required(name: str, kind: Any) -> sa.Column[Any]:
    """A column that is never null."""
    return sa.Column(name, kind, nullable=False)


def optional(name: str, kind: Any) -> sa.Column[Any]:
    """A column that may be null."""
    return sa.Column(name, kind, nullable=True)


def upgrade() -> None:
    """Create the tables and the triggers; mark solves that have already ended as uncounted."""
    op.create_table(
        "experiments",
        required("id", ID),
        required("owner", sa.String(64)),
        required("created_at", TIME),
        required("puzzle", sa.String(64)),
        required("request", sa.Text()),
        required("configurations", sa.JSON()),
        required("trials", sa.Integer()),
        required("row_count", sa.Integer()),
        required("fingerprint", sa.String(64)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_experiments")),
    )
    op.create_index("ix_experiments_owner_id", "experiments", ["owner", "id"])
    op.create_index("ix_experiments_owner_fingerprint_id", "experiments", ["owner", "fingerprint", "id"])
    op.create_table(
        "experiment_members",
        required("experiment_id", ID),
        required("row_index", sa.Integer()),
        required("solve_id", ID),
        sa.PrimaryKeyConstraint("experiment_id", "row_index", name=op.f("pk_experiment_members")),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name=op.f("fk_experiment_members_experiment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_experiment_members_solve_id"), ondelete="CASCADE"
        ),
        sa.UniqueConstraint("solve_id", name=op.f("uq_experiment_members_solve_id")),
    )
    op.create_table(
        "uncounted_solves",
        required("solve_id", ID),
        sa.PrimaryKeyConstraint("solve_id", name=op.f("pk_uncounted_solves")),
    )
    op.create_table(
        "statistics_cells",
        required("id", sa.String(64)),
        required("owner", sa.String(64)),
        required("by_length", sa.Boolean()),
        required("puzzle", sa.String(64)),
        optional("goal", sa.Text()),
        required("moves", sa.String(64)),
        optional("scramble_moves", sa.String(64)),
        optional("k", sa.Integer()),
        required("algorithm", sa.String(32)),
        required("weight", sa.Double()),
        required("heuristic", sa.Text()),
        optional("heuristic_name", sa.String(64)),
        required("tie_breaking", sa.String(16)),
        required("status", sa.String(16)),
        optional("length", sa.Integer()),
        required("solves", sa.BigInteger()),
        *(optional(f"of_{measure}", sa.LargeBinary()) for measure in MEASURES),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statistics_cells")),
    )
    if op.get_bind().dialect.name == "postgresql":
        # Uncompressed: decompressing took longer than reading.
        for measure in MEASURES:
            op.execute(f"ALTER TABLE statistics_cells ALTER of_{measure} SET STORAGE EXTERNAL")
    op.create_index("ix_statistics_cells_owner_by_length", "statistics_cells", ["owner", "by_length"])
    op.add_column("solves", optional("method", sa.String(32)))
    op.execute("UPDATE solves SET method = algorithm")
    create_triggers()
    op.execute("INSERT INTO uncounted_solves (solve_id) SELECT id FROM solves WHERE finished_at IS NOT NULL")


def create_triggers() -> None:
    """The same triggers on both databases."""
    note = "INSERT INTO uncounted_solves (solve_id) VALUES (NEW.id)"
    if op.get_bind().dialect.name == "sqlite":
        for name, event, condition in TRIGGERS:
            op.execute(f"CREATE TRIGGER {name} AFTER {event} ON solves WHEN {condition} BEGIN {note}; END")
        return
    op.execute(
        "CREATE FUNCTION note_uncounted_solve() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {note}; RETURN NULL; END $$"
    )
    for name, event, condition in TRIGGERS:
        op.execute(
            f"CREATE TRIGGER {name} AFTER {event} ON solves FOR EACH ROW WHEN ({condition}) "
            "EXECUTE FUNCTION note_uncounted_solve()"
        )


def downgrade() -> None:
    """Drop the triggers and the tables, but not the solves."""
    on_table = "" if op.get_bind().dialect.name == "sqlite" else " ON solves"
    for name, _, _ in TRIGGERS:
        op.execute(f"DROP TRIGGER {name}{on_table}")
    if on_table:
        op.execute("DROP FUNCTION note_uncounted_solve()")
    op.drop_column("solves", "method")
    for table in ("statistics_cells", "uncounted_solves", "experiment_members", "experiments"):
        op.drop_table(table)
