"""Sliding tiles: m x n cells, one blank (0), any goal board. A move is named by the way the **blank** goes.

(So also in Russell & Norvig: ``U`` moves the blank up, that is, the tile above it down.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import factorial
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidAlg, InvalidState
from hstar.heuristics.features import Feature, FeatureError, Table, TableFeature, WholeStateFeature
from hstar.puzzles.base import MoveSet, Puzzle, State
from hstar.puzzles.permutation import parity

DIRECTIONS = ("U", "R", "D", "L")
_INVERSE = {"U": "D", "R": "L", "D": "U", "L": "R"}
_STEP = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
_WORDS = {"up": "U", "right": "R", "down": "D", "left": "L"}
_TOKEN = re.compile(r"^([URDL])([0-9]{0,2})$")
MAX_CELLS = 64

Boards = np.ndarray[Any, np.dtype[np.uint8]]


class SlidingTiles(Puzzle):
    """A board of ``rows`` x ``columns`` cells; ``goal`` lists the tile in each cell, row by row, 0 for the blank."""

    default_scramble_moves = "slide"
    default_moves = "slide"
    default_heuristic = "manhattan + linear_conflict"

    def __init__(self, name: str, title: str, rows: int, columns: int, goal: Sequence[int]) -> None:
        self.name = name
        self.title = title
        self.rows = rows
        self.columns = columns
        self.cells = rows * columns
        self.solved = self._read_board(list(goal), "the goal")
        self.moves = DIRECTIONS
        self.move_sets = {"slide": MoveSet("slide", DIRECTIONS, "the blank goes up, right, down or left")}
        # On a board one cell wide the order of the tiles never changes; elsewhere half of all orders can be reached.
        self.state_count = self.cells if min(rows, columns) == 1 else factorial(self.cells) // 2
        self._beside = {
            (cell, move): (cell // columns + dr) * columns + cell % columns + dc
            for cell in range(self.cells)
            for move, (dr, dc) in _STEP.items()
            if 0 <= cell // columns + dr < rows and 0 <= cell % columns + dc < columns
        }
        self._goal_cell = [self.solved.index(tile) for tile in range(self.cells)]
        self.kernel = _kernel.SlidingTiles(rows, columns, self.solved)

    def __repr__(self) -> str:
        return f"get_puzzle({self.name!r}, goal={list(self.solved)})"

    # -- moves ---------------------------------------------------------------------------------------------------

    def apply(self, state: State, move: str) -> State | None:
        blank = state.index(0)
        beside = self._beside.get((blank, move))
        if beside is None:
            return None
        after = bytearray(state)
        after[blank], after[beside] = state[beside], 0
        return bytes(after)

    def apply_to_all(self, states: Boards, move: str) -> Boards:
        """One move on each of many boards (uint8, shape (boards, cells)); those that cannot make it are left out."""
        blanks = np.argmin(states, axis=1)
        target = np.full(self.cells, -1)
        for (cell, name), beside in self._beside.items():
            if name == move:
                target[cell] = beside
        possible = target[blanks] >= 0
        after: Boards = states[possible].copy()
        blank = blanks[possible]
        row, beside = np.arange(len(after)), target[blank]
        after[row, blank] = after[row, beside]
        after[row, beside] = 0
        return after

    def inverse(self, move: str) -> str:
        return _INVERSE[move]

    def parse_move(self, token: str) -> tuple[str, ...]:
        """``U``, ``R``, ``D``, ``L``, the words up, right, down, left, or a run such as ``R3``."""
        match = _TOKEN.match(_WORDS.get(token.lower(), token))
        count = int(match[2] or 1) if match else 0
        if match is None or count == 0:
            raise InvalidAlg(f"{token[:40]!r} is not U, R, D, L (the way the blank goes) or a run such as R3")
        return (match[1],) * count

    # -- states --------------------------------------------------------------------------------------------------

    def format_state(self, state: State) -> dict[str, Any]:
        return {"tiles": list(state), "rows": self._text(state)}

    def _text(self, state: State) -> str:
        rows = [state[i : i + self.columns] for i in range(0, self.cells, self.columns)]
        return " / ".join(" ".join(map(str, row)) for row in rows)

    def goal_board(self) -> list[int]:
        return list(self.solved)

    def parse_state(self, value: object) -> State:
        """A list of tiles row by row, a text such as ``2 8 3 / 1 6 4 / 0 7 5``, or ``{"tiles": [...]}``."""
        if isinstance(value, Mapping):
            extra = set(value) - {"tiles", "rows"}
            if extra or not value:
                raise InvalidState("the state has unknown members", [Fault("/", 'expected {"tiles": [...]}')])
            boards = [self.parse_state(part) for part in value.values()]
            if any(board != boards[0] for board in boards):
                raise InvalidState("tiles and rows describe different boards; send one of them")
            return boards[0]
        if isinstance(value, str):
            value = self._read_text(value)
        state = self._read_board(value, "the board")
        fault = self._parity_fault(state)
        if fault:
            raise InvalidState(f"this board of {self.name} cannot be solved", [fault])
        return state

    def _read_text(self, text: str) -> list[object]:
        tokens: list[object] = []
        for token in re.split(r"[\s,/;|\[\]]+", text[:4096].strip()):
            if token:
                blank = token in {"_", "."}
                tokens.append(
                    0 if blank else int(token) if token.isascii() and token.isdigit() and len(token) < 5 else token
                )
        return tokens

    def _read_board(self, value: object, what: str) -> State:
        if not isinstance(value, list):
            raise InvalidState(f"{what} is not a list of tiles", [Fault("/", f"expected {self.cells} integers")])
        faults = []
        if len(value) != self.cells:
            faults.append(Fault("/", f"{what} has {len(value)} cells; {self.rows} x {self.columns} has {self.cells}"))
        wrong = [i for i, v in enumerate(value[:1000]) if type(v) is not int or not 0 <= v < self.cells]
        faults += [
            Fault(f"/{i}", f"expected a tile from 0 (the blank) to {self.cells - 1}, found {value[i]!r:.40}")
            for i in wrong
        ]
        good = [v for i, v in enumerate(value[:1000]) if i not in set(wrong)]
        faults += [
            Fault("/", f"tile {t} appears {good.count(t)} times") for t in sorted(set(good)) if good.count(t) > 1
        ]
        if len(value) == self.cells:
            faults += [Fault("/", f"tile {t} is missing") for t in range(self.cells) if t not in good]
        if faults:
            raise InvalidState(f"{what} is not one of {self.rows} x {self.columns} cells", faults)
        return bytes(value)

    def _parity_fault(self, state: State) -> Fault | None:
        """Why no moves lead from ``state`` to the goal, or None if some do."""
        against = f"the goal {self._text(self.solved)}"
        if min(self.rows, self.columns) == 1:
            if [t for t in state if t] != [t for t in self.solved if t]:
                return Fault(
                    "/",
                    f"on a board one cell wide tiles never pass each other, and their order is not that of {against}",
                )
            return None
        blank, home = state.index(0), self._goal_cell[0]
        steps = abs(blank // self.columns - home // self.columns) + abs(blank % self.columns - home % self.columns)
        if parity([self._goal_cell[t] for t in state]) != steps % 2:
            return Fault(
                "/",
                f"wrong parity: two tiles are swapped relative to {against}; half of all boards belong to each goal",
            )
        return None

    # -- features --------------------------------------------------------------------------------------------------

    @property
    def feature_docs(self) -> Mapping[str, str]:
        return {
            "manhattan": "sum over the tiles of the rows and columns between a tile and its goal cell",
            "linear_conflict": (
                "twice the fewest tiles that must leave their goal row or column so that the rest stand in goal order "
                "(Hansson, Mayer and Yung 1992); to be added to manhattan"
            ),
            "misplaced_tiles": "tiles not in their goal cell; the blank is not counted",
            "misplaced_cells": "cells that do not hold what the goal holds there; the blank is counted",
            "conflicts": "pairs of cells in one row or column, the earlier with the larger value; the blank is 0",
            "inversions": "pairs of tiles in reading order, the earlier larger; the blank is not counted",
            "solved": "1 at the goal, 0 elsewhere",
        }

    def feature(self, name: str, arguments: tuple[float | str, ...]) -> Feature:
        makers: dict[str, Callable[[], Feature]] = {
            "manhattan": lambda: self._table_feature(name, self._manhattan_table()),
            "misplaced_tiles": lambda: self._table_feature(name, self._misplaced_table(0)),
            "misplaced_cells": lambda: self._table_feature(name, self._misplaced_table(1)),
            "linear_conflict": lambda: self._whole(name, self._linear_conflict, 4 * self.cells, 2),
            "conflicts": lambda: self._whole(name, self._conflicts, self.cells**2, None),
            "inversions": lambda: self._whole(name, _inversions, self.cells**2, None),
        }
        maker = makers[name]
        if arguments:
            raise FeatureError(f"no arguments: {name}")
        return maker()

    def _table_feature(self, name: str, table: Table) -> Feature:
        changes = {}
        for move in DIRECTIONS:
            drop = rise = 0
            for cell in range(self.cells):
                beside = self._beside.get((cell, move))
                if beside is not None:
                    blank = int(table[beside, 0] - table[cell, 0])
                    change = table[cell, 1:] - table[beside, 1:] + blank
                    drop, rise = max(drop, int(-change.min())), max(rise, int(change.max()))
            changes[move] = (drop, rise)
        return TableFeature(
            name=name,
            low=0,
            high=int(table.max(axis=0).sum()),
            at_goal=sum(int(table[c, t]) for c, t in enumerate(self.solved)),
            changes=changes,
            table=table,
        )

    def _whole(self, name: str, function: Callable[[State], int], high: int, step: int | None) -> Feature:
        change = high if step is None else step
        return WholeStateFeature(
            name=name, low=0, high=high, at_goal=function(self.solved),
            changes=dict.fromkeys(DIRECTIONS, (change, change)), kind=name, function=function,
        )  # fmt: skip

    def _manhattan_table(self) -> Table:
        table = np.zeros((self.cells, self.cells), dtype=np.int32)
        for cell in range(self.cells):
            for tile in range(1, self.cells):
                home = self._goal_cell[tile]
                table[cell, tile] = abs(cell // self.columns - home // self.columns) + abs(
                    cell % self.columns - home % self.columns
                )
        return table

    def _misplaced_table(self, blank: int) -> Table:
        table = np.ones((self.cells, self.cells), dtype=np.int32)
        table[:, 0] = blank
        for tile, home in enumerate(self._goal_cell):
            table[home, tile] = 0
        return table

    def _linear_conflict(self, state: State) -> int:
        removed = 0
        for line, rank in self._lines():
            homes = [rank[self._goal_cell[state[c]]] for c in line if state[c] and self._goal_cell[state[c]] in rank]
            removed += len(homes) - _longest_increasing(homes)
        return 2 * removed

    def _lines(self) -> list[tuple[list[int], dict[int, int]]]:
        rows = [list(range(r * self.columns, (r + 1) * self.columns)) for r in range(self.rows)]
        columns = [list(range(c, self.cells, self.columns)) for c in range(self.columns)]
        return [(line, {cell: i for i, cell in enumerate(line)}) for line in (*rows, *columns)]

    def _conflicts(self, state: State) -> int:
        n = self.columns
        return sum(
            1
            for i in range(self.cells)
            for j in range(i + 1, self.cells)
            if state[i] > state[j] and (i // n == j // n or i % n == j % n)
        )

    def describe(self) -> dict[str, Any]:
        return self._describe_base() | {
            "rows": self.rows,
            "columns": self.columns,
            "goal": list(self.solved),
            "orbits": [{"name": "tiles", "pieces": self.cells, "orientations": 1}],
        }


def _inversions(state: State) -> int:
    tiles = [t for t in state if t]
    return sum(1 for i, a in enumerate(tiles) for b in tiles[i + 1 :] if a > b)


def _longest_increasing(values: Sequence[int]) -> int:
    best: list[int] = []
    for i, v in enumerate(values):
        best.append(1 + max((best[j] for j in range(i) if values[j] < v), default=0))
    return max(best, default=0)
