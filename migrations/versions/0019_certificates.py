"""Certificates of answers.

Revision: 0019, after 0018
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what is known of a solve's certificate: null where none was asked for."""
    op.add_column("solve_documents", sa.Column("certificate", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Drop it. The files stay until the sweeper finds no job for them."""
    op.drop_column("solve_documents", "certificate")
