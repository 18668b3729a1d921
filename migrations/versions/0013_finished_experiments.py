"""The final counts of finished experiments, and the tables of large ones.

Revision: 0013, after 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

INDEXES = {"ix_experiments_unfinished": "finished_at IS NULL", "ix_experiments_large": "row_count >= 5000"}


def upgrade() -> None:
    """Add the columns and the table. The sweeper fills them."""
    op.add_column("experiments", sa.Column("outcomes", sa.JSON(), nullable=True))
    op.add_column("experiments", sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True))
    for name, where in INDEXES.items():
        op.create_index(name, "experiments", ["id"], postgresql_where=sa.text(where), sqlite_where=sa.text(where))
    op.create_table(
        "experiment_tables",
        sa.Column("experiment_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("x", sa.String(16), nullable=False),
        sa.Column("measure", sa.String(32), nullable=False),
        sa.Column("version", sa.String(32), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name=op.f("fk_experiment_tables_experiment_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("experiment_id", "x", "measure", name=op.f("pk_experiment_tables")),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("experiment_tables")
    for name in INDEXES:
        op.drop_index(name, "experiments")
    op.drop_column("experiments", "finished_at")
    op.drop_column("experiments", "outcomes")
