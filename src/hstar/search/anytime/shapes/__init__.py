"""Puzzles with forbidden moves, solved by way of the shapes that their states have.

The *shape* of a state tells which moves are forbidden: in which slots pieces are that some condition names. Where all
shapes are few, moves lead from the start to the shape of the goal. Then *loops* solve the pieces: words that lead from
that shape back to it. Whether a loop can be made does not depend on the pieces, so loops are a group, which has the
methods of puzzles without forbidden moves. As in Schreier's lemma all of them are products of these: to a shape along a
tree, one move, and back along the tree.
"""

from hstar.search.anytime.shapes.inside import Inside, ways_of
from hstar.search.anytime.shapes.shortcuts import shortened

__all__ = ["Inside", "shortened", "ways_of"]
