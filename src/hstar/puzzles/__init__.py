"""The puzzles, by name. Adding one is one file and one line here: a class, or a definition in ``data``. Users add
puzzles as data, too (`added`)."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from math import isqrt
from types import ModuleType

from hstar.errors import Fault, InvalidRequest, InvalidState, UnknownName
from hstar.puzzles import added
from hstar.puzzles.base import MoveSet, Orbit, Puzzle, State
from hstar.puzzles.clock import Clock
from hstar.puzzles.defined import DefinedPuzzle, puzzle_from_definition, shipped_puzzle
from hstar.puzzles.definition import KPuzzle, read_definition
from hstar.puzzles.families import FAMILIES, family_member
from hstar.puzzles.master_pyraminx import MasterPyraminx
from hstar.puzzles.megaminx import Megaminx
from hstar.puzzles.scrambles import make_scramble, random_state
from hstar.puzzles.sliding_tiles import MAX_CELLS, SlidingTiles, board
from hstar.puzzles.square1 import Square1

__all__ = [
    "DefinedPuzzle",
    "KPuzzle",
    "MoveSet",
    "Orbit",
    "Puzzle",
    "State",
    "added_puzzle",
    "full_name_of",
    "get_puzzle",
    "make_scramble",
    "puzzle_from_definition",
    "puzzle_names",
    "random_state",
    "read_definition",
]

#: the goal of the registered 8-puzzle, clockwise around the blank (Nilsson 1971); the 15-puzzle's is Korf's (1985)
EIGHT_GOAL = (1, 2, 3, 8, 0, 4, 7, 6, 5)

_REGISTERED: dict[str, Callable[[], Puzzle]] = {
    "megaminx": Megaminx,
    "master_pyraminx": MasterPyraminx,
    "8-puzzle": lambda: SlidingTiles("8-puzzle", "8-puzzle", 3, 3, EIGHT_GOAL),
    "15-puzzle": lambda: SlidingTiles("15-puzzle", "15-puzzle", 4, 4, range(16)),
    "pyraminx": lambda: shipped_puzzle("pyraminx"),
    "kilominx": lambda: shipped_puzzle("kilominx"),
    "2x2x2": lambda: shipped_puzzle("2x2x2"),
    "3x3x3": lambda: shipped_puzzle("3x3x3"),
    "4x4x4": lambda: shipped_puzzle("4x4x4"),
    "5x5x5": lambda: shipped_puzzle("5x5x5"),
    "6x6x6": lambda: shipped_puzzle("6x6x6"),
    "7x7x7": lambda: shipped_puzzle("7x7x7"),
    "skewb": lambda: shipped_puzzle("skewb"),
    "master_tetraminx": lambda: shipped_puzzle("master_tetraminx"),
    "fto": lambda: shipped_puzzle("fto"),
    "clock": Clock,
    "square1": Square1,
}
_BOARDS = {"8-puzzle": (3, 3), "15-puzzle": (4, 4)}
_NUMBERED = re.compile(r"^([0-9]{1,3})[- ]?puzzle$")
_TILES = re.compile(r"^tiles:([0-9]{1,2})x([0-9]{1,2})$")
TILES_PATTERN = "tiles:ROWSxCOLUMNS"


def puzzle_names() -> list[str]:
    """The names of the registered puzzles; ``tiles:ROWSxCOLUMNS`` names every other board of sliding tiles, and
    ``pancake:N``, ``lrx:N`` and ``topspin:N`` a puzzle of that size."""
    return list(_REGISTERED)


def get_puzzle(name: str, goal: Sequence[int] | None = None) -> Puzzle:
    """The puzzle of this name, with another goal board if one is given. The same object each time.

    :raises UnknownName: there is no such puzzle
    :raises InvalidState: the goal is not a board of this size
    :raises InvalidRequest: the puzzle's goal cannot be chosen, or the board is too small or too large
    """
    return _get(name, None if goal is None else tuple(goal))


@cache
def _registered(name: str) -> Puzzle:
    return _REGISTERED[name]()


def _get(name: str, goal: tuple[int, ...] | None) -> Puzzle:
    if name in _REGISTERED and goal is None:
        return _registered(name)
    match = _TILES.match(name)
    size = (int(match[1]), int(match[2])) if match else _BOARDS.get(name)
    if size is None:
        member = family_member(name)
        if member is not None and goal is None:
            return member
        definition = None if name in _REGISTERED else _added.get(name) or added.definitions().find(name)
        if name in _REGISTERED or member is not None or (definition is not None and goal is not None):
            raise InvalidRequest(
                f"the goal of {name} cannot be chosen", [Fault("/goal", "only sliding tiles have a goal board")]
            )
        if definition is not None:
            return definition if isinstance(definition, DefinedPuzzle) else added_puzzle(definition, name)
        number = _NUMBERED.match(name)
        side = isqrt(int(number[1]) + 1) if number else 0
        if number and side > 1 and side * side == int(number[1]) + 1:
            raise UnknownName("puzzle", name, [*_known(), f"tiles:{side}x{side}"], f"tiles:{side}x{side}")
        raise UnknownName("puzzle", name, [*_known(), TILES_PATTERN])
    rows, columns = size
    if not 2 <= rows * columns <= MAX_CELLS or 0 in size:
        text = f"{rows} x {columns} is not a board of 2 to {MAX_CELLS} cells"
        raise InvalidRequest(f"there is no puzzle {name!r}", [Fault("/puzzle", text)])
    if goal is None:
        goal = (*range(1, rows * columns), 0)
    try:
        return board(name, rows, columns, goal)
    except InvalidState as error:
        raise InvalidState(error.message, [fault.below("/goal") for fault in error.faults]) from None


def _known() -> list[str]:
    return [*puzzle_names(), *(f"{family}:SIZE" for family in FAMILIES), *added.definitions().names()]


def full_name_of(name: str) -> str:
    """The name kept in jobs and results: for an added puzzle it has the fingerprint."""
    if name in _REGISTERED or name in _added or ":" in name:
        return name
    definition = added.definitions().find(name)
    return name if definition is None else _full_name(definition, name)


def _full_name(definition: KPuzzle, asked: str | None) -> str:
    # An earlier full name stays as it is, because stored jobs and results have it.
    return asked if asked and added.bare_name(asked) != asked else added.full_name(definition)


def added_puzzle(definition: KPuzzle, asked: str | None = None) -> DefinedPuzzle:
    """The puzzle of a definition under its full name; cached, unless there are many.

    asked: the name under which the definition was found
    :raises InvalidRequest: a built-in puzzle has this name, or the definition is not that of a puzzle
    """
    if definition.name in _REGISTERED or _NUMBERED.match(definition.name):
        text = f"{definition.name} is a built-in puzzle: choose another name"
        raise InvalidRequest("the puzzle needs another name", [Fault("/name", text)])
    name = _full_name(definition, asked)
    puzzle = _added.get(name)
    if puzzle is None:
        puzzle = DefinedPuzzle(definition, name)
        if len(_added) >= 64:
            _added.clear()
        _added[name] = puzzle
    return puzzle


_added: dict[str, DefinedPuzzle] = {}


class _Listing(ModuleType):
    """``hstar.puzzles()`` lists the puzzles, as a guess at the library would have it."""

    def __call__(self) -> list[str]:
        return puzzle_names()


sys.modules[__name__].__class__ = _Listing
