"""Assignments and submissions.

Revision: 0005, after 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "assignments",
        sa.Column("id", ID, nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_assignments"),
    )
    op.create_index("ix_assignments_owner_id", "assignments", ["owner", "id"])
    op.create_table(
        "submissions",
        sa.Column("id", ID, nullable=False),
        sa.Column("assignment_id", ID, nullable=False),
        sa.Column("student", sa.String(200), nullable=False),
        sa.Column("submitted_at", TIME, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("job_id", ID, nullable=False),
        sa.Column("regrade_id", ID, nullable=True),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name="fk_submissions_assignment_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name="fk_submissions_job_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["regrade_id"], ["jobs.id"], name="fk_submissions_regrade_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_submissions"),
    )
    op.create_index("ix_submissions_assignment_id_student_id", "submissions", ["assignment_id", "student", "id"])


def downgrade() -> None:
    """Drop both tables, but not the grading jobs."""
    op.drop_index("ix_submissions_assignment_id_student_id", "submissions")
    op.drop_table("submissions")
    op.drop_index("ix_assignments_owner_id", "assignments")
    op.drop_table("assignments")
