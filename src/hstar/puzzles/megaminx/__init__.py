"""Megaminx: a dodecahedron with 20 corners and 30 edges; a move turns one face by a multiple of 72 degrees."""

from hstar.puzzles.megaminx.geometry import COLOURS, CORNERS, EDGES, FACES, NEIGHBOURS, OPPOSITE
from hstar.puzzles.megaminx.puzzle import Megaminx

__all__ = ["COLOURS", "CORNERS", "EDGES", "FACES", "NEIGHBOURS", "OPPOSITE", "Megaminx"]
