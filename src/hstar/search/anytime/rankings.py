"""How beams over boards compare states: estimates of the distance, learned from solutions, which are no lower bounds.

Each pair of tiles has a weight that depends on how the two lie to each other, now and at the goal, wherever on the
board that is. So the weights are those of any board; offsets of more than five rows or columns count as five.
`tools.tile_pairs` learns them.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hstar import _kernel
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.search.method import Constants

__all__ = ["FARTHEST", "RANKINGS", "Ranking", "kernel_ranking"]

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


@lru_cache(maxsize=1)
def _weights() -> Weights:
    """By the offset (rows, columns) between the goal cells of two tiles, and the one between their cells."""
    data = zlib.decompress(files("hstar.search.anytime").joinpath("pairs.zlib").read_bytes())
    return np.frombuffer(data, np.int8).reshape((2 * FARTHEST + 1,) * 4)


@lru_cache(maxsize=64)
def kernel_ranking(puzzle: SlidingTiles, ranking: Ranking) -> _kernel.TileRanking:
    """The ranking for one board."""
    pairs = b""
    if ranking.pairs:
        rows, columns = (
            np.clip(np.arange(1 - size, size), -FARTHEST, FARTHEST) + FARTHEST for size in (puzzle.rows, puzzle.columns)
        )
        weights = _weights()[np.ix_(rows, columns, rows, columns)]
        pairs = np.rint(ranking.pairs * weights).astype(np.int8).tobytes()
    return _kernel.TileRanking(
        puzzle.kernel, manhattan=round(_UNIT * ranking.manhattan), excess=round(_UNIT * ranking.excess), pairs=pairs
    )
