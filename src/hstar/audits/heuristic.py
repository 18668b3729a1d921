"""Auditing a heuristic: every state within a radius of the goal, with its true distance, and every move from it.

>>> audit(HeuristicAuditRequest(puzzle="8-puzzle", heuristic="manhattan", radius=100)).verdict
'proven'

The kernel goes backwards from the goal, so the distance of each state is known without a search. ``proven`` means that
these were all states of the puzzle, or that the bounds of the heuristic are a proof (`hstar.heuristics.analysis`).
``refuted`` comes with a nearest counterexample. Otherwise the verdict is ``unrefuted`` within the radius.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from hstar import _kernel
from hstar.audits import values
from hstar.audits.schema import (
    AuditCounterexample,
    AuditInconsistency,
    AuditVerdict,
    Distance,
    Dominance,
    ExpectedNodes,
    HeuristicAudit,
    HeuristicAuditRequest,
)
from hstar.errors import Fault, InvalidRequest
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.analysis import ROUNDING
from hstar.heuristics.databases import named_by
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, make_scramble
from hstar.remembered import Remembered
from hstar.search import Control

__all__ = ["HeuristicAudit", "HeuristicAuditRequest", "Prepared", "audit", "prepare"]

#: random states from which the distribution of h is estimated, and moves of each of their scrambles
SAMPLES = 500
SAMPLE_MOVES = 100


_AUDITS: Remembered[HeuristicAudit] = Remembered("audit of a heuristic", HeuristicAudit)


@dataclass(frozen=True)
class Prepared:
    """An audit that is ready to run, with all its inputs read."""

    request: HeuristicAuditRequest
    puzzle: Puzzle
    moves: MoveSet
    heuristic: Heuristic | None
    other: Heuristic | None
    read: values.Values | None

    @property
    def databases(self) -> dict[str, int]:
        """The identity of each pattern database that may be built for it, and its largest size in bytes."""
        return named_by(one.expression for one in (self.heuristic, self.other) if one is not None)

    def run(self, control: Control | None = None) -> HeuristicAudit:
        """Look at the states; ``control`` can stop it, and counts them as expansions."""
        if self.read is not None:
            return values.audit(self.puzzle, self.moves, self.read, control)
        assert self.heuristic is not None
        heuristic, other, control = self.heuristic, self.other, control or Control()
        question = [
            *self.puzzle.identity, self.moves.name, heuristic.name, heuristic.expression.text, self.request.radius,
            None if other is None else other.expression.text, self.request.limits.model_dump(),
        ]  # fmt: skip
        return _AUDITS.get(
            question,
            lambda: _of_expression(self.request, self.puzzle, self.moves, heuristic, other, control),
            # Not kept if the audit was stopped or ran out of memory: the next one may find more.
            lambda found: not control.cancelled and found.limit != "memory",
        )


def prepare(request: HeuristicAuditRequest) -> Prepared:
    """Read and check a request.

    :raises HstarError: the puzzle, move set, labels, a heuristic or a value's instance is not acceptable; all faults
    """
    puzzle = get_puzzle(request.puzzle, request.goal)
    moves = puzzle.move_set(request.moves, costs=True)
    if moves.costs and request.values is None:
        fault = Fault("/moves", "here each move costs 1; `hstar check --whole` compares all states by cost")
        raise InvalidRequest("with costs only printed values are audited", [fault])
    heuristic = other = read = None
    if request.values is not None:
        read = values.read(request.values, puzzle, request.labels)
    else:
        heuristic = get_heuristic(request.heuristic, puzzle, moves)
    if request.dominates is not None:
        other = get_heuristic(request.dominates, puzzle, moves)
    return Prepared(request, puzzle, moves, heuristic, other, read)


def audit(request: HeuristicAuditRequest, control: Control | None = None) -> HeuristicAudit:
    """The verdict on a heuristic; raises as `prepare` does."""
    return prepare(request).run(control)


def _of_expression(
    request: HeuristicAuditRequest,
    puzzle: Puzzle,
    moves: MoveSet,
    heuristic: Heuristic,
    other: Heuristic | None,
    control: Control,
) -> HeuristicAudit:
    with control.watching_builds():
        heuristic.load()
        if other is not None:
            other.load()
    with heuristic.watching(control.cancel), (other or heuristic).watching(control.cancel):
        seen = _kernel.audit(
            heuristic.kernel,
            None if other is None else other.kernel,
            [puzzle.moves.index(move) for move in moves.moves],
            [puzzle.moves.index(puzzle.inverse(move)) for move in moves.moves],
            request.radius,
            max_states=request.limits.states,
            memory_bytes=request.limits.memory_mib * 2**20,
            control=control.search(),
        )
    states = sum(row.states for row in seen.rows)
    whole = seen.whole or states == puzzle.state_count
    # The kernel passes over what may be rounding, which only doubles with a fraction have.
    rounded = whole and not heuristic.integer
    known = heuristic.check_whole_space(moves) if rounded else heuristic.verdicts(moves, deep=True)
    radius = len(seen.rows) - 1
    over, drop = seen.overestimate, seen.drop

    def named(path: list[int]) -> list[str]:
        return [puzzle.moves[number] for number in path]

    verdict, reason = _verdict(
        over is not None, whole, states, radius, known.admissible, known.reason,
        lambda: f"h = {over.h:g} at distance {over.distance}" if over else "",
    )  # fmt: skip
    h_at_goal = heuristic(puzzle.solved)
    falls = drop is not None or h_at_goal > ROUNDING
    consistent, consistent_reason = _verdict(
        falls, whole, states, radius, known.consistent, known.reason,
        lambda: (
            f"{puzzle.moves[drop.move]} lowers h from {drop.before:g} to {drop.after:g}"
            if drop else f"h = {h_at_goal:g} at the goal"
        ),
    )  # fmt: skip
    return HeuristicAudit(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        moves=moves.name,
        heuristic=heuristic.name,
        expression=heuristic.expression.text,
        radius=radius,
        whole_space=whole,
        states=states,
        verdict=verdict,
        reason=reason,
        consistent=consistent,
        consistent_reason=consistent_reason,
        h_at_goal=h_at_goal,
        by_distance=[
            Distance(
                distance=distance,
                states=row.states,
                inadmissible=row.inadmissible,
                inconsistent=row.inconsistent,
                largest_excess=row.largest_excess,
                mean_ratio=row.ratio_sum / row.states if distance else None,
            )
            for distance, row in enumerate(seen.rows)
        ],
        counterexample=over
        and AuditCounterexample(
            alg=named(over.path),
            h=over.h,
            distance=over.distance,
            solution=list(puzzle.inverse_alg(named(over.path))),
        ),
        inconsistency=drop
        and AuditInconsistency(alg=named(drop.path), move=puzzle.moves[drop.move], h=drop.before, h_after=drop.after),
        largest_excess=max((row.largest_excess for row in seen.rows), default=0.0),
        dominance=None if other is None else _dominance(other, seen.rows, states),
        expected=_expected(puzzle, moves, heuristic, [row.states for row in seen.rows]),
        limit="memory" if seen.early == "memory" else "states" if seen.early == "expanded" else None,
    )


def _verdict(
    refuted: bool, whole: bool, states: int, radius: int, known: str, why: str, shown: Callable[[], str]
) -> tuple[AuditVerdict, str]:
    if refuted:
        return "refuted", shown()
    if known == "refuted":  # by states beyond the radius, or by less than may be rounding
        return "refuted", why
    if whole:
        return "proven", f"it holds on all {states:,} states of the puzzle"
    if known == "proven":
        return "proven", why
    return "unrefuted", f"it holds on all {states:,} states within {radius} moves of the goal; no proof is known"


def _dominance(other: Heuristic, rows: list[_kernel.AuditRow], states: int) -> Dominance:
    larger, smaller = sum(row.above_other for row in rows), sum(row.below_other for row in rows)
    return Dominance(
        other=other.expression.text,
        larger=larger,
        equal=states - larger - smaller,
        smaller=smaller,
        dominates=smaller == 0,
    )


def _expected(puzzle: Puzzle, moves: MoveSet, heuristic: Heuristic, counts: list[int]) -> list[ExpectedNodes]:
    """The estimate of Korf, Reid and Edelkamp (2001) for a search with duplicate detection: of the N(i) states at i
    moves from the start, those with h of at most d - i are expanded. N(i) is counted around the goal, and the
    distribution of h is estimated by random walks."""
    if not all(feature.cheap for feature in heuristic.expression.features):
        return []
    try:
        sample = _sample(puzzle, moves, heuristic)
    except InvalidRequest:  # walks come to where none of the moves can be made
        return []

    def at_most(bound: int) -> float:
        return sum(h <= bound + 1e-9 for h in sample) / len(sample)

    return [
        ExpectedNodes(distance=d, expanded=sum(counts[i] * at_most(d - i) for i in range(d + 1)))
        for d in range(len(counts))
    ]


def _sample(puzzle: Puzzle, moves: MoveSet, heuristic: Heuristic) -> list[float]:
    """h of states at the end of random walks, the same ones each time."""
    return [heuristic(state) for state in _random_states(puzzle, moves)]


@lru_cache(maxsize=16)
def _random_states(puzzle: Puzzle, moves: MoveSet) -> list[State]:
    algs = (make_scramble(puzzle, SAMPLE_MOVES, seed, moves.name).alg for seed in range(SAMPLES))
    return [puzzle.apply_alg(puzzle.solved, alg) for alg in algs]
