"""Master Pyraminx: a tetrahedron of four layers, 64 facelets; a move turns layers of a corner by 120 degrees."""

from hstar.puzzles.master_pyraminx.geometry import COLOURS
from hstar.puzzles.master_pyraminx.moves import MOVES
from hstar.puzzles.master_pyraminx.puzzle import GROUPS, MasterPyraminx

__all__ = ["COLOURS", "GROUPS", "MOVES", "MasterPyraminx"]
