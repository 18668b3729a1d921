"""When each part of the service was last seen.

Revision: 0017, after 0016
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "parts_seen",
        sa.Column("part", sa.String(16), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("part", name="pk_parts_seen"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("parts_seen")
