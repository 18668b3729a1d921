"""Webhooks, and the messages that wait for them.

Revision: 0021, after 0020
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# A job has ended that is neither a part of another nor a row of an experiment.
ENDS = "OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL AND NEW.parent IS NULL"
TELL = (
    "INSERT INTO webhook_messages (webhook_id, subject_id, subject, attempt, due_at) "
    "SELECT id, NEW.id, 'job', 0, NEW.finished_at FROM webhooks WHERE owner = NEW.owner "
    "AND NOT EXISTS (SELECT 1 FROM experiment_members WHERE solve_id = NEW.id)"
)


def upgrade() -> None:
    """Create the tables, and the trigger that writes a message when a job ends."""
    time = sa.DateTime(timezone=True)
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Uuid(as_uuid=False), primary_key=True),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("url", sa.String(2000), nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("created_at", time, nullable=False),
        sa.Column("delivered", sa.Integer, nullable=False),
        sa.Column("given_up", sa.Integer, nullable=False),
        sa.Column("delivered_at", time, nullable=True),
        sa.Column("error", sa.Text, nullable=True),
    )
    op.create_index("ix_webhooks_owner_id", "webhooks", ["owner", "id"])
    op.create_table(
        "webhook_messages",
        sa.Column("webhook_id", sa.Uuid(as_uuid=False), primary_key=True),
        sa.Column("subject_id", sa.Uuid(as_uuid=False), primary_key=True),
        sa.Column("subject", sa.String(16), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("due_at", time, nullable=False),
        sa.CheckConstraint("subject IN ('job', 'experiment')", name="subject"),
    )
    op.create_index("ix_webhook_messages_due_at", "webhook_messages", ["due_at"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"CREATE TRIGGER jobs_tell AFTER UPDATE OF state ON jobs WHEN {ENDS} BEGIN {TELL}; END")
        return
    op.execute(
        f"CREATE FUNCTION tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {TELL}; RETURN NULL; END $$"
    )
    op.execute(
        f"CREATE TRIGGER jobs_tell AFTER UPDATE OF state ON jobs FOR EACH ROW WHEN ({ENDS}) "
        "EXECUTE FUNCTION tell_webhooks()"
    )


def downgrade() -> None:
    """Drop them all."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    op.execute("DROP TRIGGER jobs_tell" + ("" if sqlite else " ON jobs"))
    if not sqlite:
        op.execute("DROP FUNCTION tell_webhooks()")
    op.drop_table("webhook_messages")
    op.drop_table("webhooks")
