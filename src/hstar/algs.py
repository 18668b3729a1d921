"""Operations on algs: make one shorter, and find one that leads to a random state.

>>> puzzle = get_puzzle("megaminx")
>>> shorten(puzzle, puzzle.parse_alg("U R U' F F' U R' U'"), "single")
('U', 'R', 'R', "U'") or shorter                                                  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hstar import schema, search
from hstar.errors import Fault, InvalidRequest
from hstar.puzzles import Puzzle

__all__ = ["RandomScramble", "random_scramble", "shorten"]


class RandomScramble(schema.Out):
    """A uniformly random state, and moves that lead to it from solved."""

    puzzle: str
    moves: str
    seed: int
    alg: list[str]
    state: dict[str, Any]


#: the most expansions spent on making a scramble to a random state shorter; changing this changes known scrambles
_SCRAMBLE_EXPANDED = 20_000


def shorten(
    puzzle: Puzzle,
    alg: Sequence[str],
    moves: str | None = None,
    limits: schema.LimitsIn | None = None,
    control: search.Control | None = None,
) -> tuple[str, ...]:
    """A shorter alg with the same effect, or ``alg`` itself if none is found within the limits. Where pieces are
    identical it solves the same state, and may do something else to others.

    :param moves: the move set that the shorter one may use; the alg itself may have other moves
    :raises InvalidAlg: the alg cannot be applied
    :raises UnknownName: no such move set
    :raises InvalidRequest: the alg has moves that are not in the set, and no other alg was found
    """
    request = schema.SolveRequest(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        shorten=puzzle.format_alg(alg),
        moves=moves,
        algorithm="anytime",
        limits=limits or schema.LimitsIn(seconds=10),
    )
    found = search.solve(search.prepare(request), control).solution
    if found is None:
        raise InvalidRequest("found no alg of these moves", [Fault("/limits", "allow more time, or all moves")])
    return tuple(found)


def random_scramble(puzzle: Puzzle, seed: int, moves: str | None = None) -> RandomScramble:
    """Moves from solved to a uniformly random state: that of `hstar.puzzles.random_state`.

    :raises UnknownName: no such move set
    :raises InvalidRequest: the seed is out of range, or states of this puzzle cannot be composed
    """
    request = schema.SolveRequest(
        puzzle=puzzle.name, goal=puzzle.goal_board(), alg="", target={"random": seed}, moves=moves,
        algorithm="anytime", limits=schema.LimitsIn(expanded=_SCRAMBLE_EXPANDED),
    )  # fmt: skip
    problem = search.prepare(request)
    alg = search.solve(problem).solution
    if alg is None:
        raise InvalidRequest("no scramble was found", [Fault("/seed", "the state is far; try another")])
    return RandomScramble(
        puzzle=puzzle.name, moves=problem.moves.name, seed=seed, alg=alg, state=problem.given.target or {}
    )
