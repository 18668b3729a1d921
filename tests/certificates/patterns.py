"""Certificates with pattern databases, written here: checkers read them, and hstar writes none."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import product

from tests.certificates.container import Claimed, State, put_together, taken_apart
from tests.certificates.mutations import UP

#: a piece: its first slot, the number of its slots, its first value, in how many turns
Piece = tuple[int, int, int, int]
#: where each piece of a pattern is: (slot, turn)
Placed = tuple[tuple[int, int], ...]


def with_patterns(data: bytes, patterns: Sequence[Sequence[Piece]]) -> bytes:
    """The claim of a certificate (kind 1) with another proof: below the sum of these patterns."""
    sections = taken_apart(data)
    claimed = Claimed.of(sections)
    tables = [_table(claimed, pieces) for pieces in patterns]
    heuristic = struct.pack("<HBIH", 1, 2, 1, len(patterns))
    for pieces, table in zip(patterns, tables, strict=True):
        heuristic += struct.pack("<H", len(pieces)) + b"".join(struct.pack("<4H", *piece) for piece in pieces)
        heuristic += struct.pack("<Q", len(table)) + bytes(table.values())

    def h(state: State) -> int:
        return sum(table[_placed(state, pieces)] for pieces, table in zip(patterns, tables, strict=True))

    parts = {tag: sections[tag] for tag in ("META", "PUZL", "CLAM")}
    return put_together([*parts.items(), ("HEUR", heuristic), ("TREE", _tree(claimed, h))])


def _placed(state: State, pieces: Sequence[Piece]) -> Placed:
    found = []
    for first, slots, value, turns in pieces:
        slot = next(at for at in range(first, first + slots) if value <= state[at] < value + turns)
        found.append((slot, state[slot] - value))
    return tuple(found)


def _every(pieces: Sequence[Piece]) -> list[Placed]:
    """All arrangements in the order of their numbers, also those with several pieces in a slot."""
    places = (product(range(first, first + slots), range(turns)) for first, slots, _, turns in pieces)
    return list(product(*places))


def _table(claimed: Claimed, pieces: Sequence[Piece]) -> dict[Placed, int]:
    """The cost of each arrangement, by number, below 256; on boards a move costs nothing if it moves only the blank."""
    blanks = {move.condition[1] for move in claimed.moves if move.condition is not None}
    before: dict[Placed, list[tuple[Placed, int]]] = {}
    order = _every(pieces)
    for placed in order:
        for move in claimed.moves:
            if move.condition is not None and placed[0][0] != move.condition[0]:
                continue
            after, counts = [], not blanks
            for (src, turn), (*_, value, _) in zip(placed, pieces, strict=True):
                dst, _, table = next(touch for touch in move.touches if touch[1] == src)
                after.append((dst, table[value + turn] - value))
                counts |= after[-1] != (src, turn) and value not in blanks
            before.setdefault(tuple(after), []).append((placed, counts * claimed.costs[move.number]))
    goal = _placed(claimed.goal, pieces)
    found, queue = {goal: 0}, [(0, goal)]
    while queue:
        far, placed = heappop(queue)
        for earlier, cost in before.get(placed, ()) if far == found[placed] else ():
            if far + cost < found.get(earlier, 255):
                found[earlier] = far + cost
                heappush(queue, (far + cost, earlier))
    return {placed: found.get(placed, 0) for placed in order}


def _tree(claimed: Claimed, h: object) -> bytes:
    """The states with g + h below the bound, as a tree in depth-first order."""
    assert callable(h)
    assert claimed.bound is not None
    least, parent, queue = {claimed.start: 0}, dict[State, tuple[int, State]](), [(0, claimed.start)]
    while queue:
        g, state = heappop(queue)
        for move, after in claimed.after(state) if g == least[state] else ():
            its_g = g + claimed.costs[move]
            if its_g < least.get(after, claimed.bound) and its_g + h(after) < claimed.bound:
                least[after], parent[after] = its_g, (move, state)
                heappush(queue, (its_g, after))
    children: dict[State, list[tuple[int, State]]] = {}
    for after, (move, state) in parent.items():
        children.setdefault(state, []).append((move, after))
    code = bytearray()

    def visit(state: State) -> None:
        for move, after in children.get(state, ()):
            code.append(move)
            visit(after)
            code.append(UP)

    visit(claimed.start)
    return bytes(code)
