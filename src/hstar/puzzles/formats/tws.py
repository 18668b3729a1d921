"""Definitions of twsearch and of ksolve, from which it comes (``.tws``, ``.def``).

    Name cube                      # line by line; # begins a comment
    Set CORNERS 8 3                # an orbit: pieces, orientations
    Solved                         # or StartState, which counts from 0
    CORNERS
    1 2 3 4 5 6 7 8                # the same number: identical pieces
    0 0 0 0 0 0 0 0                # ? : the piece looks the same in every orientation
    End
    Move U                         # or MoveTransformation, which counts from 0
    CORNERS
    4 1 2 3 5 6 7 8                # the slot whose piece comes to this one
    0 0 0 0 0 0 0 0                # what piece 1, 2 ... gains; of MoveTransformation: what comes to slot 0 ...
    End
    MoveAlias V U                  # another name of a move
    MoveSequence A U V'            # a move by others
    Illegal CORNERS 3 1 2          # no move leads to a state with one of these pieces (from 1) in slot 3 (from 1)

Source: docs/architecture.md of github.com/cubing/twsearch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hstar.errors import Fault, InvalidRequest
from hstar.puzzles.formats.generators import drop_powers

__all__ = ["read_tws"]

#: commands that restrict the states in ways that a KPuzzle cannot express
_UNSUPPORTED = {"Block", "ForbiddenPairs", "ForbiddenGroups", "MoveLimits", "Ignore"}


_ROTATION = re.compile(r"[A-Z_]+v|[xyz][2']?")


class _Reader:
    def __init__(self, text: str) -> None:
        self.faults: list[Fault] = []
        self.orbits: dict[str, tuple[int, int]] = {}
        self.value: dict[str, Any] = {"orbits": [], "defaultPattern": {}, "moves": {}, "derivedMoves": {}}
        self.illegal: list[tuple[str, int, int]] = []
        self._numbers_of: dict[str, list[int]] = {}
        self._lines = self._tokens(text)
        self.number = 0

    def _tokens(self, text: str) -> Iterator[list[str]]:
        for self.number, line in enumerate(text.splitlines(), start=1):
            tokens = line.partition("#")[0].split()
            if tokens:
                yield tokens

    def fault(self, text: str) -> None:
        self.faults.append(Fault(f"line {self.number}", text))

    def read(self) -> dict[str, Any]:
        solved = False
        for tokens in self._lines:
            command, values = tokens[0], tokens[1:]
            if command == "Name":
                self.value["name"] = "-".join(values)
            elif command == "Set":
                self._set(values)
            elif command in ("Solved", "StartState"):
                solved = True
                self._solved(self._block(), 0 if command == "StartState" else 1)
            elif command in ("Move", "MoveTransformation"):
                self._move(values, self._block(), command == "MoveTransformation")
            elif command in ("MoveAlias", "MoveSequence") and len(values) >= 2:
                self.value["derivedMoves"][values[0]] = " ".join(values[1:])
            elif command == "Illegal":
                self._illegal(values)
            elif command in _UNSUPPORTED:
                self.fault(f"{command} is not supported")
            elif command != "SwizzleSet":  # only about printing
                self.fault(f"unknown command {command!r:.40}")
        if not solved:
            self._solved({}, 1)
        if self.faults:
            raise InvalidRequest("this is not a definition of twsearch", self.faults)
        drop_powers(self.value)
        if self.illegal:
            self._forbid()
        return self.value

    def _illegal(self, values: list[str]) -> None:
        numbers = [int(v) for v in values[1:] if v.isascii() and v.isdigit() and 0 < int(v[:6]) < 10**5]
        if len(values) < 3 or len(numbers) < len(values) - 1 or values[0] not in self.orbits:
            self.fault("expected Illegal SET POSITION PIECE ..., after the sets")
        elif numbers[0] > self.orbits[values[0]][0]:
            self.fault(f"{values[0]} has no position {numbers[0]}")
        else:
            self.illegal += [(values[0], numbers[0] - 1, piece - 1) for piece in numbers[1:]]

    def _forbid(self) -> None:
        """No move before or after which an illegal state would be. Rotations are no moves there, and are left out."""
        found: dict[str, dict[str, list[int]]] = {}
        for orbit, slot, number in self.illegal:
            own = self._numbers_of[orbit]
            if number in own:
                piece = self.value["defaultPattern"][orbit]["pieces"][own.index(number)]
                found.setdefault(orbit, {}).setdefault(str(slot), []).append(piece)
        self.value["moves"] = {name: m for name, m in self.value["moves"].items() if not _ROTATION.fullmatch(name)}
        self.value["hstar"] = {"forbidden": dict.fromkeys(self.value["moves"], found)}

    def _set(self, values: list[str]) -> None:
        if len(values) != 3 or not all(v.isascii() and v.isdigit() and len(v) < 6 for v in values[1:]):
            self.fault("expected Set NAME PIECES ORIENTATIONS")
        elif values[0] in self.orbits:
            self.fault(f"there are two sets {values[0]}")
        else:
            pieces, orientations = int(values[1]), int(values[2])
            self.orbits[values[0]] = pieces, orientations
            orbit = {"orbitName": values[0], "numPieces": pieces, "numOrientations": orientations}
            self.value["orbits"].append(orbit)

    def _block(self) -> dict[str, list[list[int | None]]]:
        """The rows of numbers of each set, until End; a ? is None."""
        rows: dict[str, list[list[int | None]]] = {}
        own: list[list[int | None]] | None = None
        for tokens in self._lines:
            if tokens[0] == "End":
                return rows
            if tokens[0] == "?" or tokens[0].isdigit():
                if own is None or len(own) == 2:
                    self.fault("a row of numbers belongs to no set")
                elif all(t == "?" or (t.isascii() and t.isdigit() and len(t) < 6) for t in tokens):
                    own.append([None if t == "?" else int(t) for t in tokens])
                else:
                    self.fault("expected integers")
            elif tokens[0] in self.orbits and tokens[0] not in rows:
                own = rows[tokens[0]] = []
            else:
                self.fault(f"{tokens[0]!r:.40} is not a set, or is here twice")
                own = []
        self.fault("the file ends before End")
        return rows

    def _numbers(self, rows: list[list[int | None]], pieces: int) -> tuple[list[int | None], list[int | None]] | None:
        """Both rows of a set; zeros for the second if it is left out."""
        if not rows or any(len(row) != pieces for row in rows):
            self.fault(f"expected one or two rows of {pieces} numbers before this line")
            return None
        return rows[0], rows[1] if len(rows) > 1 else [0] * pieces

    def _solved(self, block: dict[str, list[list[int | None]]], first: int) -> None:
        for name, (pieces, orientations) in self.orbits.items():
            both = self._numbers(block[name], pieces) if name in block else (list(range(first, pieces + first)), [])
            if both is None:
                continue
            numbers, turned = both
            if None in numbers:
                self.fault(f"{name}: expected integers in the first row")
                continue
            own: dict[str, Any] = {
                "pieces": _compact(self._numbers_of.setdefault(name, [n - first for n in numbers if n is not None])),
                "orientation": [n or 0 for n in turned] or [0] * pieces,
            }
            if None in turned and orientations > 1:
                own["orientationMod"] = [1 if n is None else 0 for n in turned]
            self.value["defaultPattern"][name] = own

    def _move(self, values: list[str], block: dict[str, list[list[int | None]]], transformation: bool) -> None:
        if len(values) != 1 or values[0] in self.value["moves"]:
            self.fault("expected Move NAME, each name once")
            return
        move: dict[str, Any] = {}
        for name, rows in block.items():
            pieces = self.orbits[name][0]
            both = self._numbers(rows, pieces)
            if both is None:
                continue
            if None in both[0] or None in both[1]:
                self.fault(f"{name}: a move cannot have ?")
                continue
            numbers = [(n or 0) - (0 if transformation else 1) for n in both[0]]
            gained = [n or 0 for n in both[1]]
            if sorted(numbers) != list(range(pieces)):
                self.fault(f"move {values[0]}: expected each of the {pieces} numbers of {name} once")
                continue
            move[name] = {
                "permutation": numbers,
                "orientationDelta": gained if transformation else [gained[source] for source in numbers],
            }
        self.value["moves"][values[0]] = move


def _compact(pieces: list[int]) -> list[int]:
    """Pieces by the numbers of their slots, if all are different; else numbered from 0 in their order."""
    ranks = {piece: rank for rank, piece in enumerate(sorted(set(pieces)))}
    return list(range(len(pieces))) if len(ranks) == len(pieces) else [ranks[piece] for piece in pieces]


def read_tws(text: str) -> dict[str, Any]:
    """The JSON value of the KPuzzle that a definition of twsearch is.

    :raises InvalidRequest: it cannot be parsed; has all faults, each with its line
    """
    return _Reader(text).read()
