"""The tables of the statistics: the rollup, and the solves that are not in it yet."""

from __future__ import annotations

from sqlalchemy import BigInteger, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from hstar.experiments.grouped import kept_as
from hstar.experiments.schema import MEASURES
from store.database.base import OWNER_LENGTH, Base, Id
from store.database.options import add_option_columns
from store.solves.models import OutcomeType
from store.solves.status import Status


class UncountedSolve(Base):
    """A solve that has ended and is not yet in the rollup.

    Triggers on ``solves`` write these rows in the transaction that ends the solve, so each solve is in the statistics
    exactly once: either here or in the rollup.
    """

    __tablename__ = "uncounted_solves"

    solve_id: Mapped[str] = mapped_column(Id, primary_key=True)


class Rollup(Base):
    """The statistics of all ended solves with one setting, outcome and optimality, and one length if ``by_length``.

    The number of rows grows with the number of settings, not of solves (store/statistics/rollup.py).
    """

    __tablename__ = "statistics_rollup"

    # SHA-256 of the following columns, up to the length.
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner: Mapped[str] = mapped_column(String(OWNER_LENGTH))
    by_length: Mapped[bool]
    puzzle: Mapped[str] = mapped_column(String(64))
    goal: Mapped[str | None] = mapped_column(Text)
    moves: Mapped[str] = mapped_column(String(64))
    scramble_moves: Mapped[str | None] = mapped_column(String(64))
    k: Mapped[int | None]
    algorithm: Mapped[str] = mapped_column(String(32))
    heuristic: Mapped[str] = mapped_column(Text)
    outcome: Mapped[Status] = mapped_column(OutcomeType)
    # Null where nothing was solved, and in rows of earlier versions whose solves are gone.
    optimality: Mapped[str | None] = mapped_column(String(16))
    length: Mapped[int | None]
    solves: Mapped[int] = mapped_column(BigInteger)

    __table_args__ = (Index(None, "owner", "by_length"),)


add_option_columns(Rollup)
# One column for each measure: a distribution encoded by `hstar.experiments.distributions`.
for _measure in MEASURES:
    setattr(Rollup, kept_as(_measure), mapped_column(kept_as(_measure), LargeBinary))
