"""Puzzles that owners add: definitions under names.

Revision: 0011, after 0010
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

CURRENT = sa.text("removed_at IS NULL")


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "added_puzzles",
        sa.Column("id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("full_name", sa.String(64), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_added_puzzles"),
    )
    op.create_index("ix_added_puzzles_full_name", "added_puzzles", ["full_name"])
    op.create_index("ix_added_puzzles_owner_full_name", "added_puzzles", ["owner", "full_name"], unique=True)
    op.create_index(
        "ix_added_puzzles_owner_name",
        "added_puzzles",
        ["owner", "name"],
        unique=True,
        postgresql_where=CURRENT,
        sqlite_where=CURRENT,
    )


def downgrade() -> None:
    """Drop the table; solves of added puzzles can then no longer be read."""
    for name in ("ix_added_puzzles_owner_name", "ix_added_puzzles_owner_full_name", "ix_added_puzzles_full_name"):
        op.drop_index(name, "added_puzzles")
    op.drop_table("added_puzzles")
