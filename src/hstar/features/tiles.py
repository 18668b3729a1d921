"""Features of sliding tiles, with bounds on how much each move of the blank changes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hstar.errors import UnavailableFeature
from hstar.features import walking_distance
from hstar.features.base import Feature, Table, TableFeature, WholeStateFeature
from hstar.features.registry import Arguments, FeatureKind, no_arguments
from hstar.puzzles.base import MoveSet, State
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.puzzles.sliding_tiles.heuristics import WALKING, can_walk

DOCS: Mapping[str, str] = {
    "manhattan": "sum over the tiles of the rows and columns between a tile and its goal cell",
    "linear_conflict": (
        "twice the fewest tiles that must leave their goal row or column so that the rest stand in goal order "
        "(Hansson, Mayer and Yung 1992); to be added to manhattan"
    ),
    "walking_distance": (
        "the fewest moves if tiles forget their columns plus the fewest if they forget their rows (Takahashi 2002); "
        f"for {WALKING}"
    ),
    "gaschnig": "the fewest moves if any tile may go to the blank's cell from wherever it is (Gaschnig 1979)",
    "out_of_row": "tiles not in their goal row; the blank is not counted",
    "out_of_column": "tiles not in their goal column; the blank is not counted",
    "misplaced_tiles": "tiles not in their goal cell; the blank is not counted",
    "misplaced_cells": "cells that do not hold what the goal holds there; the blank is counted",
    "clustered_misplaced": "misplaced cells next to another one, in a row or a column; the blank is counted (S5)",
    "conflicts": "pairs of cells in one row or column, the earlier with the larger value; the blank is 0",
    "inversions": "pairs of tiles in reading order, the earlier larger; the blank is not counted",
}


def _make(board: SlidingTiles, moves: MoveSet, name: str, arguments: Arguments) -> Feature:
    no_arguments(name, arguments)
    return _MAKERS[name](board, name)


# -- sums over the cells -------------------------------------------------------------------------------------------


def _sum(table_of: Callable[[SlidingTiles], Table]) -> Callable[[SlidingTiles, str], Feature]:
    def maker(board: SlidingTiles, name: str) -> Feature:
        table = table_of(board)
        changes = {}
        for move in board.moves:
            drop = rise = 0
            for cell in range(board.cells):
                beside = board.beside.get((cell, move))
                if beside is not None:
                    blank = int(table[beside, 0] - table[cell, 0])
                    change = table[cell, 1:] - table[beside, 1:] + blank
                    drop, rise = max(drop, int(-change.min())), max(rise, int(change.max()))
            changes[move] = (drop, rise)
        return TableFeature(
            name=name,
            low=0,
            high=int(table.max(axis=0).sum()),
            at_goal=sum(int(table[c, t]) for c, t in enumerate(board.solved)),
            changes=changes,
            table=table,
        )

    return maker


def _rows(board: SlidingTiles) -> Table:
    """Rows between each cell and the goal cell of each tile; 0 for the blank."""
    return _apart([cell // board.columns for cell in range(board.cells)], board)


def _columns(board: SlidingTiles) -> Table:
    return _apart([cell % board.columns for cell in range(board.cells)], board)


def _apart(lines: Sequence[int], board: SlidingTiles) -> Table:
    line = np.array(lines, dtype=np.int32)
    table: Table = np.abs(line[:, np.newaxis] - line[board.home])
    table[:, 0] = 0
    return table


def _misplaced(board: SlidingTiles, blank: int) -> Table:
    table = np.ones((board.cells, board.cells), dtype=np.int32)
    table[:, 0] = blank
    for tile, home in enumerate(board.home):
        table[home, tile] = 0
    return table


# -- measures of the whole board -----------------------------------------------------------------------------------


def _whole(board: SlidingTiles, name: str, function: Callable[[State], int], high: int, change: int) -> Feature:
    return WholeStateFeature(
        name=name, low=0, high=high, at_goal=function(board.solved),
        changes=dict.fromkeys(board.moves, (change, change)), kind=name, function=function,
    )  # fmt: skip


def _linear_conflict(board: SlidingTiles, name: str) -> Feature:
    rows = [list(range(r * board.columns, (r + 1) * board.columns)) for r in range(board.rows)]
    columns = [list(range(c, board.cells, board.columns)) for c in range(board.columns)]
    lines = [(line, {cell: i for i, cell in enumerate(line)}) for line in (*rows, *columns)]
    home = board.home

    def linear_conflict(state: State) -> int:
        leaving = 0
        for line, rank in lines:
            homes = [rank[home[state[c]]] for c in line if state[c] and home[state[c]] in rank]
            leaving += len(homes) - _longest_increasing(homes)
        return 2 * leaving

    return _whole(board, name, linear_conflict, 4 * board.cells, 2)


def _longest_increasing(values: Sequence[int]) -> int:
    best: list[int] = []
    for i, v in enumerate(values):
        best.append(1 + max((best[j] for j in range(i) if values[j] < v), default=0))
    return max(best, default=0)


def _walking_distance(board: SlidingTiles, name: str) -> Feature:
    if not can_walk(board.rows, board.columns):
        raise UnavailableFeature(WALKING)
    function = walking_distance.WalkingDistance(board.rows, board.columns, board.solved)
    return _whole(board, name, function, function.greatest, 1)


def _gaschnig(board: SlidingTiles, name: str) -> Feature:
    """The distance in a puzzle that has all the real moves and their inverses, so no move changes it by more than 1.

    A cycle of misplaced tiles takes one move more than it has tiles: one to bring the blank into it, and one for each
    tile. The blank's own cycle needs no extra move.
    """
    home = board.home

    def gaschnig(state: State) -> int:
        moves = 0
        left = {cell for cell, tile in enumerate(state) if home[tile] != cell}
        while left:
            cell = start = left.pop()
            cycle = [state[cell]]
            while (cell := home[state[cell]]) != start:
                left.remove(cell)
                cycle.append(state[cell])
            moves += len(cycle) + (-1 if 0 in cycle else 1)
        return moves

    tiles = board.cells - 1
    return _whole(board, name, gaschnig, tiles + tiles // 2, 1)


def _clustered_misplaced(board: SlidingTiles, name: str) -> Feature:
    """A move changes two cells, so the count changes only for these and the cells next to them."""
    beside: list[set[int]] = [set() for _ in range(board.cells)]
    for (cell, _), other in board.beside.items():
        beside[cell].add(other)
    goal = board.solved

    def clustered_misplaced(state: State) -> int:
        wrong = {cell for cell in range(len(goal)) if state[cell] != goal[cell]}
        return sum(not wrong.isdisjoint(beside[cell]) for cell in wrong)

    most = max(len(beside[cell] | beside[other]) for (cell, _), other in board.beside.items())
    return _whole(board, name, clustered_misplaced, board.cells, most)


def _conflicts(board: SlidingTiles, name: str) -> Feature:
    n = board.columns

    def conflicts(state: State) -> int:
        return sum(
            1
            for i in range(len(state))
            for j in range(i + 1, len(state))
            if state[i] > state[j] and (i // n == j // n or i % n == j % n)
        )

    return _whole(board, name, conflicts, board.cells**2, board.cells**2)


def _inversions(board: SlidingTiles, name: str) -> Feature:
    def inversions(state: State) -> int:
        tiles = [t for t in state if t]
        return sum(1 for i, a in enumerate(tiles) for b in tiles[i + 1 :] if a > b)

    return _whole(board, name, inversions, board.cells**2, board.cells**2)


_MAKERS: Mapping[str, Callable[[SlidingTiles, str], Feature]] = {
    "manhattan": _sum(lambda board: _rows(board) + _columns(board)),
    "out_of_row": _sum(lambda board: np.minimum(_rows(board), 1)),
    "out_of_column": _sum(lambda board: np.minimum(_columns(board), 1)),
    "misplaced_tiles": _sum(lambda board: _misplaced(board, 0)),
    "misplaced_cells": _sum(lambda board: _misplaced(board, 1)),
    "linear_conflict": _linear_conflict,
    "walking_distance": _walking_distance,
    "gaschnig": _gaschnig,
    "clustered_misplaced": _clustered_misplaced,
    "conflicts": _conflicts,
    "inversions": _inversions,
}

TILES = FeatureKind(SlidingTiles, lambda board: DOCS, _make)
