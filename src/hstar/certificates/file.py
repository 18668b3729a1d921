"""Files of certificates: sections with a tag, as docs/certificate-format.md describes them.

    writer = Writer(file)
    writer.puzzle(puzzle, moves)
    writer.section("CLAM", claim)
    writer.close()

Payloads are kept until the end and not copied, because the number of sections comes first in a file.
"""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from hashlib import sha256
from typing import BinaryIO, Literal

from hstar import __version__
from hstar.puzzles import MoveSet, Puzzle

__all__ = ["MAGIC", "MOST_OF_TABLES", "Payload", "Refused", "Why", "Writer", "numbers_of", "puzzle_section"]

#: bytes that are not copied: of an array its ``data``
Payload = bytes | memoryview

MAGIC = b"hstarcrt"
#: where each move costs 1, and where they have costs
VERSION, WITH_COSTS = 2, 3
#: most moves of a puzzle in a file, slots, values of a slot, and bytes of a name
MOST_MOVES, MOST_SLOTS, MOST_VALUES, MOST_NAME = 254, 512, 1024, 255
#: what checkers take of cases times the values of all slots; and of that times one more than the tables of a heuristic
MOST_NUMBERS, MOST_OF_TABLES = 1 << 20, 1 << 21

#: files of so many bytes are put together in memory: that is faster than to write and digest each part
SMALL = 1 << 20

#: why there is no certificate: nothing is proven, the checker knows no argument for the heuristic, and so on
Why = Literal[
    "not_proven",
    "no_witness",
    "heuristic",
    "too_large",
    "too_deep",
    "too_many_moves",
    "wide",
    "forbidden",
    "database",
]


class Refused(Exception):
    """No certificate can be made. The text is a sentence for users, ``code`` a word for programs."""

    def __init__(self, code: Why, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Writer:
    """Collects the sections of a file, and writes it.

    :param most_bytes: the most that the file may have
    """

    def __init__(self, destination: BinaryIO, most_bytes: int | None = None) -> None:
        self._destination = destination
        self._most = most_bytes
        self._version = VERSION
        self._sections: list[tuple[str, list[memoryview]]] = []

    def section(self, tag: str, *payloads: Payload) -> None:
        """Add a section: what these hold, one after the other."""
        self._sections.append((tag, [memoryview(payload).cast("B") for payload in payloads]))

    def meta(self, **fields: object) -> None:
        """Add what is for people only, as JSON."""
        self.section("META", json.dumps({"hstar": __version__} | fields).encode())

    def puzzle(self, puzzle: Puzzle, moves: MoveSet) -> None:
        """Add the puzzle with these moves; if they have costs, the file has these, and another version."""
        self._version = WITH_COSTS if moves.costs else VERSION
        self.section("PUZL", puzzle_section(puzzle, moves))

    def close(self) -> int:
        """Write the file; its size in bytes.

        :raises Refused: it would be larger than allowed; nothing is written
        """
        sizes = [sum(part.nbytes for part in payloads) for _, payloads in self._sections]
        size = 16 + sum(16 + own for own in sizes) + 32
        if self._most is not None and size > self._most:
            raise Refused("too_large", f"it would have {size:,} bytes, and at most {self._most:,} are allowed")
        parts: list[Payload] = [MAGIC + struct.pack("<II", self._version, len(self._sections))]
        for (tag, payloads), own in zip(self._sections, sizes, strict=True):
            parts += [struct.pack("<4sIQ", tag.encode("ascii"), 0, own), *payloads]
        digest = sha256()
        for part in [b"".join(parts)] if size <= SMALL else parts:
            digest.update(part)
            self._destination.write(part)
        self._destination.write(digest.digest())
        return size


@lru_cache(maxsize=16)
def numbers_of(puzzle: Puzzle, moves: MoveSet) -> int:
    """How many numbers say what the moves do: the cases times the values of all slots.

    :raises Refused: a file cannot have these moves of this puzzle, or a checker does not take it
    """
    if puzzle.forbids:
        raise Refused("forbidden", "in a file every move of pieces can be made in every state")
    if len(moves.moves) > MOST_MOVES:
        raise Refused(
            "too_many_moves", f"{moves.name} has {len(moves.moves)} moves, and a file has at most {MOST_MOVES}"
        )
    if len(puzzle.values) > MOST_SLOTS or max(puzzle.values) > MOST_VALUES:
        raise Refused("wide", f"a file has at most {MOST_SLOTS} slots, with {MOST_VALUES:,} values each")
    found = sum(len(list(puzzle.cases(move))) for move in moves.moves) * sum(puzzle.values)
    if found > MOST_NUMBERS:
        raise Refused(
            "wide", f"{puzzle.name} with the moves {moves.name} is too large for a certificate: {found:,} numbers say "
            f"what the moves do, and a checker takes {MOST_NUMBERS:,}",
        )  # fmt: skip
    return found


@lru_cache(maxsize=16)
def puzzle_section(puzzle: Puzzle, moves: MoveSet) -> bytes:
    """The section ``PUZL``: slots, the goal, what each move does, and what it costs.

    :raises Refused: see `numbers_of`
    """
    numbers_of(puzzle, moves)
    slots = range(len(puzzle.values))
    maps = {tuple(range(count)): number for number, count in enumerate(dict.fromkeys(puzzle.values))}
    cases = []
    for number, move in enumerate(moves.moves):
        for condition, touches in puzzle.cases(move):
            goes, used = list(slots), [maps[tuple(range(count))] for count in puzzle.values]
            for dst, src, mapped in touches:
                goes[src], used[src] = dst, maps.setdefault(tuple(mapped), len(maps))
            cases.append(_u16(number, condition is not None, *(condition or (0, 0)), *goes, *used))
    names = [move.encode()[:MOST_NAME].decode(errors="ignore").encode() for move in moves.moves]
    parts = [
        _u16(len(puzzle.values), len(names), len(maps), len(cases)),
        _u16(*puzzle.values, *puzzle.contents(puzzle.solved)),
        *(bytes([len(name)]) + name for name in names),
        *(_u16(len(m), *m) for m in maps),
        *cases,
        bytes(moves.costs),
    ]
    return b"".join(parts)


def _u16(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}H", *values)
