"""Ways to write an alg, by name: each reads text into a puzzle's canonical moves and writes them back.

>>> get_notation(get_puzzle("megaminx"), "colours").format(["U", "BR2'"])          # doctest: +SKIP
"white blue2'"

``parse(format(moves)) == moves`` wherever ``format`` succeeds, and ``format(parse(text))`` is ``text`` in its shortest
form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hstar.errors import UnknownName
from hstar.notation.tiles import format_slides, parse_slides
from hstar.puzzles import Puzzle
from hstar.puzzles.master_pyraminx import MasterPyraminx
from hstar.puzzles.megaminx import Megaminx
from hstar.puzzles.megaminx.colours import format_colours, parse_colours
from hstar.puzzles.megaminx.wca import format_wca, parse_wca
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["Notation", "get_notation", "notations"]


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write algs of one puzzle. Both functions raise `hstar.errors.InvalidAlg`, and nothing else."""

    name: str
    description: str
    example: str
    parse: Callable[[str], tuple[str, ...]]
    format: Callable[[Sequence[str]], str]


def notations(puzzle: Puzzle) -> Mapping[str, Notation]:
    """The notations of a puzzle by name; the first is its own, in which answers are written."""
    if isinstance(puzzle, SlidingTiles):
        blank = Notation("blank", "the way the blank goes", "U R R", puzzle.parse_alg, puzzle.format_alg)
        tile = Notation(
            "tile", "the way the tile goes that takes the blank's place", "down left", parse_slides, format_slides
        )
        return {n.name: n for n in (blank, tile)}
    own = Notation(
        "cubing", "moves named as in cubing.js", " ".join(puzzle.moves[:3]), puzzle.parse_alg, puzzle.format_alg
    )
    more: list[Notation] = []
    if isinstance(puzzle, Megaminx):
        more = [
            Notation("colours", "faces by colour, counts and primes as usual", "white blue2'", parse_colours,
            format_colours), Notation(
                "wca", "scrambling notation of the World Cube Association; not every alg can be written in it",
                "R++ D-- U'", lambda text: parse_wca(text).moves, format_wca,
            ),
        ]  # fmt: skip
    if isinstance(puzzle, MasterPyraminx):
        more = [
            Notation(
                "s4", "corner, layer and direction (1 clockwise, 2 counter-clockwise), one layer a move, as in S4",
                "U1 1 L3 2", puzzle.parse_alg, puzzle.format_layers,
            )
        ]  # fmt: skip
    return {n.name: n for n in (own, *more)}


def get_notation(puzzle: Puzzle, name: str) -> Notation:
    """The notation of this name; raises `UnknownName` if the puzzle has none such."""
    known = notations(puzzle)
    if name not in known:
        raise UnknownName(f"notation of {puzzle.name}", name, known)
    return known[name]
