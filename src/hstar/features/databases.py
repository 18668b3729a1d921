"""The feature ``pdb("...")`` of heuristics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hstar import _kernel
from hstar.databases import Databases, databases_named
from hstar.databases.cosets import coset_databases
from hstar.databases.orbits import examples
from hstar.errors import FeatureError, InvalidRequest, UnknownName
from hstar.features.base import Feature
from hstar.features.registry import Arguments, FeatureKind, quoted
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.puzzles.subgroups import COSETS

__all__ = ["DatabaseFeature"]

#: no database has larger values; "no moves lead to the goal" is read as this value
HIGH = 255
#: databases of this many states are built in less than a second
CHEAP_STATES = 1_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class DatabaseFeature(Feature):
    """A pattern database, looked up for the symmetries that keep it consistent (on tiles: for all). It is built when a
    value is first needed.

    ``prices``: what a path of the database's moves costs that does the same as a move, whatever ``changes`` is.
    """

    databases: Databases
    goal: bytes
    prices: Mapping[str, int]

    def evaluate(self, state: bytes) -> int:
        """The kernel's value, because Python would take milliseconds; tests check that they are equal."""
        if state == self.goal:
            return 0
        value = self.databases.value(state)
        return HIGH if value is None else value

    @property
    def cheap(self) -> bool:
        return self.databases.states <= CHEAP_STATES

    @property
    def build_bytes(self) -> int:
        return self.databases.build_bytes

    @property
    def kept(self) -> bool:
        return self.databases.kept

    @property
    def build_seconds(self) -> float:
        return self.databases.build_seconds

    def load(self) -> None:
        self.databases.load()

    def kernel_feature(self) -> tuple[str, _kernel.Database]:
        return "database", self.databases.direct

    def is_lower_bound(self, moves: MoveSet) -> bool:
        return all(self.prices.get(move, HIGH) <= moves.cost(move) for move in moves.moves)


