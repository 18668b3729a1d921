"""Building a pattern database in advance: the request, its checks, and the answer.

>>> databases = find(DatabaseRequest(puzzle="megaminx", pattern="corners:4", moves="ccw"))   # doctest: +SKIP
>>> databases.load()                                                                         # doctest: +SKIP
>>> describe(databases, request, seconds=9.5)                                                   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar.databases import Databases, databases_named
from hstar.errors import Fault, FeatureError, InvalidRequest
from hstar.puzzles import get_puzzle
from hstar.schema import GOAL_MEANS, GoalIn, Out, Strict

__all__ = ["BuildProgress", "BuiltDatabase", "DatabaseRequest", "describe", "find", "request_for"]

#: the priority of builds that nobody waits for
BACKGROUND = -50


class DatabaseRequest(Strict):
    """Body of ``POST /v1/databases``: the pattern database to build, as ``pdb("...")`` names it."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    pattern: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description='as in pdb("..."): corners:4, tips:2+edges:2, cosets, or a partition of the tiles such as 6-6-3'
    )
    moves: str | None = Field(None, description="move set to build for; left out: the puzzle's")
    priority: Annotated[int, Field(ge=-100, le=100)] = Field(0, description="higher runs first")


class BuildProgress(Out):
    """The progress of a build."""

    building: str | None = Field(None, description="the table that is being built; null before the first")
    built: float | None = Field(
        None, description="the fraction that is built, from 0 to 1; null while another process builds it"
    )


class BuiltDatabase(Out):
    """Tables that exist now."""

    puzzle: str
    moves: str
    pattern: str
    expression: str = Field(description="the heuristic that looks it up")
    states: int = Field(description="abstract states of all tables")
    bytes: int = Field(description="size of all tables")
    seconds: float = Field(description="time for building the tables, or for opening existing ones")


def find(request: DatabaseRequest, memory_mib: int | None = None) -> Databases:
    """The requested databases, not built yet. Takes milliseconds.

    :param memory_mib: the most memory that building may take
    :raises HstarError: the puzzle, move set or pattern is unknown, or building takes too much memory
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves)
    try:
        databases = databases_named(puzzle, moves, request.pattern)
    except FeatureError as error:
        raise InvalidRequest("there is no such pattern", [Fault("/pattern", error.message)]) from None
    if memory_mib is not None and databases.build_bytes > memory_mib * 2**20:
        needed = -(-databases.build_bytes // 2**20)
        fault = Fault("/pattern", f"building it takes {needed} MiB, and at most {memory_mib} are allowed here")
        raise InvalidRequest("the database is too large", [fault])
    return databases


def request_for(databases: Databases) -> DatabaseRequest:
    """The request that builds these databases."""
    goal = databases.puzzle.goal_board()
    return DatabaseRequest(
        puzzle=databases.puzzle.name,
        goal=None if goal is None else list(goal),
        pattern=databases.name,
        moves=databases.moves.name,
        priority=BACKGROUND,
    )


def describe(databases: Databases, request: DatabaseRequest, seconds: float) -> BuiltDatabase:
    """The answer for databases that exist."""
    return BuiltDatabase(
        puzzle=databases.puzzle.name,
        moves=databases.puzzle.move_set(request.moves).name,
        pattern=databases.name,
        expression=databases.expression,
        states=databases.states,
        bytes=sum(table.size for table in databases.tables),
        seconds=seconds,
    )
