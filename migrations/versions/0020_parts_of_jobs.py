"""Jobs that are parts of another.

Revision: 0020, after 0019
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_PARTS = sa.text("parent IS NOT NULL")


def upgrade() -> None:
    """Add the job that a job is a part of."""
    op.add_column("jobs", sa.Column("parent", sa.Uuid(as_uuid=False), nullable=True))
    op.create_index("ix_jobs_parent", "jobs", ["parent"], postgresql_where=_PARTS, sqlite_where=_PARTS)


def downgrade() -> None:
    """Delete the parts, which older versions cannot run, and drop the column."""
    op.execute("DELETE FROM jobs WHERE parent IS NOT NULL")
    op.drop_index("ix_jobs_parent", "jobs")
    op.drop_column("jobs", "parent")
