"""Heuristics that are nothing but pattern databases: IDA* has a search of its own for them."""

from __future__ import annotations

from hstar.databases import Databases
from hstar.features.databases import DatabaseFeature
from hstar.heuristics.expression import Expression
from hstar.puzzles.base import MoveSet

__all__ = ["matching"]


def matching(expression: Expression, moves: MoveSet) -> Databases | None:
    """The databases whose maximum the expression is, if it is nothing else and they are for these moves."""
    databases = [f.databases for f in expression.features if isinstance(f, DatabaseFeature)]
    ops = {op for op, _ in expression.root.postfix()}
    if not databases or len(databases) < len(expression.features) or not ops <= {"feature", "max"}:
        return None
    return databases[0].together_with(databases[1:], moves)
