"""Building a pattern database ahead: what is asked, what is checked before, and what is told of the tables.

>>> databases = find(DatabaseRequest(puzzle="megaminx", pattern="corners:4", moves="ccw"))   # doctest: +SKIP
>>> databases.load()                                                                         # doctest: +SKIP
>>> describe(databases, request, seconds=9.5)                                                   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hstar.databases.permutation import PatternDatabases, pattern_databases
from hstar.databases.tiles import TileDatabases, tile_databases
from hstar.errors import Fault, FeatureError, InvalidRequest
from hstar.puzzles import get_puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import GOAL_MEANS, GoalIn, Out, Strict

__all__ = ["BuildProgress", "BuiltDatabase", "DatabaseRequest", "describe", "find"]


class DatabaseRequest(Strict):
    """Body of ``POST /v1/databases``: the pattern database to build, as ``pdb("...")`` names it."""

    puzzle: str = Field(description="name from /v1/puzzles, or tiles:ROWSxCOLUMNS")
    goal: GoalIn | None = Field(None, description=GOAL_MEANS)
    pattern: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="orbits and sizes such as corners:4 or tips:2+edges:2, or a partition of the tiles such as 6-6-3"
    )
    moves: str | None = Field(None, description="move set to build for; left out: the puzzle's")
    priority: Annotated[int, Field(ge=-100, le=100)] = Field(0, description="higher runs first")


class BuildProgress(Out):
    """How far a build is."""

    building: str | None = Field(None, description="the table that is built; null before the first")
    built: float | None = Field(
        None, description="the fraction that is built, from 0 to 1; null while another process builds it"
    )


class BuiltDatabase(Out):
    """Tables that are there now."""

    puzzle: str
    moves: str
    pattern: str
    expression: str = Field(description="the heuristic that it is")
    states: int = Field(description="abstract states of all tables")
    bytes: int = Field(description="size of all tables")
    seconds: float = Field(description="until they were there: building them, or checking those that were there before")


def find(request: DatabaseRequest, memory_mib: int | None = None) -> PatternDatabases | TileDatabases:
    """The databases that are asked for, not built yet. Milliseconds.

    :param memory_mib: what building may take at most
    :raises HstarError: there is no such puzzle, move set or pattern, or building takes too much memory
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves)
    databases: PatternDatabases | TileDatabases
    try:
        if isinstance(puzzle, SlidingTiles):
            databases = tile_databases(puzzle, request.pattern)
        else:
            assert isinstance(puzzle, PermutationPuzzle)
            databases = pattern_databases(puzzle, moves, (request.pattern,))
    except FeatureError as error:
        raise InvalidRequest("there is no such pattern", [Fault("/pattern", error.message)]) from None
    if memory_mib is not None and databases.build_bytes > memory_mib * 2**20:
        needed = -(-databases.build_bytes // 2**20)
        fault = Fault("/pattern", f"building it takes {needed} MiB, and at most {memory_mib} are allowed here")
        raise InvalidRequest("the database is too large", [fault])
    return databases


def describe(databases: PatternDatabases | TileDatabases, request: DatabaseRequest, seconds: float) -> BuiltDatabase:
    """What is told of databases that are there."""
    return BuiltDatabase(
        puzzle=databases.puzzle.name,
        moves=databases.puzzle.move_set(request.moves).name,
        pattern=databases.name,
        expression=databases.expression,
        states=databases.states,
        bytes=sum(table.data.nbytes for table in databases.tables),
        seconds=seconds,
    )
