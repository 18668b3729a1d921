"""How beams over boards compare states: estimates of the distance, learned from solutions, which are no lower bounds.

Each pair of tiles has a weight. Square boards of some sides have weights by where the two are at the goal and now;
those that symmetries of the board map to one another are equal, and those of a state and its inverse, which are equally
far (`tools.cell_pairs` learns them). On other boards a weight depends on how the two lie to each other, now and at the
goal, wherever on the board that is; offsets of more than five rows or columns count as five (`tools.tile_pairs`).
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import product
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hstar import _kernel
from hstar.polling import poll
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.method import Constants

__all__ = [
    "BY_CELLS",
    "FARTHEST",
    "RANKINGS",
    "Ranking",
    "by_cells",
    "cell_classes",
    "kernel_ranking",
    "rankings_of",
    "weights_file",
]

#: the farthest offset, in rows or columns, that has weights of its own
FARTHEST = 5
#: parts of a move
_UNIT = 16

Weights = np.ndarray[tuple[int, ...], np.dtype[Any]]


class Ranking(Constants):
    """What counts how much: a move of the ``manhattan`` distance, one of the ``excess`` of databases beyond it, and the
    weights of ``pairs``, which are bytes."""

    manhattan: Annotated[float, Field(ge=0, le=100)] = 1.3
    excess: Annotated[float, Field(ge=0, le=100)] = 1.5
    pairs: Annotated[float, Field(ge=0, le=10)] = 1.0


#: in the order in which they are tried. Their errors differ, so together they find shorter solutions than the best one
#: does with as many states
RANKINGS = (
    Ranking(manhattan=1.3, excess=1.5, pairs=1.0),
    Ranking(manhattan=1.15, excess=1.5, pairs=0.5),
    Ranking(manhattan=1.0, excess=1.25, pairs=0.0),
    Ranking(manhattan=1.15, excess=1.25, pairs=0.5),
    Ranking(manhattan=1.0, excess=1.5, pairs=0.0),
)
#: that of boards with weights by cells, where one beam that is wider finds shorter solutions than several rankings
BY_CELLS = (Ranking(manhattan=1.3, excess=0.85, pairs=1.0),)


@lru_cache(maxsize=1)
def _weights() -> Weights:
    """By the offset (rows, columns) between the goal cells of two tiles, and the one between their cells."""
    data = zlib.decompress(files("hstar.search.anytime").joinpath("pairs.zlib").read_bytes())
    return np.frombuffer(data, np.int8).reshape((2 * FARTHEST + 1,) * 4)


def weights_file(side: int) -> Traversable:
    """The weights by cells of a square board; there may be none."""
    return files("hstar.search.anytime").joinpath(f"pairs-{side}.zlib")


def by_cells(puzzle: SlidingTiles) -> bool:
    """Whether the board has weights by cells."""
    return puzzle.rows == puzzle.columns and weights_file(puzzle.rows).is_file()


def rankings_of(puzzle: SlidingTiles) -> tuple[Ranking, ...]:
    return BY_CELLS if by_cells(puzzle) else RANKINGS


@lru_cache(maxsize=1)
def cell_classes(side: int) -> tuple[Weights, int]:
    """The class of two tiles of a square board, by their goal cells and their cells, and how many classes there are.

    :raises Stopped: polled; takes half a second on seven rows
    """
    cells = side**2
    rows, columns = np.divmod(np.arange(cells, dtype=np.int32), side)
    least = None
    for flip, mirror, turn in product((False, True), repeat=3):
        row, column = side - 1 - rows if flip else rows, side - 1 - columns if mirror else columns
        image = column * side + row if turn else row * side + column
        here, there = np.ix_(image, image)
        pair = (here * cells + there).ravel()
        for own in (pair, (there * cells + here).ravel()):
            for number in (own[:, None] * cells**2 + own, own[:, None] + own * cells**2):
                poll()
                least = number if least is None else np.minimum(least, number, out=least)
    assert least is not None
    poll()
    first = least.ravel() == np.arange(least.size)
    return (np.cumsum(first, dtype=np.int32) - 1)[least].reshape((cells,) * 4), int(first.sum())


def _pairs(puzzle: SlidingTiles) -> Weights:
    """The weights, by the goal cells of two tiles and their cells."""
    if by_cells(puzzle):
        weights = np.frombuffer(zlib.decompress(weights_file(puzzle.rows).read_bytes()), np.int8)
        return np.asarray(weights[cell_classes(puzzle.rows)[0]])
    row, column = np.divmod(np.arange(puzzle.cells), puzzle.columns)
    rows, columns = (np.clip(at - at[:, None], -FARTHEST, FARTHEST) + FARTHEST for at in (row, column))
    return np.asarray(_weights()[rows[:, :, None, None], columns[:, :, None, None], rows, columns])


@lru_cache(maxsize=8)
def kernel_ranking(puzzle: SlidingTiles, ranking: Ranking) -> _kernel.TileRanking:
    """The ranking for one board."""
    pairs = np.rint(ranking.pairs * _pairs(puzzle)).astype(np.int8).tobytes() if ranking.pairs else b""
    poll()
    return _kernel.TileRanking(
        puzzle.kernel, manhattan=round(_UNIT * ranking.manhattan), excess=round(_UNIT * ranking.excess), pairs=pairs
    )
