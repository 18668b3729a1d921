"""Wider and wider beams where pieces look alike and few moves turn them, such as two rings of beads of some colours.

Of a state it counts which slots show another kind than the goal, and a little how far each kind is from its nearest
home. A state's successors are told apart by a hash of 64 bits, from each other and from the two layers before.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from hstar.options import Width
from hstar.puzzles.base import MoveSet
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.widths import Widths, widen
from hstar.search.budget import Budget
from hstar.search.run import Run

__all__ = ["Settings", "beams", "looks"]

#: with more moves or slots a layer takes long; so many pieces of a kind, on average
_MOST_MOVES, _MOST_SLOTS, _ALIKE = 8, 256, 4
#: bytes for each slot of each successor, and a successor's own
_SLOT, _OWN = 24, 64
#: successors are looked at so many slots at a time
_BLOCK = 4_000_000
#: moves of a solution for each slot, at most
_LONGEST = 3
#: what a slot counts for each move more than one to the nearest home
_FAR = 0.05

Array = np.ndarray[Any, np.dtype[Any]]


class Settings(Widths):
    width: Width = 5_000


@dataclass(frozen=True)
class _Beam:
    """The count of a beam, and its moves by number."""

    expanded: int
    generated: int
    stored: int
    peak_bytes: int
    seconds: float
    path: list[int] | None


def looks(puzzle: PermutationPuzzle, moves: MoveSet) -> bool:
    """Whether there are such beams: there are few moves, no piece turns, and on average some look alike."""
    kinds = sum(len(puzzle.kinds(orbit)) for orbit in puzzle.orbits)
    slots = len(puzzle.values)
    few = len(moves.moves) <= _MOST_MOVES and slots <= _MOST_SLOTS and _ALIKE * kinds <= slots
    return few and not puzzle.forbids and not moves.costs and set(puzzle.orientations) == {1}


class _Looks:
    def __init__(self, puzzle: PermutationPuzzle, moves: MoveSet) -> None:
        self._home = np.array([*puzzle.contents(puzzle.solved)], dtype=np.uint16)
        self._sources = np.array([puzzle.turns[move].source for move in moves.moves], dtype=np.int64)
        random = np.random.default_rng(1)
        self._slots = np.arange(len(self._home))
        kinds = int(self._home.max()) + 1
        self._keys = random.integers(0, 2**64, size=(kinds, len(self._home)), dtype=np.uint64)
        self._far = np.zeros((kinds, len(self._home)), dtype=np.float32)
        for orbit in puzzle.orbits:
            for kind in {int(self._home[slot]) for slot in orbit.slots}:
                self._far[kind, list(orbit.slots)] = self._distances(kind, orbit.slots)[list(orbit.slots)]

    def _distances(self, kind: int, slots: range) -> Array:
        """By slot, what a piece of a kind counts there."""
        moves = np.full(len(self._home), -1)
        layer = np.array([slot for slot in slots if self._home[slot] == kind])
        moves[layer] = 0
        while len(layer):
            before = np.unique(self._sources[:, layer])
            farther = moves[layer[0]] + 1
            layer = before[moves[before] < 0]
            moves[layer] = farther
        return np.where(moves > 0, 1 + _FAR * (moves - 1), 0)

    def search(self, run: Run, start: Array, width: int, longest: int, share: Budget) -> _Beam:
        """A beam, at most so many moves deep."""
        began, moves, slots = share.seconds, len(self._sources), len(self._home)
        expanded_left, generated_left = (share.left(name) for name in ("expanded", "generated"))
        states, layers, expanded = start[np.newaxis], list[Array](), 0
        last = before = np.zeros(0, dtype=np.uint64)
        path: list[int] | None = None
        while len(states) and len(layers) < longest:
            if expanded + len(states) > (inf if expanded_left is None else expanded_left):
                share.reach("expanded")
                break
            if moves * (expanded + len(states)) > (inf if generated_left is None else generated_left):
                share.reach("generated")
                break
            expanded += len(states)
            hashes, scores = [], []
            block = max(1, _BLOCK // (slots * moves))
            for begin in range(0, len(states), block):
                if run.over(share):
                    return self._counted(expanded, 0, width, share.seconds - began, None)
                children = states[begin : begin + block][:, self._sources].reshape(-1, slots)
                shown = children.astype(np.intp) * slots + self._slots
                hashes.append(np.bitwise_xor.reduce(self._keys.take(shown), axis=1))
                scores.append(self._far.take(shown).sum(axis=1))
            every, score = np.concatenate(hashes), np.concatenate(scores)
            chosen = np.unique(every, return_index=True)[1]
            chosen = chosen[~np.isin(every[chosen], np.concatenate([before, last]))]
            chosen = chosen[np.argsort(score[chosen], kind="stable")[:width]]
            before, last = last, every[chosen]
            states = states[(chosen // moves)[:, np.newaxis], self._sources[chosen % moves]]
            layers.append(chosen)
            if len(chosen) and score[chosen[0]] == 0:
                path, at = [], 0
                for layer in reversed(layers):
                    at, number = divmod(int(layer[at]), moves)
                    path.append(number)
                path.reverse()
                break
        return self._counted(expanded, len(states), width, share.seconds - began, path)

    def _counted(self, expanded: int, stored: int, width: int, seconds: float, path: list[int] | None) -> _Beam:
        moves, slots = len(self._sources), len(self._home)
        return _Beam(expanded, moves * expanded, stored, _bytes(width, moves, slots), seconds, path)


def _bytes(width: int, moves: int, slots: int) -> int:
    """What a beam takes."""
    return width * (moves * _OWN + 2 * 2 * slots) + _BLOCK * _SLOT


def beams(run: Run, share: Budget, settings: Settings) -> None:
    """Offer the solutions of wider and wider beams."""
    problem, puzzle = run.problem, run.problem.puzzle
    assert isinstance(puzzle, PermutationPuzzle)
    searching = _Looks(puzzle, problem.moves)
    start = np.array([*puzzle.contents(problem.start)], dtype=np.uint16)
    slots, moves = len(start), len(problem.moves.moves)
    each = _bytes(1, moves, slots) - _bytes(0, moves, slots)
    room = (share.memory_bytes - _bytes(0, moves, slots)) // each

    def beam(_way: int, width: int) -> float | None:
        if run.over(share):
            return None
        longest = _LONGEST * slots if run.useful is None else min(_LONGEST * slots, run.useful)
        found = searching.search(run, start, width, longest, share)
        share.count(found)
        if found.path is not None:
            run.offer([problem.moves.moves[number] for number in found.path])
        return found.seconds

    if settings.width <= room:
        widen(share, settings, beam, lambda: room)
