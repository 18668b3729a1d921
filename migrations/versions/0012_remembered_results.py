"""Results that all workers share, and when the terms of an assignment last changed.

Revision: 0012, after 0011
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table, and add the column."""
    op.create_table(
        "remembered_results",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_remembered_results"),
    )
    op.create_index("ix_remembered_results_created_at", "remembered_results", ["created_at"])
    op.add_column("assignments", sa.Column("terms_changed_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    """Drop both."""
    op.drop_column("assignments", "terms_changed_at")
    op.drop_table("remembered_results")
