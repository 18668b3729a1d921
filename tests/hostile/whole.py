"""Whole spaces of up to some millions of states as arrays, searched breadth-first from what the moves do to slots.

Nothing here uses hstar. A state is a row of codes, one for each slot: the piece's number times its orbit's orientations
plus its orientation; of a board the tile in each cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.uint8]
Integers = NDArray[np.int64]
FAR = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Whole:
    """All states, sorted by their codes, and where each move leads.

    :param rows: uint8, shape (states, slots)
    :param after: by move, the number of the state after it (int64, shape (states,)); -1 where it is not possible
    """

    rows: Rows
    after: Mapping[str, Integers]
    solved: int

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def states(self) -> list[bytes]:
        return [row.tobytes() for row in self.rows]

    def distances(self, moves: Sequence[str], goals: NDArray[np.bool_] | None = None) -> Integers:
        """By state, how many of these moves it is from solved, or from any of the goals; FAR if they do not lead
        there."""
        found = np.full(len(self), FAR, dtype=np.int64)
        if goals is None:
            found[self.solved] = 0
        else:
            found[goals] = 0
        depth = 0
        while (found == depth).any():
            depth += 1
            nearer = np.zeros(len(self), dtype=bool)
            for move in moves:
                there = self.after[move]
                nearer |= (there >= 0) & (found[there] == depth - 1)
            found[nearer & (found == FAR)] = depth
        return found

    def reached(self, moves: Sequence[str]) -> NDArray[np.bool_]:
        """By state, whether these moves lead there from solved."""
        seen = np.zeros(len(self), dtype=bool)
        todo = np.array([self.solved])
        while len(todo):
            seen[todo] = True
            found = np.concatenate([self.after[move][todo] for move in moves])
            todo = np.unique(found[~seen[found]])
        return seen


def of_definition(definition: Mapping[str, Any], generating: Sequence[str] | None = None) -> Whole:
    """The states that moves of a KPuzzle reach, whose pieces are all different. Of each move all powers are moves:
    ``U``, ``U2``, ``U'`` ...

    :param generating: the moves that reach all states; all of them if None
    """
    maps: dict[str, list[tuple[int, Rows]]] = {}
    values: list[int] = []
    for orbit in definition["orbits"]:
        values += [orbit["numPieces"] * orbit["numOrientations"]] * orbit["numPieces"]
    for name, parts in definition["moves"].items():
        maps[name] = []
        for orbit in definition["orbits"]:
            first, pieces, turns = len(maps[name]), orbit["numPieces"], orbit["numOrientations"]
            part = parts.get(orbit["orbitName"], {"permutation": range(pieces), "orientationDelta": [0] * pieces})
            for source, more in zip(part["permutation"], part["orientationDelta"], strict=True):
                codes = np.arange(pieces * turns)
                table = codes // turns * turns + (codes + more) % turns
                maps[name].append((first + source, table.astype(np.uint8)))
    start = [piece * orbit["numOrientations"] for orbit in definition["orbits"] for piece in range(orbit["numPieces"])]

    def move(rows: Rows, name: str) -> Rows:
        return np.stack([table[rows[:, source]] for source, table in maps[name]], axis=1)

    known = _all_states(np.array([start], dtype=np.uint8), [*(generating or maps)], move, values)
    keys = _keys(known, values)
    after: dict[str, Integers] = {}
    for name in maps:
        once = np.searchsorted(keys, _keys(move(known, name), values))
        order, power = 1, once
        powers = [once]
        while not np.array_equal(power := once[power], once):
            powers.append(power)
            order += 1
        powers.pop()  # the last one moves nothing
        for count, made in enumerate(powers, start=1):
            after[name if count == 1 else f"{name}{count}"] = made
            back = len(powers) + 1 - count
            after[f"{name}'" if back == 1 else f"{name}{back}'"] = made
    return Whole(known, after, int(np.searchsorted(keys, _keys(np.array([start], dtype=np.uint8), values))[0]))


def of_board(rows: int, columns: int, goal: Sequence[int]) -> Whole:
    """The boards that slides reach from a goal; a slide is the way the blank goes."""
    cells = rows * columns
    values = [cells] * cells

    def move(boards: Rows, way: str) -> Rows:
        blank = np.argmax(boards == 0, axis=1)
        there = blank + {"U": -columns, "D": columns, "L": -1, "R": 1}[way]
        fits = (there >= 0) & (there < cells)
        if way in "LR":
            fits &= there // columns == blank // columns
        made, there = boards.copy(), np.where(fits, there, blank)
        each = np.arange(len(boards))
        made[each, blank], made[each, there] = boards[each, there], 0
        return made

    known = _all_states(np.array([goal], dtype=np.uint8), [*"UDLR"], move, values)
    keys = _keys(known, values)
    after = {}
    for way in "UDLR":
        made = np.searchsorted(keys, _keys(move(known, way), values))
        after[way] = np.where(made == np.arange(len(known)), -1, made)
    return Whole(known, after, int(np.searchsorted(keys, _keys(np.array([goal], dtype=np.uint8), values))[0]))


def _keys(rows: Rows, values: Sequence[int]) -> Integers:
    """One number for each state, in the order of their codes."""
    total = 1
    for value in values:
        total *= value
    if total >= 2**63:
        raise OverflowError("states of more than 63 bits")
    keys = np.zeros(len(rows), dtype=np.int64)
    for slot, value in enumerate(values):
        keys = keys * value + rows[:, slot]
    return keys


def _all_states(start: Rows, moves: Sequence[str], move: Any, values: Sequence[int]) -> Rows:
    layers = [start]
    seen = _keys(start, values)
    last = start
    while len(last):
        made = np.concatenate([move(last, name) for name in moves])
        keys, first = np.unique(_keys(made, values), return_index=True)
        at = np.minimum(np.searchsorted(seen, keys), len(seen) - 1)
        new = seen[at] != keys
        last = made[first[new]]
        seen = np.sort(np.concatenate([seen, keys[new]]), kind="stable")
        layers.append(last)
    rows = np.concatenate(layers)
    return rows[np.argsort(_keys(rows, values))]
