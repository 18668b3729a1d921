"""The pattern database that a running solve is building; what auto chose is recorded at the end.

Revision: 0003, after 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns of a build's progress."""
    op.add_column("solves", sa.Column("progress_building", sa.String(128), nullable=True))
    op.add_column("solves", sa.Column("progress_built", sa.Double(), nullable=True))
    op.execute("UPDATE solves SET method = NULL WHERE method = 'auto'")


def downgrade() -> None:
    """Drop them."""
    op.drop_column("solves", "progress_built")
    op.drop_column("solves", "progress_building")
