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
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.base import MAX_MOVE_SET_NAME
from hstar.puzzles.permutation import PermutationPuzzle

__all__ = ["RandomScramble", "random_scramble", "shorten", "shortening"]


class RandomScramble(schema.Out):
    """A uniformly random state, and moves that lead to it from solved."""

    puzzle: str
    moves: str
    seed: int
    alg: list[str]
    state: dict[str, Any]


#: the most expansions spent on making a scramble to a random state shorter; changing this changes known scrambles
_SCRAMBLE_EXPANDED = 20_000


def shortening(puzzle: Puzzle, text: str, moves: str | None) -> str:
    """The move set for a shorter alg: the one that is named, or else the puzzle's own, with the alg's moves if it has
    others and their names fit.

    :raises InvalidAlg: the alg cannot be parsed
    :raises InvalidRequest: the alg has moves that the named set does not have
    """
    alg = puzzle.parse_alg(text)
    chosen = puzzle.move_set(puzzle.counted if moves is None else moves)
    others = [move for move in dict.fromkeys(alg) if move not in chosen.moves]
    if not others:
        return chosen.name
    if moves is not None:
        fault = Fault("/moves", f"{chosen.name} has no {', '.join(others[:5])}: find other moves with `hstar solve`")
        raise InvalidRequest("the alg has moves that the shorter one may not have", [fault])
    covering = puzzle.covering(MoveSet("", tuple(dict.fromkeys(alg)), ""))
    if covering is not None:
        return covering.name
    together = " ".join([*chosen.moves, *others])
    return puzzle.move_set(together).name if len(together) <= MAX_MOVE_SET_NAME else chosen.name


def shorten(
    puzzle: Puzzle,
    alg: Sequence[str],
    moves: str | None = None,
    limits: schema.LimitsIn | None = None,
    control: search.Control | None = None,
) -> tuple[str, ...]:
    """A shorter alg with the same effect, or ``alg`` itself if none is found within the limits: never a longer one.
    Pieces that look alike end where ``alg`` brings them.

    :param moves: the move set of both algs; left out: the puzzle's, with other moves of the alg
    :raises InvalidAlg: the alg cannot be applied
    :raises UnknownName: no such move set
    :raises InvalidRequest: the alg has moves that are not in the set
    """
    request = schema.SolveRequest(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        shorten=puzzle.format_alg(alg),
        moves=shortening(puzzle, puzzle.format_alg(alg), moves),
        algorithm="anytime",
        limits=limits or schema.LimitsIn(seconds=10),
    )
    found = search.solve(search.prepare(request), control).solution
    return tuple(alg) if found is None or len(found) > len(alg) else tuple(found)


def random_scramble(puzzle: Puzzle, seed: int, moves: str | None = None) -> RandomScramble:
    """Moves from solved to a uniformly random state: that of `hstar.puzzles.random_state`.

    Where pieces are identical, they are the inverse of a solution.

    :raises UnknownName: no such move set
    :raises InvalidRequest: the seed is out of range, or states of this puzzle cannot be composed and moves not undone
    """
    chosen = puzzle.move_set(puzzle.counted if moves is None else moves)
    alike = isinstance(puzzle, PermutationPuzzle) and not puzzle.all_different
    back = alike and all(puzzle.inverse(move) in chosen.moves for move in chosen.moves)
    way: dict[str, Any] = {"random": seed} if back else {"alg": "", "target": {"random": seed}}
    request = schema.SolveRequest(
        puzzle=puzzle.name, goal=puzzle.goal_board(), **way, moves=chosen.name,
        algorithm="anytime", limits=schema.LimitsIn(expanded=_SCRAMBLE_EXPANDED),
    )  # fmt: skip
    problem = search.prepare(request)
    alg = search.solve(problem).solution
    if alg is None:
        raise InvalidRequest("no scramble was found", [Fault("/seed", "the state is far; try another")])
    state = problem.given.state if back else problem.given.target
    return RandomScramble(
        puzzle=puzzle.name, moves=chosen.name, seed=seed, alg=list(puzzle.inverse_alg(alg)) if back else alg,
        state=state or {},
    )  # fmt: skip
