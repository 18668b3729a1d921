"""Sliding tiles: m x n cells, one blank, any goal board."""

from hstar.puzzles.sliding_tiles.puzzle import DIRECTIONS, MAX_CELLS, SlidingTiles, board

__all__ = ["DIRECTIONS", "MAX_CELLS", "SlidingTiles", "board"]
