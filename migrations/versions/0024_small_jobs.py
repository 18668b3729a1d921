"""Which jobs promise to end soon.

Revision: 0024, after 0023
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

WHERE = sa.text("state = 'queued' AND small")


def upgrade() -> None:
    """Add the column, and the index of queued jobs that promise it."""
    op.add_column("jobs", sa.Column("small", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_index(
        "ix_jobs_small",
        "jobs",
        ["owner", "priority", "created_at", "id"],
        postgresql_where=WHERE,
        sqlite_where=WHERE,
    )


def downgrade() -> None:
    """Drop both."""
    op.drop_index("ix_jobs_small", "jobs")
    op.drop_column("jobs", "small")
