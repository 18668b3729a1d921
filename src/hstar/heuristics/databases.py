"""The pattern databases of heuristics: which there are, and heuristics that are nothing else.

IDA* has a search of its own for the latter.
"""

from __future__ import annotations

from collections.abc import Iterable

from hstar.databases import Databases
from hstar.features.databases import DatabaseFeature
from hstar.heuristics.expression import Expression
from hstar.puzzles.base import MoveSet

__all__ = ["databases_of", "matching", "named_by"]


def databases_of(expression: Expression) -> list[Databases]:
    """The databases that an expression names."""
    return [feature.databases for feature in expression.features if isinstance(feature, DatabaseFeature)]


def named_by(expressions: Iterable[Expression]) -> dict[str, int]:
    """What identifies each database that the expressions name, and how many bytes it takes at most."""
    features = (feature for expression in expressions for feature in expression.features)
    found = (feature.databases for feature in features if isinstance(feature, DatabaseFeature))
    # A table has a byte for each state, or less.
    return {databases.identity: databases.states for databases in found}


def matching(expression: Expression, moves: MoveSet) -> Databases | None:
    """The databases whose maximum the expression is, if it is nothing else and they are for these moves."""
    databases = [f.databases for f in expression.features if isinstance(f, DatabaseFeature)]
    ops = {op for op, _ in expression.root.postfix()}
    if not databases or len(databases) < len(expression.features) or not ops <= {"feature", "max"}:
        return None
    return databases[0].together_with(databases[1:], moves)
