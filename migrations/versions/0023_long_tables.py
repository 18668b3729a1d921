"""Indices that keep lists and deletions short in long tables.

Revision: 0023, after 0022
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

#: name, table, columns, and the rows that it has (None: all)
INDICES = (
    ("ix_jobs_owner_id", "jobs", ["owner", "id"], "parent IS NULL"),
    ("ix_jobs_failed", "jobs", ["owner", "id"], "state = 'failed'"),
    ("ix_jobs_cancelled", "jobs", ["owner", "id"], "state = 'cancelled'"),
    ("ix_jobs_open_parts", "jobs", ["parent"], "parent IS NOT NULL AND finished_at IS NULL"),
    ("ix_submissions_job_id", "submissions", ["job_id"], None),
    ("ix_submissions_regrade_id", "submissions", ["regrade_id"], None),
    ("ix_solves_scramble_id", "solves", ["scramble_id"], "scramble_id IS NOT NULL"),
)


def upgrade() -> None:
    """Make them; on PostgreSQL a table cannot be written meanwhile, some seconds for a million rows."""
    for name, table, columns, rows in INDICES:
        where = None if rows is None else sa.text(rows)
        op.create_index(name, table, columns, postgresql_where=where, sqlite_where=where)


def downgrade() -> None:
    """Drop them."""
    for name, table, _, _ in INDICES:
        op.drop_index(name, table)
