"""The search algorithms, by name: what each one is, which options it looks at, and whether it proves its solutions.

Adding one is one entry of `ALGORITHMS` (and one name of `hstar.schema.Method`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hstar import _kernel, databases, schema
from hstar.puzzles import MoveSet, Puzzle
from hstar.puzzles.master_pyraminx import MasterPyraminx
from hstar.puzzles.megaminx import Megaminx
from hstar.puzzles.sliding_tiles import SlidingTiles

if TYPE_CHECKING:
    from hstar.search.problem import Problem


@dataclass(frozen=True, slots=True)
class SearchAlgorithm:
    """One way to search.

    :param heuristic: it looks at the heuristic; else it is searched with h = 0
    :param weight: it looks at the weight
    :param tie_breaking: it has ties to break
    :param optimal: with an admissible heuristic and weight 1 its solutions are shortest
    :param layers: it goes from one f to the next, and so has expansions of the last layer
    :param search: problem, control and threads; all but IDA* over databases use one
    """

    summary: str
    search: Callable[[Problem, _kernel.Control, int], _kernel.Outcome]
    heuristic: bool = False
    weight: bool = False
    tie_breaking: bool = False
    optimal: bool = True
    layers: bool = True


def _astar(problem: Problem, control: _kernel.Control, threads: int) -> _kernel.Outcome:
    return _kernel.astar(
        *_question(problem),
        problem.heuristic.kernel,
        weight=problem.weight,
        tie_breaking=problem.tie_breaking,
        **_limits(problem),
        control=control,
    )


def _greedy(problem: Problem, control: _kernel.Control, threads: int) -> _kernel.Outcome:
    return _kernel.greedy(
        *_question(problem),
        problem.heuristic.kernel,
        tie_breaking=problem.tie_breaking,
        **_limits(problem),
        control=control,
    )


def _ida_star(problem: Problem, control: _kernel.Control, threads: int) -> _kernel.Outcome:
    """Over nothing but databases for these moves there is a search of its own, which reads them through all symmetries
    and can use several threads."""
    found = databases.matching(problem.heuristic, problem.moves) if problem.weight == 1 else None
    if found is not None:
        limits = _limits(problem)
        del limits["memory_bytes"]  # it needs next to none
        return databases.search(found, problem.start, **limits, threads=threads, control=control)
    return _kernel.ida_star(
        *_question(problem), problem.heuristic.kernel, weight=problem.weight, **_limits(problem), control=control
    )


def _breadth_first(problem: Problem, control: _kernel.Control, threads: int) -> _kernel.Outcome:
    return _kernel.breadth_first(*_question(problem), **_limits(problem), control=control)


def _bidirectional(problem: Problem, control: _kernel.Control, threads: int) -> _kernel.Outcome:
    return _kernel.bidirectional(*_question(problem), **_limits(problem), control=control)


def _question(problem: Problem) -> tuple[_kernel.Puzzle, bytes, list[int]]:
    return problem.puzzle.kernel, problem.start, problem.move_numbers


def _limits(problem: Problem) -> dict[str, Any]:
    limits = problem.limits
    return {
        "max_expanded": limits.expanded,
        "max_generated": limits.generated,
        "seconds": limits.seconds,
        "memory_bytes": limits.memory_mib * 2**20,
    }


ALGORITHMS: Mapping[schema.Method, SearchAlgorithm] = {
    "astar": SearchAlgorithm(
        "best-first by f = g + weight * h", _astar, heuristic=True, weight=True, tie_breaking=True
    ),
    "greedy": SearchAlgorithm(
        "best-first by h alone: fast, seldom optimal",
        _greedy,
        heuristic=True,
        tie_breaking=True,
        optimal=False,
        layers=False,
    ),
    "ida_star": SearchAlgorithm(
        "depth-first below rising thresholds of f: hardly any memory", _ida_star, heuristic=True, weight=True
    ),
    "breadth_first": SearchAlgorithm("layer by layer from the start", _breadth_first),
    "bidirectional": SearchAlgorithm("layer by layer from the start and from the goal", _bidirectional),
}


#: an attempt of auto: the method, its heuristic (None: the default), and after how many expansions it is given up
Choice = tuple[schema.Method, str | None, int | None]

#: auto gives up what needs no databases after so many expansions: sooner than they could be built
EASY = 10_000
EASY_TILES = 100_000

#: exact moves of each piece alone; a turn of the Megaminx moves five pieces of each kind
_PIECES = 'max(ceil(corner_moves("{0}") / 5), ceil(edge_moves("{0}") / 5))'
#: of the Master Pyraminx without fourth layers: only first layers turn tips, second ones axials, third ones edges and
#: centres, and wings go with the second and the third. What different layers bring home adds up
_LAYERS = 'tip_moves("{0}") + max(axial_moves("{0}") + {1}, ceil(wing_moves("{0}") / 3){2})'
_THIRD = 'max(ceil(edge_moves("{0}") / 3), ceil(centre_moves("{0}") / 3))'
_PARTS = ('pdb("edges:6+centres:4")', ', pdb("wings:7")')


def strongest(puzzle: Puzzle, moves: MoveSet) -> list[Choice]:
    """What ``auto`` is: attempts in turn, by measurement on the same instances (docs/decisions/0022).

    Most scrambles that people try are near, so a search that needs nothing comes first. The last attempt is not given
    up; one whose databases do not fit into the memory of the solve is left out.
    """
    if isinstance(puzzle, Megaminx):
        return [("ida_star", _PIECES.format(moves.name), None)]
    if isinstance(puzzle, SlidingTiles) and puzzle.cells <= 12:
        return [("astar", None, None)]
    if isinstance(puzzle, MasterPyraminx) and moves.name in ("cw12", "ccw12"):
        alone = _LAYERS.format(moves.name, _THIRD.format(moves.name), "")
        return [("ida_star", alone, EASY), ("ida_star", _LAYERS.format(moves.name, *_PARTS), None)]
    first: Choice = (
        ("ida_star", None, EASY_TILES) if isinstance(puzzle, SlidingTiles) else ("bidirectional", "zero", EASY)
    )
    found = databases.strongest(puzzle, moves)
    return [first] if found is None else [first, ("ida_star", found.expression, None)]
