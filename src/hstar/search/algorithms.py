"""The search algorithms by name: what each one is, which options it uses, and whether it proves its solutions.

Adding one is one entry of `ALGORITHMS` (and one name of `hstar.schema.Method`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hstar import _kernel, schema
from hstar.databases import TileDatabases
from hstar.heuristics.databases import matching
from hstar.puzzles import MoveSet, Puzzle
from hstar.search import anytime
from hstar.search.control import Control
from hstar.search.problem import Problem


@dataclass(frozen=True, slots=True)
class SearchAlgorithm:
    """One way to search.

    :param heuristic: it uses the heuristic; otherwise h = 0
    :param weight: it uses the weight
    :param tie_breaking: it has ties to break
    :param optimal: with an admissible heuristic and weight 1 its solutions are shortest
    :param layers: it has f-layers, and so expansions of the last layer
    :param improves: it goes on after its first solution; a limit ends it with the best so far
    :param width: the states of each layer that it keeps where none are asked for; None if it has no width
    :param refuses: why it cannot search a puzzle with these moves, or None
    :param search: takes problem, control and threads; all but IDA* use one thread
    """

    summary: str
    search: Callable[[Problem, Control, int], _kernel.Outcome | anytime.Found]
    heuristic: bool = False
    weight: bool = False
    tie_breaking: bool = False
    optimal: bool = True
    layers: bool = True
    improves: bool = False
    width: int | None = None
    refuses: Callable[[Puzzle, MoveSet], str | None] = lambda _puzzle, _moves: None


def _astar(problem: Problem, control: Control, threads: int) -> _kernel.Outcome:
    return _kernel.astar(
        *_question(problem),
        problem.heuristic.kernel,
        weight=problem.weight,
        tie_breaking=problem.tie_breaking,
        **_limits(problem),
        control=control.kernel,
    )


def _greedy(problem: Problem, control: Control, threads: int) -> _kernel.Outcome:
    return _kernel.greedy(
        *_question(problem),
        problem.heuristic.kernel,
        tie_breaking=problem.tie_breaking,
        **_limits(problem),
        control=control.kernel,
    )


def _ida_star(problem: Problem, control: Control, threads: int) -> _kernel.Outcome:
    """IDA*. A heuristic of only databases for these moves has a special search, which looks them up for all
    symmetries."""
    databases = matching(problem.heuristic.expression, problem.moves) if problem.weight == 1 else None
    if databases is not None:
        limits = _limits(problem)
        del limits["memory_bytes"]  # it needs almost no memory
        if isinstance(databases, TileDatabases) and problem.known is not None and problem.is_solution(problem.known):
            limits["longest"] = len(problem.known) - 1  # exhausted: the known one is shortest
        return databases.search(problem.start, **limits, threads=threads, control=control.kernel)
    return _kernel.ida_star(
        *_question(problem),
        problem.heuristic.kernel,
        weight=problem.weight,
        partitions=problem.strategies[-1].partitions,
        **_limits(problem),
        threads=threads,
        control=control.kernel,
    )


def _breadth_first(problem: Problem, control: Control, threads: int) -> _kernel.Outcome:
    return _kernel.breadth_first(*_question(problem), **_limits(problem), control=control.kernel)


def _bidirectional(problem: Problem, control: Control, threads: int) -> _kernel.Outcome:
    return _kernel.bidirectional(*_question(problem), **_limits(problem), control=control.kernel)


def _constructive(problem: Problem, control: Control, threads: int) -> anytime.Found:
    return anytime.constructive(problem, control)


def _two_phase(problem: Problem, control: Control, threads: int) -> anytime.Found:
    return anytime.two_phase(problem, control)


def _windows(problem: Problem, control: Control, threads: int) -> anytime.Found:
    return anytime.windows(problem, control, _exact)


def _anytime(problem: Problem, control: Control, threads: int) -> anytime.Found:
    return anytime.search(problem, control, threads, _exact)


def _exact(part: Problem, control: Control, threads: int) -> _kernel.Outcome:
    """One of the searches that prove their solutions, as a part of another."""
    outcome = ALGORITHMS[part.method].search(part, control, threads)
    assert isinstance(outcome, _kernel.Outcome)  # auto never chooses the others
    return outcome


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
    "constructive": SearchAlgorithm(
        "the first solution of a direct method: rows and columns of tiles, words that keep solved pieces",
        _constructive,
        optimal=False,
        layers=False,
        refuses=anytime.why_no_solution,
    ),
    "beam": SearchAlgorithm(
        "layer by layer, keeping the states that look nearest to the goal",
        anytime.beam,
        optimal=False,
        layers=False,
        width=1_000,
        refuses=anytime.why_no_beam,
    ),
    "two_phase": SearchAlgorithm(
        "into a subgroup, then home within it, shorter and shorter (Kociemba)",
        _two_phase,
        optimal=False,
        layers=False,
        improves=True,
        refuses=anytime.why_no_subgroup,
    ),
    "windows": SearchAlgorithm(
        "a known or direct solution, each part of it replaced by a shortest one",
        _windows,
        optimal=False,
        layers=False,
        improves=True,
        refuses=anytime.why_no_solution,
    ),
    "anytime": SearchAlgorithm(
        "a solution soon, then shorter ones and a higher bound, until they meet or a limit is reached",
        _anytime,
        optimal=False,
        layers=False,
        improves=True,
    ),
}
