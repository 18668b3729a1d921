"""The expansions of each f-layer.

Revision: 0022, after 0021
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a list of [f, expansions] to each answer: null where there are no layers, and of earlier answers."""
    op.add_column("solves", sa.Column("layers", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("solves", "layers")
