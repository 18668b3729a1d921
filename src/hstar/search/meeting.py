"""Bidirectional heuristic search in the kernel: the heuristic of the way back, and what cannot be searched so.

The way back needs h from the start to a state. On sliding tiles that is the same heuristic for a board whose goal is
the start. On permutation puzzles it is h of the state after the start has become the goal: every move is undone by
another one, so ways there and back are equally long.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from hstar import _kernel
from hstar.heuristics import get_heuristic
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.method import Method
from hstar.search.run import Search

__all__ = ["method"]


def _search(rule: Literal["mm", "nbs"], asked: Search) -> _kernel.Outcome:
    problem, moves = asked.problem, asked.problem.moves
    puzzle = problem.puzzle
    there, images = puzzle, list[int]()
    if isinstance(puzzle, PermutationPuzzle):
        images = _images(puzzle, problem.start)
    else:
        there, _ = puzzle.toward(puzzle.solved, problem.start)
    back = get_heuristic(asked.heuristic.expression.text, there, moves)
    # A bound must hold on both ways. One that holds only from the start is used only there.
    # A function of the user may know only one goal.
    one_way = asked.heuristic.here_only and there is not puzzle
    if one_way or (asked.heuristic.is_admissible(moves, deep=False) and not back.is_admissible(moves, deep=False)):
        back = get_heuristic("zero", there, moves)
    return _kernel.meet_in_the_middle(
        *asked.question, asked.heuristic.kernel, back=back.kernel, images=images, rule=rule, **asked.limits
    )


def _images(puzzle: PermutationPuzzle, start: bytes) -> list[int]:
    """For each slot and each value that it may hold the value it has when the start counts as solved."""
    undone = puzzle.contents(puzzle.inverse_state(start))
    row = max(puzzle.values)
    images = [0] * (len(puzzle.values) * row)
    for orbit in puzzle.orbits:
        n = orbit.orientations
        for value in range(orbit.pieces * n):
            home, turned = divmod(value, n)
            piece, before = divmod(undone[orbit.first + home], n)
            for slot in orbit.slots:
                images[slot * row + value] = piece * n + (before + turned) % n
    return images


def _refuses(puzzle: Puzzle, moves: MoveSet) -> str | None:
    if not puzzle.all_different:
        return "the start cannot become the goal, because some pieces are identical"
    if {puzzle.inverse(move) for move in moves.moves} != set(moves.moves):
        return f"the moves {moves.name} do not have the inverse of each; the way back would be another puzzle"
    return None


def method(rule: Literal["mm", "nbs"], summary: str) -> Method:
    """One of the two."""
    return Method(
        name=rule,
        summary=summary,
        duplicates="exact, reopening",
        search=partial(_search, rule),
        options=("heuristic",),
        optimal=True,
        refuses=_refuses,
    )
