"""Certificates taken apart and put together, for mutations: sections by tag, and the puzzle and the claim of a file.

This reads only files that hstar has written, or that differ from these in a known way; the checkers read anything.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from heapq import heappop, heappush

State = tuple[int, ...]


def taken_apart(data: bytes) -> dict[str, bytes]:
    """The payload of each section, in order."""
    (count,) = struct.unpack_from("<I", data, 12)
    at, found = 16, {}
    for _ in range(count):
        tag, _, size = struct.unpack_from("<4sIQ", data, at)
        found[tag.decode("ascii")] = data[at + 16 : at + 16 + size]
        at += 16 + size
    assert at + 32 == len(data)
    return found


def put_together(
    sections: Sequence[tuple[str | bytes, bytes]], version: int | None = None, count: int | None = None
) -> bytes:
    """A file of these sections, with the right digest; by default of the version that its puzzle has."""
    if version is None:
        version = 3 if any(tag in ("PUZL", b"PUZL") and costs_of(payload) for tag, payload in sections) else 2
    head = b"hstarcrt" + struct.pack("<II", version, len(sections) if count is None else count)
    named = ((tag.encode() if isinstance(tag, str) else tag, payload) for tag, payload in sections)
    body = b"".join(struct.pack("<4sIQ", tag, 0, len(payload)) + payload for tag, payload in named)
    return sealed(head + body)


def cases_of(puzzle: bytes) -> Iterator[int]:
    """Where each case of a puzzle begins."""
    slots, moves, maps, cases = struct.unpack_from("<4H", puzzle)
    at = 8 + 4 * slots
    for _ in range(moves):
        at += 1 + puzzle[at]
    for _ in range(maps):
        at += 2 + 2 * struct.unpack_from("<H", puzzle, at)[0]
    for _ in range(cases):
        yield at
        at += case_size(slots)


def costs_of(puzzle: bytes) -> bytes:
    """What follows the cases of a puzzle: what its moves cost, or nothing."""
    try:
        (slots,) = struct.unpack_from("<H", puzzle)
        return puzzle[max(cases_of(puzzle)) + case_size(slots) :]
    except (ValueError, IndexError, struct.error):  # it is no puzzle
        return b""


def sealed(data: bytes) -> bytes:
    """The same with its digest."""
    return data + sha256(data).digest()


@dataclass(frozen=True)
class Move:
    """A case of a move: its condition, and what it does to slots."""

    number: int
    condition: tuple[int, int] | None
    touches: tuple[tuple[int, int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Claimed:
    """A puzzle and a claim about it, read from the sections. ``costs``: by move."""

    values: tuple[int, ...]
    goal: State
    moves: tuple[Move, ...]
    kind: int
    start: State
    bound: int | None
    path: tuple[int, ...]
    costs: tuple[int, ...]

    @classmethod
    def of(cls, sections: dict[str, bytes]) -> Claimed:
        """The puzzle and the claim, of kinds 1 to 5, 7 (without its end) and 8."""
        puzzle = sections["PUZL"]
        slots, moves, maps, cases = struct.unpack_from("<4H", puzzle)
        values = struct.unpack_from(f"<{slots}H", puzzle, 8)
        goal = struct.unpack_from(f"<{slots}H", puzzle, 8 + 2 * slots)
        at = 8 + 4 * slots
        for _ in range(moves):
            at += 1 + puzzle[at]
        tables = []
        for _ in range(maps):
            (size,) = struct.unpack_from("<H", puzzle, at)
            tables.append(struct.unpack_from(f"<{size}H", puzzle, at + 2))
            at += 2 + 2 * size
        found = []
        for _ in range(cases):
            move, conditioned, slot, value = struct.unpack_from(CASE, puzzle, at)
            numbers = struct.unpack_from(f"<{2 * slots}H", puzzle, at + struct.calcsize(CASE))
            at += case_size(slots)
            own = tuple((numbers[src], src, tables[numbers[slots + src]]) for src in range(slots))
            found.append(Move(move, (slot, value) if conditioned else None, own))
        claim = sections["CLAM"]
        start = struct.unpack_from(f"<{slots}H", claim, 1)
        rest, bound, path = claim[1 + 2 * slots :], None, b""
        if claim[0] in (1, 2):
            (bound,) = struct.unpack_from("<I", rest)
            rest = rest[4:]
        if claim[0] in (1, 4, 5, 8):
            path = rest[4:]
        costs = tuple(costs_of(puzzle)) or (1,) * moves
        return cls(values, goal, tuple(found), claim[0], start, bound, tuple(path), costs)

    @property
    def length(self) -> int:
        """What the claim's path costs."""
        return sum(self.costs[move] for move in self.path)

    def after(self, state: State) -> list[tuple[int, State]]:
        """(move, state after it) for each move that can be made."""
        found = []
        for move in self.moves:
            if move.condition is None or state[move.condition[0]] == move.condition[1]:
                held = list(state)
                for dst, src, table in move.touches:
                    held[dst] = table[state[src]]
                found.append((move.number, tuple(held)))
        return found

    def distance(self, most: int = 200_000) -> int | None:
        """What the cheapest moves from the start to the goal cost, by Dijkstra's algorithm; None: there is no way.

        :raises MemoryError: more states than ``most``
        """
        least, queue = {self.start: 0}, [(0, self.start)]
        while queue:
            g, state = heappop(queue)
            if state == self.goal:
                return g
            for move, after in self.after(state) if g == least[state] else ():
                if g + self.costs[move] < least.get(after, g + self.costs[move] + 1):
                    least[after] = g + self.costs[move]
                    heappush(queue, (least[after], after))
            if len(least) > most:
                raise MemoryError
        return None

    def end_of_path(self) -> State | None:
        """Where the claim's path leads from the start; None: a move cannot be made."""
        state = self.start
        for move in self.path:
            state = dict(self.after(state)).get(move, ())
            if not state:
                return None
        return state


#: how a case begins: move, conditioned, slot, value; then come where each slot goes, and its map
CASE = "<4H"


def case_size(slots: int) -> int:
    """The bytes of a case."""
    return struct.calcsize(CASE) + 4 * slots
