"""Courses, earlier versions of assignments, and requests for regrades.

Revision: 0006, after 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)


def upgrade() -> None:
    """Make both tables; each assignment's present version is its first."""
    op.add_column("assignments", sa.Column("course", sa.String(64), nullable=True))
    op.create_index("ix_assignments_course_id", "assignments", ["course", "id"])
    op.create_table(
        "assignment_versions",
        sa.Column("assignment_id", ID, nullable=False),
        sa.Column("version", sa.String(16), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name="fk_assignment_versions_assignment_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("assignment_id", "version", name="pk_assignment_versions"),
    )
    op.execute(
        "INSERT INTO assignment_versions (assignment_id, version, created_at, document)"
        " SELECT id, version, created_at, document FROM assignments"
    )
    op.create_table(
        "regrade_requests",
        sa.Column("id", ID, nullable=False),
        sa.Column("assignment_id", ID, nullable=False),
        sa.Column("submission_id", ID, nullable=False),
        sa.Column("student", sa.String(200), nullable=False),
        sa.Column("item", sa.String(200), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("adjustment", sa.Double(), nullable=False),
        sa.Column("answered_at", TIME, nullable=True),
        sa.CheckConstraint("status IN ('open', 'granted', 'declined')", name="status"),
        sa.CheckConstraint("(status = 'open') = (answered_at IS NULL)", name="answered"),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name="fk_regrade_requests_assignment_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name="fk_regrade_requests_submission_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_regrade_requests"),
    )
    op.create_index("ix_regrade_requests_assignment_id_id", "regrade_requests", ["assignment_id", "id"])
    op.create_index("ix_regrade_requests_submission_id", "regrade_requests", ["submission_id"])


def downgrade() -> None:
    """Drop both tables; the assignments keep their present version."""
    op.drop_table("regrade_requests")
    op.drop_table("assignment_versions")
    op.drop_index("ix_assignments_course_id", "assignments")
    op.drop_column("assignments", "course")
