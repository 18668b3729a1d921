"""The layers of a Square-1 as they are when its solved shape is a cube: where corners are, turns, and the slash.

Slots 0 to 11 are the upper layer, clockwise seen from above, 12 to 23 the lower one, clockwise seen from below, as in
cubing.js. A corner takes two of them, and its halves are numbered one after the other. The cuts are before slots 0 and
6 of each layer. The last number of a state is 1 while the right half of the equator is turned over.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from hstar.puzzles.base import State

__all__ = [
    "CORNERS",
    "EDGES",
    "FIRSTS",
    "SECONDS",
    "TOP_AND_BOTTOM",
    "cuts",
    "following",
    "layers",
    "slashed",
    "turned",
]

#: where the first halves of corners are when solved, in the upper and in the lower layer, from 0 in each
TOP_AND_BOTTOM = frozenset((0, 3, 6, 9)), frozenset((1, 4, 7, 10))
FIRSTS = TOP_AND_BOTTOM[0] | {12 + place for place in TOP_AND_BOTTOM[1]}
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


def turned(state: State, up: int, down: int) -> State:
    top, bottom = state[:12], state[12:24]
    up, down = -up % 12, -down % 12
    return top[up:] + top[:up] + bottom[down:] + bottom[:down] + state[24:]


def slashed(state: State) -> State:
    return state[:6] + state[12:18] + state[6:12] + state[18:24] + bytes([1 - state[24]])


def cuts(state: State) -> Iterator[tuple[int, int]]:
    """The turns of both layers after which the slash can be made."""
    ups, downs = (
        [n for n in range(12) if not {state[begin + -n % 12], state[begin + (6 - n) % 12]} & SECONDS]
        for begin in (0, 12)
    )
    return ((up, down) for up in ups for down in downs)
