"""Counts for /metrics.

Revision: 0007, after 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "counts",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("labels", sa.String(200), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "labels", name="pk_counts"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("counts")
