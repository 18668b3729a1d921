"""What can be done with algs: make one shorter, and find one that leads to a random state.

>>> puzzle = get_puzzle("megaminx")
>>> shorten(puzzle, puzzle.parse_alg("U R U' F F' U R' U'"), "single")
('U', 'R', 'R', "U'") or shorter                                                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hstar import schema, search
from hstar.errors import Fault, InvalidRequest
from hstar.puzzles import Puzzle, State, random_state
from hstar.search.anytime.windows import merged
from hstar.search.relative import relative, toward

__all__ = ["RandomScramble", "random_scramble", "shorten"]


class RandomScramble(schema.Out):
    """A uniformly random state, and moves that lead to it from solved."""

    puzzle: str
    moves: str
    seed: int
    alg: list[str]
    state: dict[str, Any]


#: expansions that a scramble to a random state may take to become shorter; more would change what is known
_SCRAMBLE_EXPANDED = 20_000


def shorten(
    puzzle: Puzzle,
    alg: Sequence[str],
    moves: str | None = None,
    limits: schema.LimitsIn | None = None,
    control: search.Control | None = None,
) -> tuple[str, ...]:
    """A shorter alg that does from solved what ``alg`` does, or ``alg`` itself if none is found within the limits.

    :param moves: the move set that the shorter one may use; the alg itself may have other moves
    :raises InvalidAlg: the alg cannot be carried out
    :raises UnknownName: no such move set
    :raises InvalidRequest: the alg has moves of another set, and nothing was found that has not
    """
    there, start = relative(puzzle, puzzle.solved, alg)
    known = merged(puzzle, alg)
    allowed = set(puzzle.move_set(moves).moves)
    found = _solve(puzzle, there, start, moves, limits or schema.LimitsIn(seconds=10), control, known)
    if found is None and not allowed.issuperset(known):
        raise InvalidRequest("no alg of these moves was found", [Fault("/limits", "allow more, or all moves")])
    return known if found is None or (len(found) >= len(known) and allowed.issuperset(known)) else found


def random_scramble(puzzle: Puzzle, seed: int, moves: str | None = None) -> RandomScramble:
    """Moves from solved to a uniformly random state: that of `hstar.puzzles.random_state`.

    :raises UnknownName: no such move set
    :raises InvalidRequest: the seed is out of range, or the puzzle is none whose states can be composed
    """
    move_set = puzzle.move_set(moves)
    state: State = random_state(puzzle, seed, moves)
    there, start = toward(puzzle, puzzle.solved, state)
    alg = _solve(puzzle, there, start, moves, schema.LimitsIn(expanded=_SCRAMBLE_EXPANDED), None, None)
    if alg is None:
        raise InvalidRequest("no scramble was found", [Fault("/seed", "the state is far; try another")])
    return RandomScramble(
        puzzle=puzzle.name, moves=move_set.name, seed=seed, alg=list(alg), state=puzzle.format_state(state)
    )


def _solve(
    puzzle: Puzzle,
    there: Puzzle,
    start: State,
    moves: str | None,
    limits: schema.LimitsIn,
    control: search.Control | None,
    known: Sequence[str] | None,
) -> tuple[str, ...] | None:
    """The best answer of anytime, begun with a known one; replayed there, which is a replay here."""
    request = schema.SolveRequest(
        puzzle=puzzle.name, goal=puzzle.goal_board(), alg="", moves=moves, algorithm="anytime", limits=limits
    )
    problem = replace(search.prepare(request), puzzle=there, start=start, known=known)
    solution = search.solve(problem, control).solution
    return None if solution is None else tuple(solution)