def _tiles_feature(puzzle: SlidingTiles, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    match arguments:
        case (str(text),):
            databases = databases_named(puzzle, moves, text)
            # One move may change the value by more than 1; the only known bound is the whole range.
            changes = dict.fromkeys(puzzle.moves, (HIGH, HIGH))
            return DatabaseFeature(
                name=f'pdb("{databases.name}")', low=0, high=HIGH, at_goal=0, changes=changes,
                databases=databases, goal=puzzle.solved, prices=dict.fromkeys(puzzle.moves, 1),
            )  # fmt: skip
    raise FeatureError('one partition of the tiles, such as pdb("7-8")')


def _pieces_feature(puzzle: PermutationPuzzle, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    match arguments:
        case (str(text),):
            databases = databases_named(puzzle, moves, text)
            name = f'pdb("{databases.name}")'
        case (str(text), str(chosen)):
            try:
                moves = puzzle.move_set(chosen, costs=True)
            except (UnknownName, InvalidRequest):
                raise FeatureError(f"a move set of {puzzle.name}: {', '.join(puzzle.move_sets)}, or moves") from None
            databases = databases_named(puzzle, moves, text)
            name = f'pdb("{databases.name}", {quoted(databases.moves.name)})'
        case _:
            orbit = puzzle.orbits[0]
            raise FeatureError(f'orbits and sizes, such as pdb("{orbit.name}:{min(3, orbit.pieces)}")')
    words = _words(puzzle, databases.moves)
    changes = {
        move: (words[move], words[puzzle.inverse(move)]) if databases.changed_by(move) else (0, 0)
        for move in puzzle.moves
    }
    return DatabaseFeature(
        name=name, low=0, high=HIGH, at_goal=0, changes=changes, databases=databases, goal=puzzle.solved,
        prices=words,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _words(puzzle: PermutationPuzzle, moves: MoveSet) -> dict[str, int]:
    """What moves of the set cost that equal each move of the puzzle; HIGH if no move of the set, repeated, equals it.
    Moves are equal if they do the same to every state: what they do to pieces that look alike counts.

    This bounds how much the move lowers the set's distance; the number for its inverse bounds how much it raises it.
    """
    images = dict(zip(puzzle.moves, puzzle.images(puzzle.moves), strict=True))
    reached: dict[bytes, int] = {}
    for move in moves.moves:
        own = power = images[move]
        for count in range(1, HIGH):
            cost = count * moves.cost(move)
            reached[power.tobytes()] = min(cost, reached.get(power.tobytes(), HIGH))
            power = own[power]
            if np.array_equal(power, own):
                break
    return {move: reached.get(image.tobytes(), HIGH) for move, image in images.items()}


def _pieces_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    largest = max(puzzle.orbits, key=lambda orbit: len(puzzle.kinds(orbit)))
    orbit = puzzle.orbits[0] if puzzle.all_different else largest
    first, most = orbit.name, min(3, len(puzzle.kinds(orbit)))
    count = next((count for count in range(most, 1, -1) if puzzle.fits_in_words(orbit, count)), 1)
    alike = "" if puzzle.all_different else "; pieces that look alike count as one, and are all in it or none"
    chosen = " | ".join(f'"{name}"' for name in puzzle.move_sets)
    return {
        f'pdb("{first}:{count}") or pdb("{first}:{count}", {chosen})': (
            "a pattern database: the fewest moves that solve this many pieces of an orbit (corners:2+edges:2: of "
            "several), the maximum over all sets of pieces that symmetries map them to; for the moves of the solve or "
            f"of a move set; computed on first use{alike}"
        )
    }


def _symmetric_docs(puzzle: PermutationPuzzle) -> Mapping[str, str]:
    """The databases that need the inverse of each move."""
    # The default set, and the largest, which has the most symmetries: a look at all of them may take seconds.
    every = dict.fromkeys([puzzle.move_set(None), max(puzzle.move_sets.values(), key=lambda own: len(own.moves))])
    closed = [own for own in every if {puzzle.inverse(move) for move in own.moves} == {*own.moves}]
    found = {}
    if texts := examples(puzzle, closed[0]) if closed else []:
        blocks = "; /2: in two blocks of pieces that are not told apart" if "/" in texts[-1] else ""
        found[" or ".join(f'pdb("{text}")' for text in texts)] = (
            "a database of all pieces of one or more orbits, with one entry for all states that symmetries carry onto "
            f"one another{blocks}; for moves with the inverse of each"
        )
    if any(coset_databases(puzzle, moves) is not None for moves in closed):
        found[f'pdb("{COSETS}")'] = (
            "the fewest moves into a subgroup that is found in the moves, as in Kociemba's algorithm, the maximum over "
            "its images by symmetries; for moves with the inverse of each"
        )
    return found


def _tiles_docs(board: SlidingTiles) -> Mapping[str, str]:
    """The largest patterns of up to six tiles, and blocks of up to three, that there are databases of."""
    tiles = board.cells - 1
    split = ("-".join(map(str, [size] * (tiles // size) + [tiles % size] * (tiles % size > 0))) for size in _SIZES)
    found = _first(board, split), _first(board, (f"blocks:{size}" for size in _SIZES if size <= 3))
    return {signature: meaning for signature, meaning in zip(found, (_OF_SIZES, _OF_BLOCKS), strict=True) if signature}


def _first(board: SlidingTiles, texts: Iterable[str]) -> str | None:
    """The first of these databases that the board has."""
    for text in texts:
        with suppress(FeatureError):
            return databases_named(board, board.move_set(None), text).expression
    return None


#: of patterns that are shown as examples
_SIZES = (6, 5, 4, 3, 2, 1)
_OF_SIZES = (
    "an additive pattern database: the tiles are split in goal order into patterns of these sizes, and looked up for "
    "the board's symmetries too (Korf and Felner 2002); computed on first use"
)
_OF_BLOCKS = "the same for compact blocks of so many tiles, which are stronger on large boards"

OF_PIECES = FeatureKind(PermutationPuzzle, _pieces_docs, _pieces_feature, _symmetric_docs)
OF_TILES = FeatureKind(SlidingTiles, _tiles_docs, _tiles_feature)
