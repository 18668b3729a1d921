"""Partitions of a board into compact blocks of tiles, and the patterns that can share a table.

The nearer the tiles of a pattern are to each other at the goal, the more of their conflicts its table knows. A block
that a rotation or reflection of the board maps to another has the same table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["Turned", "block_partition", "board_images", "leaves_connected", "turned"]

Cells = tuple[int, ...]


@lru_cache(maxsize=64)
def block_partition(rows: int, columns: int, blank: int, size: int) -> tuple[Cells, ...]:
    """The goal cells of the tiles of each block: as many blocks of ``size`` as there can be, and the rest.

    A block's cost is the sum of the squared distances between its cells. Each start, a walk over the board in strips,
    is improved by exchanging two cells while that lowers the cost of all blocks; the best result is taken.
    """
    cells = rows * columns
    grid = np.arange(cells).reshape(rows, columns)
    place = np.stack(np.divmod(np.arange(cells), columns), axis=1)
    distance = ((place[:, None] - place[None]) ** 2).sum(axis=2)
    found = []
    for board in (grid, grid[:, ::-1], grid[::-1], grid[::-1, ::-1]):
        for turned_board in (board, board.T):
            for height in (2, 3):
                walk = [cell for cell in _strips(turned_board, height) if cell != blank]
                groups = np.full(cells, -1)
                groups[walk] = np.arange(cells - 1) // size
                found.append(_improved(groups, distance, walk))
    _, best = min(found, key=lambda one: (one[0], one[1].tolist()))
    return tuple(tuple(np.flatnonzero(best == number).tolist()) for number in range(int(best.max()) + 1))


def _strips(board: np.ndarray[tuple[int, ...], np.dtype[np.int_]], height: int) -> list[int]:
    """The cells in strips of so many rows, to and fro, column by column."""
    walk: list[int] = []
    for number, top in enumerate(range(0, len(board), height)):
        strip = board[top : top + height]
        walk += (strip if number % 2 == 0 else strip[:, ::-1]).T.ravel().tolist()
    return walk


def _improved(
    groups: np.ndarray[tuple[int, ...], np.dtype[np.int_]],
    distance: np.ndarray[tuple[int, ...], np.dtype[np.int_]],
    cells: list[int],
) -> tuple[int, np.ndarray[tuple[int, ...], np.dtype[np.int_]]]:
    """The cost and the groups after all exchanges that lower it, the best one first."""
    member = np.asarray(cells)
    apart = distance[np.ix_(member, member)]
    own = groups[member]
    while True:
        to_group = apart @ np.eye(int(own.max()) + 1, dtype=np.int_)[own]  # by cell and group
        leave = to_group[np.arange(len(own)), own]
        enter = to_group[:, own]  # of a cell, into the group of another
        gain = enter - leave[:, None] + (enter - leave[:, None]).T - 2 * apart
        gain[own[:, None] == own[None]] = 0
        if gain.min() >= 0:
            break
        a, b = divmod(int(gain.argmin()), len(own))
        own[a], own[b] = own[b], own[a]
    after = groups.copy()
    after[member] = own
    return int((apart * (own[:, None] == own[None])).sum()), after


@dataclass(frozen=True)
class Turned:
    """A pattern, as an image of the pattern whose table it reads.

    :param tiles: of the table's pattern, ascending
    :param own: the tile that each of them stands for
    :param image: of each cell, from the board to the table's
    """

    tiles: tuple[int, ...]
    own: tuple[int, ...]
    image: bytes


def turned(puzzle: SlidingTiles, tiles: tuple[int, ...]) -> Turned:
    """The first of the patterns that symmetries of the board map a pattern to, among those whose table is the same.

    A table depends on where the blank is at the goal only if its tiles separate other cells. Then only symmetries that
    keep the blank's goal cell are used.
    """
    goal, home = puzzle.solved, puzzle.home[0]
    cells = [puzzle.home[tile] for tile in tiles]
    connected = leaves_connected(puzzle, set(cells))
    best: tuple[list[int], bytes] | None = None
    for image in board_images(puzzle):
        places = sorted(image[cell] for cell in cells)
        if home in places or not (connected or image[home] == home):
            continue
        if best is None or (places, image) < best:
            best = places, image
    assert best is not None  # the identity is one
    image = best[1]
    back = {image[cell]: goal[cell] for cell in range(puzzle.cells)}
    chosen = tuple(sorted(goal[place] for place in best[0]))
    return Turned(chosen, tuple(back[puzzle.home[tile]] for tile in chosen), image)


def leaves_connected(puzzle: SlidingTiles, taken: set[int]) -> bool:
    """Whether the blank can go from its goal cell to all cells that are not taken."""
    reached, edge = {puzzle.home[0]}, [puzzle.home[0]]
    while edge:
        cell = edge.pop()
        for (at, _), beside in puzzle.beside.items():
            if at == cell and beside not in taken and beside not in reached:
                reached.add(beside)
                edge.append(beside)
    return len(reached) + len(taken) == puzzle.cells


@lru_cache(maxsize=64)
def board_images(puzzle: SlidingTiles) -> list[bytes]:
    """The image of each cell, for all rotations and reflections of the board."""
    rows, columns = puzzle.rows, puzzle.columns
    grid = np.arange(puzzle.cells).reshape(rows, columns)
    grids = [g for turn in (grid, grid.T) for g in (turn, turn[::-1], turn[:, ::-1], turn[::-1, ::-1])]
    images = {tuple(np.argsort(g.ravel()).tolist()) for g in grids if g.shape == (rows, columns)}
    return [bytes(image) for image in sorted(images)]
