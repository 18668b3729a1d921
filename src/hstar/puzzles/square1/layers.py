"""The layers of a Square-1 as they are when its solved shape is a cube: where corners are, turns, and the slash.

Slots 0 to 11 are the upper layer, clockwise seen from above, 12 to 23 the lower one, clockwise seen from below, as in
cubing.js. A corner takes two of them, and its halves are numbered one after the other. The cuts are before slots 0 and
6 of each layer. The last number of a state is 1 while the right half of the equator is turned over.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations

__all__ = [
    "CORNERS",
    "EDGES",
    "FIRSTS",
    "SECONDS",
    "following",
    "layers",
]

#: where the first halves of corners are when solved
FIRSTS = frozenset((0, 3, 6, 9, 13, 16, 19, 22))
SECONDS = frozenset(piece + 1 for piece in FIRSTS)
CORNERS, EDGES = sorted(FIRSTS), sorted(set(range(24)) - FIRSTS - SECONDS)


def following(slot: int) -> int:
    """The next slot of the layer, clockwise."""
    return slot - slot % 12 + (slot + 1) % 12


@cache
def layers() -> list[tuple[frozenset[int], frozenset[int]]]:
    """The places of the first halves of corners in both layers, in every way in which there is room for eight."""
    fitting = [
        places
        for count in range(7)
        for places in map(frozenset, combinations(range(12), count))
        if not any(following(place) in places for place in places)
    ]
    return [(top, bottom) for top in fitting for bottom in fitting if len(top) + len(bottom) == 8]
