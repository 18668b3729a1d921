"""The rollup of the statistics: for each setting, outcome and optimality, the distributions of all its solves.

    while roll_up(sessions): ...             # the sweeper: add the solves that have ended since the last time

When a solve ends, a trigger inserts its id into ``uncounted_solves`` in the same transaction. `roll_up` adds some of
these solves to the rows of the rollup and deletes their ids, all in one transaction. So at every moment each ended
solve is in exactly one of the two, and a reader with one snapshot of both counts it exactly once. Nothing is ever
subtracted, because an ended solve does not change.

The rows are in two layers, with and without a separate row for each length. Most queries are answered from the second,
which has far fewer rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from sqlalchemy import Table, delete, func, select
from sqlalchemy.orm import Session

from hstar.experiments.distributions import Distributions
from hstar.experiments.grouped import kept_as
from hstar.experiments.observations import Observations, is_whole, needed
from hstar.experiments.rows import number_groups
from hstar.experiments.schema import MEASURES
from store.database import Sessions
from store.database.bulk import insert_into
from store.database.options import OPTION_COLUMNS
from store.solves.models import Solve
from store.statistics.columns import by_name, select_from
from store.statistics.models import Rollup, UncountedSolve

#: the columns that the solves of one row share, besides outcome, optimality and length
SETTING = (
    "owner", "puzzle", "goal", "moves", "scramble_moves", "k", "algorithm", "heuristic",
    *OPTION_COLUMNS,
)  # fmt: skip
#: the number of solves that one transaction counts
BATCH = 5000
#: fewer solves than this may stay uncounted: readers add them up in a few milliseconds
WORTH_A_ROLLUP = 1000

# An arbitrary number that no other lock of ours has: only one process counts at a time.
_COUNTING = 0x68737466

_solves = cast(Table, Solve.__table__)
_rollup = cast(Table, Rollup.__table__)
_uncounted = cast(Table, UncountedSolve.__table__)
_KEY = (*SETTING, "outcome", "optimality", "length")
_READ = needed(tuple(MEASURES))


class _Raced(Exception):
    """Another process has counted some of these solves."""


class _Layer:
    """The rows that one batch adds to one layer."""

    def __init__(self, by_length: bool, keys: Sequence[tuple[Any, ...]], seen: Observations) -> None:
        keys = keys if by_length else [(*key[:-1], None) for key in keys]
        numbers, groups = number_groups(keys)
        self.by_length = by_length
        self.keys = list(numbers)
        self.ids = [_id_of(by_length, key) for key in self.keys]
        self.solves = np.bincount(groups, minlength=len(numbers)).tolist()
        # A row has one outcome and one optimality, so the values of a measure are either all exact or all lower bounds.
        self.distributions: dict[str, Distributions] = {}
        for measure in MEASURES:
            one = seen.observed(measure, groups, len(numbers))
            places = [np.arange(len(numbers))] * 2
            self.distributions[measure] = Distributions.merged([one.exact, one.bounds], places, len(numbers))

    def add(self, session: Session) -> None:
        """Add the rows to the stored ones."""
        size = len(self.ids)
        there = {row.id: row for row in session.execute(select(_rollup).where(_rollup.c.id.in_(self.ids)))}
        values: list[dict[str, Any]] = [
            {
                "id": key_id,
                "by_length": self.by_length,
                **dict(zip(_KEY, key, strict=True)),
                "solves": solves + (there[key_id].solves if key_id in there else 0),
            }
            for key_id, key, solves in zip(self.ids, self.keys, self.solves, strict=True)
        ]
        for measure, new in self.distributions.items():
            column = kept_as(measure)
            before = [getattr(there[key_id], column) if key_id in there else None for key_id in self.ids]
            old = Distributions.decode(before, whole=is_whole(measure))
            both = Distributions.merged([old, new], [np.arange(size)] * 2, size)
            for value, text in zip(values, both.encode(), strict=True):
                value[column] = text
        upsert = insert_into(session, _rollup)
        changing = {name: upsert.excluded[name] for name in ("solves", *map(kept_as, MEASURES))}
        session.connection().execute(upsert.on_conflict_do_update(index_elements=["id"], set_=changing), values)


def roll_up(sessions: Sessions, most: int = BATCH) -> int:
    """Count up to ``most`` uncounted solves; returns how many. Also 0 while another process counts.

    The slow part comes before the writing transaction, so that nobody waits for it; this is safe because an ended
    solve does not change.
    """
    with sessions.read() as session:
        ids = uncounted(session, most)
        rows = select(*(_solves.c[name] for name in _KEY), *select_from(_solves, _READ)).where(_solves.c.id.in_(ids))
        found = session.execute(rows).all() if ids else []
    if not ids:
        return 0
    keys = [tuple(row[: len(_KEY)]) for row in found]
    seen = Observations(by_name(_READ, found, len(_KEY)), tuple(MEASURES))
    layers = [_Layer(by_length, keys, seen) for by_length in (False, True)]

    def write(session: Session) -> None:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(select(func.pg_advisory_xact_lock(_COUNTING)))
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


def uncounted(session: Session, most: int, after: str | None = None) -> list[str]:
    """Up to ``most`` uncounted solves with ids after ``after``, in the order of their ids.

    Fetched separately rather than joined: the planner's estimate of their number is often outdated, and then it read
    all solves to find the few.
    """
    ids = select(_uncounted.c.solve_id).order_by(_uncounted.c.solve_id).limit(most)
    return list(session.scalars(ids if after is None else ids.where(_uncounted.c.solve_id > after)))


def _id_of(by_length: bool, key: tuple[Any, ...]) -> str:
    return hashlib.sha256(json.dumps([by_length, *key], separators=(",", ":")).encode()).hexdigest()
