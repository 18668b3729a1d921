"""The cells of the statistics: for each setting and outcome the distributions of all solves that ended so.

    while fold(sessions): ...                # the sweeper: move what has ended since the last time into the cells

A solve that ends is noted in ``uncounted_solves`` by a trigger, in the transaction that ends it. `fold` takes some of
those, adds them to the cells and removes the notes, all in one transaction. So at every moment each ended solve is
either noted or counted, and a reader who sees one snapshot of both sees each solve exactly once, however far the
folding has come. Nothing is ever subtracted: an ended solve does not change.

The cells come in two layers, one that also tells lengths apart and one that does not: the second is what most questions
are answered from, and the first would make them wait for many times as many cells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from sqlalchemy import Table, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from hstar.experiments.schema import MEASURES
from store.database import Sessions
from store.distributions import Distributions
from store.models import Solve, StatisticsCell, UncountedSolve
from store.observations import WHOLE, Observations, columns, number_groups

#: what a cell's solves have in common, besides their outcome and their length
SETTING = (
    "owner", "puzzle", "goal", "moves", "scramble_moves", "k", "algorithm", "weight", "heuristic", "heuristic_name",
    "tie_breaking",
)  # fmt: skip
#: solves that one transaction folds
BATCH = 2000
#: fewer than these may stay uncounted: a reader adds them up himself in a few milliseconds
WORTH_FOLDING = 250

# Any number will do, as long as it is ours: only one process folds at a time.
_FOLDING = 0x68737466

_solves = cast(Table, Solve.__table__)
_cells = cast(Table, StatisticsCell.__table__)
_uncounted = cast(Table, UncountedSolve.__table__)
_KEY = (*SETTING, "status", "length")


class _Raced(Exception):
    """Another process has folded some of these solves."""


class _Layer:
    """What one batch adds to the cells of one layer."""

    def __init__(self, by_length: bool, keys: Sequence[tuple[Any, ...]], seen: Observations) -> None:
        keys = keys if by_length else [(*key[:-1], None) for key in keys]
        numbers, groups = number_groups(keys)
        self.by_length = by_length
        self.keys = list(numbers)
        self.ids = [_id_of(by_length, key) for key in self.keys]
        self.solves = np.bincount(groups, minlength=len(numbers)).tolist()
        # A cell has one outcome, so its values are all exact or all lower bounds.
        self.distributions = {
            measure: Distributions.merged([exact, bounds], [np.arange(len(numbers))] * 2, len(numbers))
            for measure, exact, bounds in seen.distributions(groups, len(numbers))
        }

    def add(self, session: Session) -> None:
        """Add it to what is there."""
        size = len(self.ids)
        there = {row.id: row for row in session.execute(select(_cells).where(_cells.c.id.in_(self.ids)))}
        values: list[dict[str, Any]] = [
            {
                "id": cell,
                "by_length": self.by_length,
                **dict(zip(_KEY, key, strict=True)),
                "solves": solves + (there[cell].solves if cell in there else 0),
            }
            for cell, key, solves in zip(self.ids, self.keys, self.solves, strict=True)
        ]
        for measure, new in self.distributions.items():
            column = f"of_{measure}"
            before = [getattr(there[cell], column) if cell in there else None for cell in self.ids]
            old = Distributions.decode(before, whole=measure in WHOLE)
            sum_ = Distributions.merged([old, new], [np.arange(size)] * 2, size)
            for place, value in enumerate(values):
                value[column] = sum_.encode(place)
        insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
        upsert = insert(_cells)
        changing = {name: upsert.excluded[name] for name in ("solves", *(f"of_{measure}" for measure in MEASURES))}
        session.connection().execute(upsert.on_conflict_do_update(index_elements=["id"], set_=changing), values)


def fold(sessions: Sessions, most: int = BATCH) -> int:
    """Count up to ``most`` solves that are not counted yet; how many it were. 0 also while another process folds.

    What takes time is done before the transaction that writes, so that nobody waits for it: an ended solve stays as
    it is.
    """
    with sessions.read() as session:
        found = session.execute(
            select(_solves.c.id, *(_solves.c[name] for name in (*SETTING, "status", "length")), *columns(_MEASURES))
            .join(_uncounted, _uncounted.c.solve_id == _solves.c.id)
            .order_by(_solves.c.id)
            .limit(most)
        ).all()
    if not found:
        return 0
    ids = [row[0] for row in found]
    keys = [tuple(row[1 : 1 + len(_KEY)]) for row in found]
    seen = Observations([row[1 + len(_KEY) :] for row in found], _MEASURES)
    layers = [_Layer(by_length, keys, seen) for by_length in (False, True)]

    def write(session: Session) -> None:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(select(func.pg_advisory_xact_lock(_FOLDING)))
        noted = session.connection().execute(delete(_uncounted).where(_uncounted.c.solve_id.in_(ids)))
        if noted.rowcount != len(ids):
            raise _Raced
        for layer in layers:
            layer.add(session)

    try:
        sessions.run(write)
    except _Raced:
        return 0
    return len(ids)


def count_uncounted(session: Session, most: int) -> int:
    """How many ended solves are in no cell yet, counted up to ``most`` only."""
    some = select(_uncounted.c.solve_id).limit(most).subquery()
    return session.scalar(select(func.count()).select_from(some)) or 0


_MEASURES = tuple(MEASURES)


def _id_of(by_length: bool, key: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps([by_length, *key], separators=(",", ":")).encode()).hexdigest()
