"""Group theory of puzzles: orders, orbits, blocks, membership, and uniformly random elements and states.

>>> group_order([[1, 2, 0, 3], [1, 0, 2, 3]])
6
>>> orbits([[1, 2, 0, 3], [1, 0, 2, 3]])
[[0, 1, 2], [3]]

`permutation_group` is about permutations, `states` about puzzles.
"""

from hstar.groups.permutation_group import PermutationGroup, block_systems, group_order, orbits
from hstar.groups.states import puzzle_group, random_state

__all__ = ["PermutationGroup", "block_systems", "group_order", "orbits", "puzzle_group", "random_state"]
