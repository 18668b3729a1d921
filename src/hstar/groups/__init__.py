"""Group theory of permutations: orders, orbits, blocks, membership, and uniformly random elements.

>>> group_order([[1, 2, 0, 3], [1, 0, 2, 3]])
6
>>> orbits([[1, 2, 0, 3], [1, 0, 2, 3]])
[[0, 1, 2], [3]]

The group of a puzzle is `hstar.puzzles.permutation.PermutationPuzzle.group`.
"""

from hstar.groups.permutation_group import PermutationGroup, block_systems, group_order, orbits

__all__ = ["PermutationGroup", "block_systems", "group_order", "orbits"]
