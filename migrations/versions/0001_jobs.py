"""Jobs, their documents and tags, scrambles, idempotency keys.

Revision: 0001, after nothing
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)
FINAL = "'cancelled', 'exhausted', 'failed', 'limit_reached', 'solved'"


def required(name: str, kind: Any) -> sa.Column[Any]:
    """A column that is never null."""
    return sa.Column(name, kind, nullable=False)


def optional(name: str, kind: Any) -> sa.Column[Any]:
    """A column that may be null."""
    return sa.Column(name, kind, nullable=True)


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "idempotency_keys",
        required("owner", sa.String(64)),
        required("key", sa.String(255)),
        required("fingerprint", sa.String(64)),
        required("resource_id", ID),
        required("created_at", TIME),
        sa.PrimaryKeyConstraint("owner", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])

    op.create_table(
        "scrambles",
        required("id", ID),
        required("owner", sa.String(64)),
        required("puzzle", sa.String(64)),
        optional("goal", sa.Text()),
        required("moves", sa.String(64)),
        required("k", sa.Integer()),
        required("seed", sa.BigInteger()),
        required("alg", sa.JSON()),
        required("state", sa.JSON()),
        required("created_at", TIME),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_scrambles")),
        sa.CheckConstraint("k >= 0", name=op.f("ck_scrambles_k")),
        sa.CheckConstraint("seed >= 0", name=op.f("ck_scrambles_seed")),
    )
    create_solves()
    op.create_table(
        "solve_documents",
        required("solve_id", ID),
        required("request", sa.Text()),
        required("start", sa.JSON()),
        required("heuristic", sa.JSON()),
        required("tags", sa.JSON()),
        sa.PrimaryKeyConstraint("solve_id", name=op.f("pk_solve_documents")),
        sa.ForeignKeyConstraint(
            ["solve_id"], ["solves.id"], name=op.f("fk_solve_documents_solve_id"), ondelete="CASCADE"
        ),
    )
    op.create_table(
        "solve_tags",
        required("solve_id", ID),
        required("key", sa.String(64)),
        required("value", sa.String(256)),
        sa.PrimaryKeyConstraint("solve_id", "key", name=op.f("pk_solve_tags")),
        sa.ForeignKeyConstraint(["solve_id"], ["solves.id"], name=op.f("fk_solve_tags_solve_id"), ondelete="CASCADE"),
    )
    op.create_index("ix_solve_tags_key_value_solve_id", "solve_tags", ["key", "value", "solve_id"])


def create_solves() -> None:
    """The table of jobs, which has the most columns."""
    op.create_table(
        "solves",
        required("id", ID),
        required("created_at", TIME),
        required("status", sa.String(16)),
        required("owner", sa.String(64)),
        required("priority", sa.Integer()),
        required("attempt", sa.Integer()),
        required("losses", sa.Integer()),
        optional("worker", sa.String(128)),
        optional("lease_until", TIME),
        required("cancel_requested", sa.Boolean()),
        optional("started_at", TIME),
        optional("finished_at", TIME),
        required("puzzle", sa.String(64)),
        optional("goal", sa.Text()),
        required("moves", sa.String(64)),
        required("algorithm", sa.String(32)),
        required("weight", sa.Double()),
        required("heuristic", sa.Text()),
        optional("heuristic_name", sa.String(64)),
        required("tie_breaking", sa.String(16)),
        optional("limit_expanded", sa.BigInteger()),
        optional("limit_generated", sa.BigInteger()),
        optional("limit_seconds", sa.Double()),
        required("limit_memory_mib", sa.Integer()),
        optional("scramble_id", ID),
        optional("scramble_moves", sa.String(64)),
        optional("k", sa.Integer()),
        optional("seed", sa.BigInteger()),
        optional("progress_expanded", sa.BigInteger()),
        optional("progress_generated", sa.BigInteger()),
        optional("progress_stored", sa.BigInteger()),
        optional("progress_lower_bound", sa.Integer()),
        optional("progress_bytes", sa.BigInteger()),
        optional("progress_at", TIME),
        optional("solution", sa.JSON()),
        optional("length", sa.Integer()),
        optional("optimality", sa.String(16)),
        optional("lower_bound", sa.Integer()),
        optional("limit_name", sa.String(16)),
        optional("expanded", sa.BigInteger()),
        optional("generated", sa.BigInteger()),
        optional("evaluated", sa.BigInteger()),
        optional("reopened", sa.BigInteger()),
        optional("stored", sa.BigInteger()),
        optional("max_open", sa.BigInteger()),
        optional("expanded_last_layer", sa.BigInteger()),
        optional("expanded_before_last_layer", sa.BigInteger()),
        optional("branching_generated", sa.Double()),
        optional("branching_effective", sa.Double()),
        optional("seconds", sa.Double()),
        optional("peak_bytes", sa.BigInteger()),
        optional("error", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_solves")),
        sa.ForeignKeyConstraint(
            ["scramble_id"], ["scrambles.id"], name=op.f("fk_solves_scramble_id"), ondelete="SET NULL"
        ),
        sa.CheckConstraint(f"status IN ('queued', 'running', {FINAL})", name=op.f("ck_solves_status")),
        sa.CheckConstraint("(status = 'running') = (lease_until IS NOT NULL)", name=op.f("ck_solves_lease")),
        sa.CheckConstraint("status <> 'running' OR worker IS NOT NULL", name=op.f("ck_solves_worker")),
        sa.CheckConstraint(f"(status IN ({FINAL})) = (finished_at IS NOT NULL)", name=op.f("ck_solves_finished")),
        sa.CheckConstraint("(status = 'solved') = (solution IS NOT NULL)", name=op.f("ck_solves_solution")),
        sa.CheckConstraint("(status = 'limit_reached') = (limit_name IS NOT NULL)", name=op.f("ck_solves_limit")),
        sa.CheckConstraint("(status = 'failed') = (error IS NOT NULL)", name=op.f("ck_solves_error")),
        sa.CheckConstraint("attempt >= 0 AND losses >= 0 AND losses <= attempt", name=op.f("ck_solves_attempt")),
    )
    for name, columns, status in (
        ("ix_solves_queued", ["priority", "owner", "created_at", "id"], "queued"),
        ("ix_solves_running", ["owner"], "running"),
    ):
        where = sa.text(f"status = '{status}'")
        op.create_index(name, "solves", columns, postgresql_where=where, sqlite_where=where)
    op.create_index("ix_solves_owner_id", "solves", ["owner", "id"])
    op.create_index("ix_solves_status_id", "solves", ["status", "id"])
    op.create_index("ix_solves_puzzle_moves_id", "solves", ["puzzle", "moves", "id"])


def downgrade() -> None:
    """Drop the tables, with their indices."""
    for table in ("solve_tags", "solve_documents", "solves", "scrambles", "idempotency_keys"):
        op.drop_table(table)
