"""The columns of solves and of the rollup, by the names that the library's statistics have for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Label, Row, Table

#: names that differ: the stored outcome of a solve that did not get done is its status
_STORED = {"ending": "outcome", "number": "solves"}


def select_from(table: Table, names: Iterable[str]) -> list[Label[Any]]:
    """The columns with these names, to be selected."""
    return [table.c[_STORED.get(name, name)].label(f"read_{name}") for name in names]


def by_name(names: Sequence[str], rows: Sequence[Row[Any]], first: int = 0) -> dict[str, Sequence[Any]]:
    """The values of the rows from place ``first`` on, a sequence for each name."""
    return {name: [row[place] for row in rows] for place, name in enumerate(names, start=first)}
