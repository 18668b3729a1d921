"""API keys with roles and courses, the log of changes, and a queue that is read owner by owner.

Revision: 0008, after 0007
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)
QUEUED = sa.text("state = 'queued'")


def upgrade() -> None:
    """Make both tables; priority now orders the jobs of one owner."""
    op.create_table(
        "api_keys",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("course", sa.String(64), nullable=True),
        sa.Column("label", sa.String(100), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("created_by", sa.String(64), nullable=False),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.CheckConstraint("role IN ('student', 'instructor', 'operator')", name="role"),
        sa.CheckConstraint("role <> 'operator' OR course IS NULL", name="course"),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
    )
    op.create_index("ix_api_keys_digest", "api_keys", ["digest"], unique=True)
    op.create_index("ix_api_keys_owner", "api_keys", ["owner"])
    op.create_index("ix_api_keys_course_owner", "api_keys", ["course", "owner"])
    op.create_table(
        "changes",
        sa.Column("id", ID, nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("key_id", ID, nullable=True),
        sa.Column("operation", sa.String(64), nullable=False),
        sa.Column("target", sa.String(200), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_changes"),
    )
    op.create_index("ix_changes_target", "changes", ["target"])
    _index_queue(["owner", "priority", "created_at", "id"])


def downgrade() -> None:
    """Drop both tables, and with them all keys."""
    _index_queue(["priority", "owner", "created_at", "id"])
    op.drop_index("ix_changes_target", "changes")
    op.drop_table("changes")
    for name in ("ix_api_keys_course_owner", "ix_api_keys_owner", "ix_api_keys_digest"):
        op.drop_index(name, "api_keys")
    op.drop_table("api_keys")


def _index_queue(columns: Sequence[str]) -> None:
    op.drop_index("ix_jobs_queued", "jobs")
    op.create_index("ix_jobs_queued", "jobs", columns, postgresql_where=QUEUED, sqlite_where=QUEUED)
