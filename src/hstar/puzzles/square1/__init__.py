"""The Square-1."""

from hstar.puzzles.square1.puzzle import Square1

__all__ = ["Square1"]
