"""The published puzzles written out a second time, as permutations of their points: what replays the answers.

Nothing here is shared with the library, so that an answer is checked by code that did not find it. A state is a list of
what each point shows, and ``new[i] = old[row[i]]`` after a move, as in the competitions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["cube", "globe", "replayed", "slid", "turned_over", "wreath"]

Rows = dict[str, list[int]]
Point = tuple[int, int, int]


def cube(n: int) -> Rows:
    """An n x n x n cube: ``f0`` turns the front layer clockwise, ``f1`` the one behind it; ``r`` from the right, ``d``
    from below. The points are those of the faces U F R B L D, row by row."""
    top, cells = n - 1, [(row, column) for row in range(n) for column in range(n)]
    faces: list[tuple[Point, Callable[[int, int], Point]]] = [
        ((0, 1, 0), lambda row, column: (column, top, row)),
        ((0, 0, 1), lambda row, column: (column, top - row, top)),
        ((1, 0, 0), lambda row, column: (top, top - row, top - column)),
        ((0, 0, -1), lambda row, column: (top - column, top - row, 0)),
        ((-1, 0, 0), lambda row, column: (0, top - row, column)),
        ((0, -1, 0), lambda row, column: (column, 0, top - row)),
    ]
    points = [(place(*cell), normal) for normal, place in faces for cell in cells]
    number = {point: i for i, point in enumerate(points)}
    # By letter: the axis of the turn, the number of the outer layer, and the two axes that change places; the first of
    # them with the sign turned.
    turns = {"f": (2, top, 1, 0), "r": (0, top, 2, 1), "d": (1, 0, 2, 0)}
    rows = {}
    for letter, (axis, outer, minus, plus) in turns.items():
        for layer in range(n):
            row = list(range(len(points)))
            for at, (place, normal) in enumerate(points):
                if abs(outer - place[axis]) == layer:
                    new_place, new_normal = list(place), list(normal)
                    new_place[plus], new_place[minus] = place[minus], top - place[plus]
                    new_normal[plus], new_normal[minus] = normal[minus], -normal[plus]
                    row[number[_point(new_place), _point(new_normal)]] = at
            rows[f"{letter}{layer}"] = row
    return rows


def _point(values: Sequence[int]) -> Point:
    x, y, z = values
    return x, y, z


def globe(m: int, n: int) -> Rows:
    """m + 1 rows of 2n points: ``r0`` turns a row, ``f0`` turns half of the globe over. A middle row only turns."""
    width = 2 * n
    rows = {}
    for i in range(m + 1):
        row = list(range((m + 1) * width))
        for column in range(width):
            row[i * width + column] = i * width + (column + 1) % width
        rows[f"r{i}"] = row
    for first in range(width):
        row = list(range((m + 1) * width))
        for i in range(m + 1):
            for k in range(n if 2 * i != m else 0):
                row[i * width + (first + k) % width] = (m - i) * width + (first + n - 1 - k) % width
        rows[f"f{first}"] = row
    return rows


def wreath(beads: int) -> Rows:
    """Two rings with so many beads each, two of them in common."""
    crossing = -(-beads // 4)
    rest = list(range(beads, 2 * beads - 2))
    split = beads - crossing - 2
    rings = {"l": list(range(beads)), "r": [0, *rest[:split], crossing, *rest[split:]]}
    rows = {}
    for name, ring in rings.items():
        rows[name] = list(range(2 * beads - 2))
        for one, following in zip(ring, [*ring[1:], ring[0]], strict=True):
            rows[name][one] = following
    return rows


def replayed(rows: Rows, start: Sequence[Any], moves: Sequence[str]) -> list[Any]:
    """The state after moves; ``-f0`` undoes ``f0``."""
    state = list(start)
    for move in moves:
        if move in rows:
            state = [state[i] for i in rows[move]]
        else:
            before, state = state, list(state)
            for at, origin in enumerate(rows[move.removeprefix("-")]):
                state[origin] = before[at]
    return state


def slid(board: Sequence[int], columns: int, moves: Sequence[str]) -> list[int] | None:
    """The board after slides of the blank (0): U R D L; None if one leads off the board."""
    tiles, blank = list(board), list(board).index(0)
    for move in moves:
        row, column = divmod(blank, columns)
        row, column = {"U": (row - 1, column), "R": (row, column + 1), "D": (row + 1, column), "L": (row, column - 1)}[
            move
        ]
        to = row * columns + column
        if not (0 <= column < columns and 0 <= to < len(tiles)):
            return None
        tiles[blank], tiles[to], blank = tiles[to], 0, to
    return tiles


def turned_over(stack: Sequence[int], moves: Sequence[str]) -> list[int]:
    """The stack, top first, after flips: ``f3`` turns the top three over."""
    state = list(stack)
    for move in moves:
        count = int(move.removeprefix("f"))
        state[:count] = state[:count][::-1]
    return state
