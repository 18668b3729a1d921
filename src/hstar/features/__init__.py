"""Features: integers measured on a state, from which heuristics are written. A new one is one module and one line.

>>> make_feature(get_puzzle("megaminx"), "misplaced_pieces", ("edges",)).evaluate(state)          # doctest: +SKIP

`base` defines features and what is known about them, `registry` how a module of features describes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from hstar.errors import UnknownFeature
from hstar.features import databases, facelets, functions, gaps, piece_moves, pieces, solved, tiles
from hstar.features.base import Feature
from hstar.features.registry import Arguments, FeatureKind
from hstar.puzzles.base import MoveSet, Puzzle

__all__ = ["Feature", "describe", "feature_docs", "make_feature"]

#: every kind of feature, in the order in which a puzzle's features are listed
KINDS: tuple[FeatureKind, ...] = (
    facelets.MISPLACED,
    facelets.FACE_DISTANCE,
    facelets.OUT_OF_PLACE,
    facelets.GROUPS,
    pieces.MISPLACED,
    piece_moves.MOVES,
    tiles.TILES,
    gaps.GAPS,
    databases.OF_PIECES,
    databases.OF_TILES,
    solved.SOLVED,
)


def make_feature(puzzle: Puzzle, name: str, arguments: Arguments = (), moves: MoveSet | None = None) -> Feature:
    """The feature ``name(arguments)`` of a puzzle.

    :param moves: the moves of the solve, which databases depend on; the puzzle's default moves if None
    :raises UnknownFeature: the puzzle has none of this name
    :raises FeatureError: the arguments are wrong; `UnavailableFeature`, a subclass, if no arguments would be right
    """
    if name == functions.NAME:  # in no list: which there are depends on the process
        return functions.of_puzzle(puzzle, arguments)
    kind = _kinds(puzzle).get(name)
    if kind is None:
        raise UnknownFeature(name, _kinds(puzzle))
    return kind.make(puzzle, moves or puzzle.move_set(None), name, arguments)


def feature_docs(puzzle: Puzzle) -> dict[str, str]:
    """Signature and meaning of each feature of a puzzle, by signature."""
    return {signature: meaning for kind in KINDS for signature, meaning in kind.docs_of(puzzle).items()}


def describe(puzzle: Puzzle) -> dict[str, Any]:
    """The description of a puzzle and its features, as values for JSON."""
    return puzzle.describe() | {"features": feature_docs(puzzle)}


@lru_cache(maxsize=128)
def _kinds(puzzle: Puzzle) -> Mapping[str, FeatureKind]:
    """The kind of each feature of a puzzle, by the feature's name."""
    return {name: kind for kind in KINDS for name in kind.names_of(puzzle)}
