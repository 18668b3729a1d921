"""Solutions that are not proven shortest are apart in the statistics.

Revision: 0015, after 0014

The rollup is counted anew from the solves. Settings some of whose solves have been purged cannot be: their rows stay as
they are, without an optimality. Finished experiments are counted anew by the sweeper, and their tables are made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KEY = (
    "owner", "puzzle", "goal", "moves", "scramble_moves", "k", "algorithm", "weight", "width", "heuristic",
    "heuristic_name", "tie_breaking", "outcome",
)  # fmt: skip
ID = sa.Uuid(as_uuid=False)
SOLVES = sa.table("solves", sa.column("id", ID), *(sa.column(name) for name in KEY))
ROLLUP = sa.table(
    "statistics_rollup", sa.column("id"), sa.column("by_length", sa.Boolean()), sa.column("solves"),
    *(sa.column(name) for name in KEY),
)  # fmt: skip
UNCOUNTED = sa.table("uncounted_solves", sa.column("solve_id", ID))
#: rows of one statement
AT_ONCE = 500


def upgrade() -> None:
    """Add the columns, and have everything counted anew."""
    op.add_column("statistics_rollup", sa.Column("optimality", sa.String(16), nullable=True))
    op.add_column("statistics_rollup", sa.Column("of_feasible_length", sa.LargeBinary(), nullable=True))
    count_anew()
    forget_tables()


def downgrade() -> None:
    """Drop them. Numbers stay as they were counted."""
    op.drop_column("statistics_rollup", "of_feasible_length")
    op.drop_column("statistics_rollup", "optimality")
    forget_tables()


def forget_tables() -> None:
    """Forget what is computed from the rows of finished experiments."""
    op.execute("UPDATE experiments SET outcomes = NULL, finished_at = NULL")
    op.execute("DELETE FROM experiment_tables")


def count_anew() -> None:
    """Take the settings out of the rollup all of whose solves are still there, and note these solves as uncounted."""
    connection = op.get_bind()
    present: Counter[tuple[object, ...]] = Counter()
    counted: Counter[tuple[object, ...]] = Counter()
    solves = (
        sa.select(SOLVES)
        .where(SOLVES.c.outcome.is_not(None), SOLVES.c.id.not_in(sa.select(UNCOUNTED.c.solve_id)))
        .execution_options(yield_per=AT_ONCE)
    )
    for row in connection.execute(solves):
        present[tuple(row[1:])] += 1
    rows = list(connection.execute(sa.select(ROLLUP)))
    for row in rows:
        if not row.by_length:
            counted[tuple(row[3:])] += row.solves
    whole = {key for key, number in counted.items() if present[key] == number}
    again = [row.id for row in connection.execute(solves) if tuple(row[1:]) in whole]
    for ids in pieces(again):
        connection.execute(sa.insert(UNCOUNTED), [{"solve_id": one} for one in ids])
    for ids in pieces([row.id for row in rows if tuple(row[3:]) in whole]):
        connection.execute(sa.delete(ROLLUP).where(ROLLUP.c.id.in_(ids)))


def pieces(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(ids), AT_ONCE):
        yield ids[begin : begin + AT_ONCE]
