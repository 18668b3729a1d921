"""What a check costs: about how many nodes the searches of a certificate have, before anybody has made them.

The estimate is Knuth's (Mathematics of Computation 29, 1975): paths at random from states of the tree that it does not
go on from, each weighted by the product of the choices that it had. Its expectation is the number of nodes; of so few
paths the result is right to a factor, which is what has to be known: minutes, or years.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from hstar.certificates.tables import PatternTerm
from hstar.certificates.terms import Term
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.puzzles.base import Case

__all__ = ["UP", "nodes_to_search"]

Array = np.ndarray[Any, np.dtype[np.int64]]

PATHS, UP = 256, 255


def nodes_to_search(
    puzzle: Puzzle,
    moves: MoveSet,
    start: State,
    tree: memoryview,
    bound: int,
    near: int,
    terms: Sequence[Term | PatternTerm],
) -> float:
    """About how many nodes a checker has to search below the tree's states.

    :param near: all states within so many moves of the goal are known, or -1
    """
    draw = np.random.default_rng(1)
    cases = [(case, number) for number, move in enumerate(moves.moves) for case in puzzle.cases(move)]
    leaves, number = _leaves(bytes(tree), draw)
    held = np.array([list(puzzle.contents(_after(puzzle, moves, start, path))) for path in leaves], np.int64)
    costs: Array = np.array([moves.cost(move) for move in moves.moves], np.int64)
    need = bound - np.array([costs[list(path)].sum() for path in leaves])
    last = np.array([path[-1] if path else -1 for path in leaves])
    weight, total = np.full(PATHS, number / PATHS), 0.0
    pairs = _needless(puzzle, moves)
    while len(held):
        found = [_made(case, held, np.flatnonzero((last < 0) | ~pairs[last, move])) for case, move in cases]
        rows = np.concatenate([rows for rows, _ in found])
        made = np.concatenate([own for _, own in found])
        by = np.repeat([move for _, move in cases], [len(own) for own, _ in found])
        left = need[rows] - costs[by]
        open_ = np.flatnonzero((left > near + 1) & (_h(puzzle, made, terms) < left))
        counts = np.bincount(rows[open_], minlength=len(held))
        total += float((weight * counts).sum())
        one = open_[draw.permutation(len(open_))]
        kept, chosen = np.unique(rows[one], return_index=True)
        held, last = made[one[chosen]], by[one[chosen]]
        weight, need = weight[kept] * counts[kept], left[one[chosen]]
    return total


def _leaves(tree: bytes, draw: np.random.Generator) -> tuple[list[tuple[int, ...]], int]:
    """For each path a state that the tree does not go on from, as moves from its root; and how many there are."""
    ends = [at for at, move in enumerate(tree) if move != UP and tree[at + 1 : at + 2] in (b"", b"\xff")]
    if not ends:
        return [()] * PATHS, 1
    wanted = draw.choice(ends, PATHS).tolist()
    found: dict[int, tuple[int, ...]] = dict.fromkeys(wanted, ())
    path: list[int] = []
    for at, move in enumerate(tree):
        if move == UP:
            path.pop()
            continue
        path.append(move)
        if at in found:
            found[at] = tuple(path)
    return [found[at] for at in wanted], len(ends)


def _after(puzzle: Puzzle, moves: MoveSet, state: State, path: Sequence[int]) -> State:
    return puzzle.apply_alg(state, [moves.moves[move] for move in path])


def _needless(puzzle: Puzzle, moves: MoveSet) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """By two moves, whether nobody makes the second after the first: together they do nothing, or the same as another
    pair before them or one move, if that costs no more. On boards only a move and its inverse."""
    count, costs = len(moves.moves), [moves.cost(move) for move in moves.moves]
    needless = np.array([[two == puzzle.inverse(one) for two in moves.moves] for one in moves.moves], bool)
    cases = [puzzle.cases(move) for move in moves.moves]
    if any(condition is not None for own in cases for condition, _ in own):
        return needless
    shape = len(puzzle.values), max(puzzle.values)
    nothing = np.arange(shape[0] * shape[1]).reshape(shape)
    effects = []
    for ((_, touches),) in cases:
        effect = nothing.copy()
        for dst, src, values in touches:
            effect[src, : len(values)] = nothing[dst, list(values)]
        effects.append(effect.ravel())
    known = {nothing.tobytes(): 0}  # what it costs
    for own, cost in zip(effects, costs, strict=True):
        known[own.tobytes()] = min(cost, known.get(own.tobytes(), cost))
    for one, two in np.ndindex(count, count):
        both, cost = effects[two][effects[one]].tobytes(), costs[one] + costs[two]
        needless[one, two] = known.get(both, cost + 1) <= cost
        known[both] = min(cost, known.get(both, cost))
    return needless


def _made(case: Case, held: Array, rows: Array) -> tuple[Array, Array]:
    """The rows of states in which a case can be made, and what it makes of them."""
    condition, touches = case
    if condition is not None:
        rows = rows[held[rows, condition[0]] == condition[1]]
    made = held[rows]
    for dst, src, values in touches:
        made[:, dst] = np.asarray(values)[held[rows, src]]
    return rows, made


def _h(puzzle: Puzzle, held: Array, terms: Sequence[Term | PatternTerm]) -> Array:
    """The heuristic of states: the greatest of the terms."""
    return reduce(np.maximum, (term.values(puzzle, held) for term in terms), np.zeros(len(held), np.int64))
