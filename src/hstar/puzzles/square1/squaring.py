"""From any shape of a Square-1 to layers that are square, and the puzzle of the moves that keep them so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from hstar.puzzles.base import State
from hstar.puzzles.defined import DefinedPuzzle
from hstar.puzzles.definition import read_definition
from hstar.puzzles.permutation import parity
from hstar.puzzles.square1.layers import CORNERS, EDGES, SECONDS, TOP_AND_BOTTOM, cuts, slashed, turned
from hstar.puzzles.square1.puzzle import SLASH, Square1

__all__ = ["inner", "inner_state", "outer_alg", "squared"]

#: turns by a quarter, and slashes with a layer turned by an edge
_INNER = {"T": "(3,0)", "B": "(0,3)", "X": "(1,0) / (-1,0)", "Y": "(0,-1) / (0,1)"}


@cache
def inner() -> DefinedPuzzle:
    """States whose corners and edges are where solved ones are: a puzzle without forbidden moves."""
    square, moves = Square1(), {}
    for name, alg in _INNER.items():
        after = _pieces(square.apply_alg(square.solved, square.parse_alg(alg)))
        moves[name] = {
            orbit: {"permutation": pieces, "orientationDelta": [0] * len(pieces)} for orbit, pieces in after.items()
        }
    orbits = _pieces(square.solved)
    return DefinedPuzzle(read_definition({
        "name": "square1-inside",
        "orbits": [{"orbitName": o, "numPieces": len(own), "numOrientations": 1} for o, own in orbits.items()],
        "defaultPattern": {o: {"pieces": own, "orientation": [0] * len(own)} for o, own in orbits.items()},
        "moves": moves,
    }), held=(None,))  # fmt: skip


def _pieces(square: State) -> dict[str, list[int]]:
    return {
        "CORNERS": [CORNERS.index(square[slot]) for slot in CORNERS],
        "EDGES": [EDGES.index(square[slot]) for slot in EDGES],
        "EQUATOR": [1, 0] if square[24] else [0, 1],
    }


def inner_state(square: State) -> State:
    return bytes(piece for pieces in _pieces(square).values() for piece in pieces)


def outer_alg(puzzle: Square1, alg: Sequence[str]) -> tuple[str, ...]:
    """An alg of `inner` as moves of the Square-1."""
    found: list[str] = []
    for move in alg:
        name, count = inner().names.read(move) or ("", 0)
        found += puzzle.parse_alg(_INNER[name]) * (count % 4)
    return tuple(found)


def squared(puzzle: Square1, start: State, fits: Callable[[State], bool]) -> tuple[tuple[str, ...], State]:
    """The fewest slashes, with turns, that lead to square layers that fit, of pieces with their own names."""
    seen = {_shape(start)}
    layer: list[tuple[State, tuple[str, ...]]] = [(start, ())]
    while layer:
        for state, path in layer:
            if (last := _to_square(state)) is not None and fits(square := turned(state, *last)):
                return path + puzzle.turns_of(*last), square
        found = []
        for state, path in layer:
            for turn in cuts(state):
                after = slashed(turned(state, *turn))
                if (shape := _shape(after)) not in seen:
                    seen.add(shape)
                    found.append((after, (*path, *puzzle.turns_of(*turn), SLASH)))
        layer = found
    raise AssertionError("every shape can be made square, evenly and oddly")


_IS_SECOND = bytes(value in SECONDS for value in range(256))
_RANKS = {piece: rank for rank, piece in enumerate(sorted((*CORNERS, *EDGES)))}


def _shape(state: State) -> tuple[bytes, int]:
    """Where second halves are, and whether the pieces, in their order, are permuted evenly; of layers as they can be
    turned, because a turn is free before a slash."""
    state = turned(state, *(_least(state[begin : begin + 12].translate(_IS_SECOND)) for begin in (0, 12)))
    return state[:24].translate(_IS_SECOND), parity([_RANKS[piece] for piece in state[:24] if piece in _RANKS])


@cache
def _least(layer: bytes) -> int:
    """By how much a layer is turned to look first, in the order of bytes."""
    return min(range(12), key=lambda n: layer[12 - n :] + layer[: 12 - n])


def _to_square(state: State) -> tuple[int, int] | None:
    """Turns of both layers that put corners where they are when solved; None if a layer is not square."""
    found = []
    for begin, firsts in zip((0, 12), TOP_AND_BOTTOM, strict=True):
        own = {place for place in range(12) if state[begin + place] in CORNERS}
        turns = [n for n in range(3) if {(place + n) % 12 for place in own} == firsts]
        if not turns:
            return None
        found.append(turns[0])
    return found[0], found[1]
