"""Rosters of courses, records of students, uploads, and students' notations.

Revision: 0018, after 0017
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)
ID = sa.Uuid(as_uuid=False)


def upgrade() -> None:
    """Make the four tables."""
    op.create_table(
        "roster_lines",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("course", sa.String(64), nullable=False),
        sa.Column("student", sa.String(200), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "course", "student", name="pk_roster_lines"),
    )
    op.create_table(
        "student_records",
        sa.Column("assignment_id", ID, nullable=False),
        sa.Column("student", sa.String(200), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name="fk_student_records_assignment_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("assignment_id", "student", name="pk_student_records"),
    )
    op.create_table(
        "uploads",
        sa.Column("id", ID, nullable=False),
        sa.Column("assignment_id", ID, nullable=False),
        sa.Column("filename", sa.String(200), nullable=False),
        sa.Column("student", sa.String(200), nullable=True),
        sa.Column("found_by", sa.String(16), nullable=True),
        sa.Column("named_in_file", sa.String(200), nullable=True),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("submission_id", ID, nullable=True),
        sa.Column("uploaded_at", TIME, nullable=False),
        sa.CheckConstraint("status IN ('submitted', 'mapping', 'unassigned', 'refused')", name="status"),
        sa.ForeignKeyConstraint(
            ["assignment_id"], ["assignments.id"], name="fk_uploads_assignment_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name="fk_uploads_submission_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
    )
    op.create_index("ix_uploads_assignment_id_id", "uploads", ["assignment_id", "id"])
    op.create_index("ix_uploads_submission_id", "uploads", ["submission_id"])
    op.create_table(
        "notations",
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("course", sa.String(64), nullable=False),
        sa.Column("student", sa.String(200), nullable=False),
        sa.Column("puzzle", sa.String(100), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("confirmed_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("owner", "course", "student", "puzzle", name="pk_notations"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("notations")
    op.drop_index("ix_uploads_submission_id", "uploads")
    op.drop_index("ix_uploads_assignment_id_id", "uploads")
    op.drop_table("uploads")
    op.drop_table("student_records")
    op.drop_table("roster_lines")
