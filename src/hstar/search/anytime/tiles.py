"""A solution of any board of sliding tiles, at once: rows and columns are filled from the outside in.

The rows and columns farthest from the blank's goal cell come first, until 2 x 2 cells are left, which a breadth-first
search solves. In a row, every tile except the last two goes directly to its cell. The last but one goes to the corner,
the last one below it, and then the blank moves both into their cells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from hstar.puzzles.base import State
from hstar.puzzles.sliding_tiles import SlidingTiles

__all__ = ["fill"]


def fill(puzzle: SlidingTiles, start: State) -> tuple[str, ...]:
    """Moves from a board that can be solved to the goal."""
    board = _Board(puzzle, start)
    rows, columns = list(range(puzzle.rows)), list(range(puzzle.columns))
    if 1 in (puzzle.rows, puzzle.columns):
        board.bring_blank(puzzle.solved.index(0))
        return tuple(board.moves)
    home = divmod(puzzle.solved.index(0), puzzle.columns)
    while len(rows) > 2 or len(columns) > 2:
        if len(rows) >= len(columns):
            row = rows.pop(0) if (rows[0] != home[0] and rows[1] != home[0]) or rows[-1] == home[0] else rows.pop()
            inward = 1 if rows[0] > row else -1
            board.fill_line([row * puzzle.columns + c for c in columns], inward * puzzle.columns)
        else:
            column = (
                columns.pop(0)
                if (columns[0] != home[1] and columns[1] != home[1]) or columns[-1] == home[1]
                else columns.pop()
            )
            inward = 1 if columns[0] > column else -1
            board.fill_line([r * puzzle.columns + column for r in rows], inward)
    board.finish([r * puzzle.columns + c for r in rows for c in columns])
    return tuple(board.moves)


class _Board:
    """A board on which tiles are locked when they are in their goal cells."""

    def __init__(self, puzzle: SlidingTiles, start: State) -> None:
        self.goal = puzzle.solved
        self.state = bytearray(start)
        self.locked: set[int] = set()
        self.moves: list[str] = []
        self.beside: dict[int, list[tuple[str, int]]] = {cell: [] for cell in range(puzzle.cells)}
        for (cell, move), other in puzzle.beside.items():
            self.beside[cell].append((move, other))

    def fill_line(self, cells: Sequence[int], inward: int) -> None:
        """Solve an outer row or column; ``inward`` leads from a cell to its inner neighbour."""
        *straight, second, last = cells
        for cell in straight:
            self._bring(self.goal[cell], cell)
            self.locked.add(cell)
        if self.state[second] == self.goal[second] and self.state[last] == self.goal[last]:
            self.locked |= {second, last}
            return
        # Move it away first: otherwise the last tile would be locked in next to the corner.
        below = last + inward
        self._bring(self.goal[last], below + inward)
        self._bring(self.goal[second], last)
        self.locked.add(last)
        self._bring(self.goal[last], below)
        self.locked.add(below)
        self.bring_blank(second)
        self.locked -= {last, below}
        self._step(last)
        self._step(below)
        self.locked |= {second, last}

    def finish(self, cells: Sequence[int]) -> None:
        """Solve the remaining cells by breadth-first search."""
        start = bytes(self.state)
        came: dict[bytes, tuple[bytes, str] | None] = {start: None}
        waiting = deque([start])
        allowed = set(cells)
        while waiting:
            state = waiting.popleft()
            blank = state.index(0)
            for move, other in self.beside[blank]:
                if other in allowed:
                    after = bytearray(state)
                    after[blank], after[other] = state[other], 0
                    if bytes(after) not in came:
                        came[bytes(after)] = state, move
                        waiting.append(bytes(after))
        path = []
        step = came[self.goal]
        while step is not None:
            path.append(step[1])
            step = came[step[0]]
        self.moves += reversed(path)

    def bring_blank(self, target: int) -> None:
        """Move the blank along the shortest path over cells that are not locked."""
        for cell in self._way(self.state.index(0), target, self.locked):
            self._step(cell)

    def _bring(self, tile: int, target: int) -> None:
        """Move a tile along the shortest path: the blank goes around it to the next cell, and they change places."""
        while (at := self.state.index(tile)) != target:
            to = self._way(at, target, self.locked)[0]
            for cell in self._way(self.state.index(0), to, self.locked | {at}):
                self._step(cell)
            self._step(at)

    def _way(self, start: int, target: int, barred: Iterable[int]) -> list[int]:
        """The cells of a shortest path, without its start. There is one: only the corner of a line that is filled could
        be cut off, and the blank is not in it."""
        came: dict[int, int] = {start: start}
        waiting = deque([start])
        shut = set(barred)
        while waiting:
            cell = waiting.popleft()
            if cell == target:
                path = []
                while cell != start:
                    path.append(cell)
                    cell = came[cell]
                return path[::-1]
            for _, other in self.beside[cell]:
                if other not in came and other not in shut:
                    came[other] = cell
                    waiting.append(other)
        raise AssertionError("two rows and two columns leave a way for every tile")

    def _step(self, to: int) -> None:
        """Move the blank to a neighbouring cell."""
        blank = self.state.index(0)
        move = next(move for move, other in self.beside[blank] if other == to)
        self.state[blank], self.state[to] = self.state[to], 0
        self.moves.append(move)
