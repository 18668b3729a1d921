"""The states around the goal with their true distances, by breadth-first search in NumPy, or by Dijkstra's algorithm
where moves have costs.

>>> space = nearest_states(puzzle, moves, puzzle.state_count)                     # doctest: +SKIP
>>> len(space), space.complete
(181440, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import Any

import numpy as np

from hstar.polling import poll
from hstar.puzzles.base import MoveSet, Puzzle, State, States

__all__ = ["Space", "nearest_states"]

Numbers = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Space:
    """The states that are nearest to the goal, by their true distance.

    :param states: the puzzle's ``dtype``, shape (states, slots), from the goal outwards
    :param ends: the end of each distance: ``states[ends[d - 1] : ends[d]]`` are at distance d, which may be none
    :param complete: whether these are all states from which the moves lead to the goal
    """

    puzzle: Puzzle
    moves: MoveSet
    states: States
    ends: tuple[int, ...]
    complete: bool

    def __len__(self) -> int:
        return len(self.states)

    @property
    def radius(self) -> int:
        """The greatest of the distances."""
        return len(self.ends) - 1

    def state(self, number: int) -> State:
        row: State = self.states[number].tobytes()
        return row

    def distances(self) -> Numbers:
        """The true distance of each state."""
        return np.repeat(np.arange(len(self.ends)), np.diff((0, *self.ends)))

    def find(self, states: States) -> Numbers:
        """The number of each of these states; -1 for those that are not in this space."""
        order, keys = self._sorted
        wanted = _keys(self.puzzle, states)
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[places] == wanted, order[places], -1)

    @cached_property
    def _sorted(self) -> tuple[Numbers, np.ndarray[Any, Any]]:
        keys = _keys(self.puzzle, self.states)
        order = np.argsort(keys)
        return order, keys[order]

    def alg_to(self, state: State, distance: int) -> tuple[str, ...]:
        """An alg from the goal to a state at this distance: the inverse of a shortest solution."""
        solution: list[str] = []
        while distance:
            costs = {cost for cost in self.moves.costs or (1,) if cost <= distance}
            nearer = {(row.tobytes(), cost) for cost in costs for row in self._layer(distance - cost)}
            move, state = next(
                (move, after)
                for move, after in self.puzzle.successors(state, self.moves.moves)
                if (after, self.moves.cost(move)) in nearer
            )
            solution.append(move)
            distance -= self.moves.cost(move)
        return self.puzzle.inverse_alg(solution)

    def _layer(self, distance: int) -> States:
        return self.states[self.ends[distance - 1] if distance else 0 : self.ends[distance]]


@lru_cache(maxsize=4)
def nearest_states(puzzle: Puzzle, moves: MoveSet, count: int) -> Space:
    """The nearest states in whole layers: at least ``count`` of them, or all states."""
    # The inverse of a solution consists of the inverse moves.
    backwards = [(puzzle.inverse(move), moves.cost(move)) for move in moves.moves]
    farthest = max(moves.costs, default=1)
    layers = [np.frombuffer(puzzle.solved, dtype=puzzle.dtype)[np.newaxis, :]]
    seen = _keys(puzzle, layers[0])
    complete = False
    while len(seen) < count and not complete:
        poll()
        by_move = [
            puzzle.apply_to_all(layers[-cost], move)
            for move, cost in backwards
            if cost <= len(layers) and len(layers[-cost])
        ]
        if not by_move:
            found = layers[0][:0]
        elif puzzle.always_legal and not moves.costs:  # in the order of a queue: by state, then by move
            found = np.stack(by_move, axis=1).reshape(-1, layers[-1].shape[1])
        else:
            found = np.concatenate(by_move)
        keys, first = np.unique(_keys(puzzle, found), return_index=True)
        # If a move has no inverse in the set, states of any earlier layer can come back.
        places = np.searchsorted(seen, keys)
        new = seen[np.minimum(places, len(seen) - 1)] != keys
        layers.append(found[np.sort(first[new])])
        seen = np.insert(seen, places[new], keys[new])
        complete = not any(map(len, layers[-farthest:]))
    while not len(layers[-1]):
        layers.pop()
    ends = tuple(int(end) for end in np.cumsum([len(layer) for layer in layers]))
    return Space(puzzle, moves, np.concatenate(layers), ends, complete or len(seen) == puzzle.state_count)


def _keys(puzzle: Puzzle, states: States) -> np.ndarray[Any, Any]:
    """A comparable value for each state: a number if it fits into 64 bits, else its bytes."""
    if prod(puzzle.values) < 2**63:
        keys = np.zeros(len(states), np.int64)
        for slot, count in enumerate(puzzle.values):
            keys = keys * count + states[:, slot]
        return keys
    rows = np.ascontiguousarray(states)
    return rows.view(np.dtype((np.void, rows.shape[1] * rows.itemsize))).ravel()
