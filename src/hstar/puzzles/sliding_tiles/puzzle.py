"""Sliding tiles: m x n cells, one blank (0), any goal board. A move is named by the way the **blank** goes.

(So also in Russell & Norvig: ``U`` moves the blank up, that is, the tile above it down.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import factorial, perm
from typing import Any

import numpy as np

from hstar import _kernel
from hstar.errors import Fault, InvalidAlg, InvalidState
from hstar.puzzles.base import ZERO, Case, Choice, MoveSet, Puzzle, State, States
from hstar.puzzles.notation import Notation
from hstar.puzzles.permutation import parity
from hstar.puzzles.sliding_tiles.heuristics import heuristics_of
from hstar.puzzles.sliding_tiles.picture import BoardPainter
from hstar.puzzles.sliding_tiles.slides import format_slides, parse_slides
from hstar.schema import tiles_of

DIRECTIONS = ("U", "R", "D", "L")
_INVERSE = {"U": "D", "R": "L", "D": "U", "L": "R"}
_STEP = {"U": (-1, 0), "R": (0, 1), "D": (1, 0), "L": (0, -1)}
_WORDS = {"up": "U", "right": "R", "down": "D", "left": "L"}
_TOKEN = re.compile(r"^([URDL])([0-9]{0,2})$")
MAX_CELLS = 100

#: boards of up to this many cells are searched by A* only
SMALL_CELLS = 12
#: boards of more cells have no databases
MAX_DATABASE_CELLS = 25
#: the most states of a pattern of tiles that is chosen by rule; of a block on a larger board, where blocks share
#: tables; and of a block whose table is built at once
PATTERN_STATES = 12_000_000
BLOCK_STATES = 130_000_000
SMALL_BLOCK_STATES = 2_000_000
#: boards of more cells than the 15-puzzle's, and of at most so many, are searched with blocks
MAX_BLOCK_CELLS = 49
#: expansions of `auto` with blocks of one tile less than the largest
SMALLER_BLOCKS = 2_000_000


class SlidingTiles(Puzzle):
    """A board of ``rows`` x ``columns`` cells; ``goal`` lists the tile in each cell, row by row, 0 for the blank."""

    kernel: _kernel.SlidingTiles
    default_scramble_moves = "slide"
    default_moves = "slide"
    default_heuristic = "manhattan + linear_conflict"
    easy = 100_000

    def __init__(self, name: str, title: str, rows: int, columns: int, goal: Sequence[int]) -> None:
        self.name = name
        self.title = title
        self.rows = rows
        self.columns = columns
        self.cells = rows * columns
        self.heuristics = (ZERO, *heuristics_of(rows, columns))
        self.values = [self.cells] * self.cells
        self.solved = self._read_board(list(goal), "the goal")
        self.moves = DIRECTIONS
        self.move_sets = {"slide": MoveSet("slide", DIRECTIONS, "the blank goes up, right, down or left")}
        # On a board one cell wide the order of the tiles never changes; elsewhere half of all orders can be reached.
        self.state_count = self.cells if min(rows, columns) == 1 else factorial(self.cells) // 2
        #: (cell of the blank, move) -> the cell to which it goes; moves across the border are missing
        self.beside = {
            (cell, move): (cell // columns + dr) * columns + cell % columns + dc
            for cell in range(self.cells)
            for move, (dr, dc) in _STEP.items()
            if 0 <= cell // columns + dr < rows and 0 <= cell % columns + dc < columns
        }
        #: the goal cell of each tile
        self.home = [self.solved.index(tile) for tile in range(self.cells)]
        self.kernel = _kernel.SlidingTiles(rows, columns, self.solved)

    def __repr__(self) -> str:
        return f"get_puzzle({self.name!r}, goal={list(self.solved)})"

    # -- moves ---------------------------------------------------------------------------------------------------

    def apply(self, state: State, move: str) -> State | None:
        blank = state.index(0)
        beside = self.beside.get((blank, move))
        if beside is None:
            return None
        after = bytearray(state)
        after[blank], after[beside] = state[beside], 0
        return bytes(after)

    def apply_to_all(self, states: States, move: str) -> States:
        blanks = np.argmin(states, axis=1)
        target = np.full(self.cells, -1)
        for (cell, name), beside in self.beside.items():
            if name == move:
                target[cell] = beside
        possible = target[blanks] >= 0
        after: States = states[possible].copy()
        blank = blanks[possible]
        row, beside = np.arange(len(after)), target[blank]
        after[row, blank] = after[row, beside]
        after[row, beside] = 0
        return after

    def cases(self, move: str) -> Sequence[Case]:
        same = tuple(range(self.cells))
        return [
            ((cell, 0), [(cell, beside, same), (beside, cell, same)])
            for (cell, name), beside in self.beside.items()
            if name == move
        ]

    def inverse(self, move: str) -> str:
        return _INVERSE[move]

    def parse_move(self, token: str) -> tuple[str, ...]:
        """``U``, ``R``, ``D``, ``L``, the words up, right, down, left, or a run such as ``R3``."""
        match = _TOKEN.match(_WORDS.get(token.lower(), token))
        count = int(match[2] or 1) if match else 0
        if match is None or count == 0:
            raise InvalidAlg(f"{token[:40]!r} is not U, R, D, L (the way the blank goes) or a run such as R3")
        return (match[1],) * count

    # -- states in relation to other states ------------------------------------------------------------------------

    def toward(self, start: State, target: State) -> tuple[Puzzle, State]:
        there = self.with_goal(target)
        return there, there.parse_state(list(start))

    def along(self, start: State, alg: Sequence[str]) -> tuple[Puzzle, State]:
        return self.with_goal(self.apply_alg(start, alg)), start

    def with_goal(self, goal: State) -> SlidingTiles:
        """The same board with another goal, which has the same tiles."""
        return board(self.name, self.rows, self.columns, tuple(goal))

    def out_of_place(self, state: State) -> dict[str, list[str]]:
        wrong = [str(tile) for tile, home in zip(state, self.solved, strict=True) if tile not in (home, 0)]
        return {"tiles": wrong} if wrong else {}

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
            value = tiles_of(value)
        state = self._read_board(value, "the board")
        fault = self._parity_fault(state)
        if fault:
            raise InvalidState(f"this board of {self.name} cannot be solved", [fault], state)
        return state

    def _read_board(self, value: object, what: str) -> State:
        if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
            value = [tile for row in value for tile in row]
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

    def is_solvable(self, state: State) -> bool:
        """Whether moves lead from a board with every tile once to the goal."""
        return self._parity_fault(state) is None

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
        if self._wrong_parity(state):
            return Fault(
                "/",
                f"wrong parity: two tiles are swapped relative to {against}; half of all boards belong to each goal. "
                f"The smallest repair: swap the tiles {' and '.join(map(str, self._to_swap(state)))}"
                + self._other_goal(state),
            )
        return None

    def _wrong_parity(self, state: State) -> bool:
        blank, home = state.index(0), self.home[0]
        steps = abs(blank // self.columns - home // self.columns) + abs(blank % self.columns - home % self.columns)
        return parity([self.home[t] for t in state]) != steps % 2

    def _to_swap(self, state: State) -> tuple[int, int]:
        """Two tiles, which are then at home if there are such."""
        for cell, tile in enumerate(state):
            other = self.solved[cell]
            if 0 not in (tile, other) and tile != other and state[self.home[tile]] == other:
                return min(tile, other), max(tile, other)
        return 1, 2

    def _other_goal(self, state: State) -> str:
        """A common goal that a board with the wrong parity fits."""
        for goal in ((*range(1, self.cells), 0), tuple(range(self.cells))):
            if bytes(goal) != self.solved:
                board = type(self)(self.name, self.title, self.rows, self.columns, goal)
                if not board._wrong_parity(state):
                    return f". It fits the goal {board._text(board.solved)}"
        return ""

    # -- solving -------------------------------------------------------------------------------------------------

    @property
    def partition(self) -> str | None:
        """The patterns of tiles that ``auto`` searches with; None if the board has no databases.

        Of 15 tiles: built in less than a second. 7-8 is faster, but takes half a minute and 1 GB to build.
        """
        tiles = self.cells - 1
        if min(self.rows, self.columns) == 1 or self.cells > MAX_DATABASE_CELLS:
            return None
        if tiles == 15:
            return "6-6-3"
        if self.blocks:
            return f"blocks:{self.blocks[-1]}"
        most = next(size for size in range(tiles, 0, -1) if perm(self.cells, size) <= PATTERN_STATES)
        sizes = [most] * (tiles // most) + [tiles % most] * (tiles % most > 0)
        return "-".join(map(str, sizes))

    @property
    def blocks(self) -> tuple[int, ...]:
        """The sizes of blocks of tiles, small ones first, with which ``anytime`` searches: those whose tables are built
        at once, and the largest. Empty on small boards, and on those that have no databases."""
        if min(self.rows, self.columns) == 1 or not 16 < self.cells <= MAX_BLOCK_CELLS:
            return ()
        largest = (
            max(size for size in range(1, self.cells) if perm(self.cells, size) <= most)
            for most in (SMALL_BLOCK_STATES, BLOCK_STATES)
        )
        return tuple(sorted(set(largest)))

    @property
    def small_blocks(self) -> int | None:
        """The size of the largest blocks whose tables are built at once; None on boards that have no databases."""
        if min(self.rows, self.columns) == 1 or self.cells > MAX_BLOCK_CELLS:
            return None
        return max(size for size in range(1, self.cells) if perm(self.cells, size) <= SMALL_BLOCK_STATES)

    @cached_property
    def notations(self) -> Mapping[str, Notation]:
        blank = Notation("blank", "the way the blank goes", "U R R", self.parse_alg, self.format_alg)
        tile = Notation(
            "tile", "the way the tile goes that takes the blank's place", "down left", parse_slides, format_slides
        )
        return {blank.name: blank, tile.name: tile}

    @cached_property
    def painter(self) -> BoardPainter:
        return BoardPainter(self.rows, self.columns, self.solved)

    def constructs(self, moves: MoveSet) -> bool:
        return len(moves.moves) == len(self.moves)

    def auto(self, moves: MoveSet) -> list[Choice]:
        if self.cells <= SMALL_CELLS:
            return [Choice("astar")]
        first, partition = Choice("ida_star", None, self.easy), self.partition
        if partition is None:
            return [first]
        last = Choice("ida_star", f'pdb("{partition}")')
        if not self.blocks:
            return [first, last]
        smaller = Choice("ida_star", f'pdb("blocks:{self.blocks[-1] - 1}")', SMALLER_BLOCKS)
        return [first, smaller, last]

    def random_state(self, choose: Callable[[int], int], moves: MoveSet) -> State:
        """A choice for the cell of the blank; then, row by row, for the tile of each other cell among those that are
        left, in their order. The last two are put the way that can be solved. On a board one cell wide only the blank
        moves."""
        blank = choose(self.cells)
        if min(self.rows, self.columns) == 1:
            tiles = [tile for tile in self.solved if tile]
            return bytes([*tiles[:blank], 0, *tiles[blank:]])
        left = list(range(1, self.cells))
        drawn = []
        while len(left) > 2:
            drawn.append(left.pop(choose(len(left))))
        for last in (left, left[::-1]):
            tiles = [*drawn, *last]
            board = bytes([*tiles[:blank], 0, *tiles[blank:]])
            if self.is_solvable(board):
                return board
        raise AssertionError("of two boards that differ by a swap one can be solved")

    def describe(self) -> dict[str, Any]:
        return self._describe_base() | {
            "rows": self.rows,
            "columns": self.columns,
            "goal": list(self.solved),
            "orbits": [{"name": "tiles", "pieces": self.cells, "orientations": 1}],
        }


_boards: dict[tuple[str, tuple[int, ...]], SlidingTiles] = {}


def board(name: str, rows: int, columns: int, goal: tuple[int, ...]) -> SlidingTiles:
    """The board of this name and goal; cached, unless there are many."""
    key = (name, goal)
    found = _boards.get(key)
    if found is None:
        found = SlidingTiles(name, f"{rows} x {columns} sliding tiles", rows, columns, goal)
        if len(_boards) >= 64:
            _boards.clear()
        _boards[key] = found
    return found
