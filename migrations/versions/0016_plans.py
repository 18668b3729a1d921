"""Plans of users.

Revision: 0016, after 0015
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TABLES = ("solves", "statistics_rollup")


def upgrade() -> None:
    """Add the column to the solves and to the settings of the statistics."""
    for table in TABLES:
        op.add_column(table, sa.Column("plan", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    for table in TABLES:
        op.drop_column(table, "plan")
