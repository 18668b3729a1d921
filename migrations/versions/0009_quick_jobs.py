"""Which queued jobs may be tried as quick jobs.

Revision: 0009, after 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

WHERE = sa.text("state = 'queued' AND quick")


def upgrade() -> None:
    """Add the column, and the index of queued jobs that may be tried as quick jobs."""
    op.add_column("jobs", sa.Column("quick", sa.Boolean(), server_default=sa.true(), nullable=False))
    op.create_index(
        "ix_jobs_quick",
        "jobs",
        ["owner", "priority", "created_at", "id"],
        postgresql_where=WHERE,
        sqlite_where=WHERE,
    )


def downgrade() -> None:
    """Drop both."""
    op.drop_index("ix_jobs_quick", "jobs")
    op.drop_column("jobs", "quick")
