"""The width of a beam.

Revision: 0014, after 0013
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TABLES = ("solves", "statistics_rollup")


def upgrade() -> None:
    """Add the column to the solves and to the settings of the statistics."""
    for table in TABLES:
        op.add_column(table, sa.Column("width", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    for table in TABLES:
        op.drop_column(table, "width")
