"""Ways to write an alg, by name: each reads text into a puzzle's canonical moves and writes them back.

>>> get_notation(get_puzzle("megaminx"), "colours").format(["U", "BR2'"])          # doctest: +SKIP
"white blue2'"

``parse(format(moves)) == moves`` wherever ``format`` succeeds, and ``format(parse(text))`` is ``text`` in its shortest
form. Which notations there are is told by the puzzle.
"""

from __future__ import annotations

from collections.abc import Mapping

from hstar.errors import UnknownName
from hstar.puzzles import Puzzle
from hstar.puzzles.notation import Notation

__all__ = ["Notation", "get_notation", "notations"]


def notations(puzzle: Puzzle) -> Mapping[str, Notation]:
    """The notations of a puzzle by name; the first is its own, in which answers are written."""
    return puzzle.notations


def get_notation(puzzle: Puzzle, name: str) -> Notation:
    """The notation of this name; raises `UnknownName` if the puzzle has none such."""
    known = puzzle.notations
    if name not in known:
        raise UnknownName(f"notation of {puzzle.name}", name, known)
    return known[name]
