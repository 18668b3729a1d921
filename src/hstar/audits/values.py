"""Auditing the values that a student's program printed: each is compared with the true distance, and neighbours with
each other.

Some values of a heuristic can prove nothing about it, so the verdict is ``refuted`` or ``unrefuted``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hstar.audits.schema import (
    AuditCounterexample,
    AuditInconsistency,
    ClaimedValue,
    Distance,
    HeuristicAudit,
)
from hstar.errors import Fault, HstarError, InvalidRequest
from hstar.labels import Labelling
from hstar.puzzles import MoveSet, Puzzle, State
from hstar.schema import LabelsIn
from hstar.search import Control
from hstar.verification.optimum import optimum

#: expansions of the search for the distance of one instance
EXPANDED = 1_000_000


@dataclass(frozen=True)
class Values:
    """The instances as states, by row, with their algs, and the names to use in the answer."""

    rows: Sequence[tuple[State, tuple[str, ...] | None, float]]
    labelling: Labelling | None

    def shown(self, alg: tuple[str, ...] | None) -> list[str] | None:
        """An alg in the student's names."""
        if alg is None:
            return None
        return list(alg) if self.labelling is None else self.labelling.format_moves(alg)


def read(given: Sequence[ClaimedValue], puzzle: Puzzle, labels: LabelsIn | None) -> Values:
    """The instances of printed values; `InvalidRequest` lists all rows that cannot be read."""
    labelling = None if labels is None else Labelling.from_neighbours(labels.neighbours, puzzle, anchors=labels.anchors)
    reader: Puzzle | Labelling = puzzle if labelling is None else labelling
    rows: list[tuple[State, tuple[str, ...] | None, float]] = []
    faults = []
    for number, value in enumerate(given):
        try:
            if value.alg is None:
                rows.append((reader.parse_state(value.state), None, value.h))
            else:
                alg = reader.parse_alg(value.alg)
                rows.append((puzzle.apply_alg(puzzle.solved, alg), alg, value.h))
        except HstarError as error:
            faults.append(Fault(f"/values/{number}", error.shortly))
    if faults:
        raise InvalidRequest("some of the values have no instance", faults)
    return Values(rows, labelling)


def audit(puzzle: Puzzle, moves: MoveSet, read: Values, control: Control | None = None) -> HeuristicAudit:
    """The verdict on printed values."""
    by_distance: dict[int, list[tuple[int, float]]] = {}
    known: dict[State, float] = {}
    unknown = 0
    for number, (state, _, h) in enumerate(read.rows):
        known.setdefault(state, h)
        best = optimum(puzzle, state, moves, EXPANDED, control)
        if best.length is None:
            unknown += 1
        else:
            by_distance.setdefault(best.length, []).append((number, h))
    drops = _drops(read, known, puzzle, moves)
    rows, worst = [], None
    for distance in sorted(by_distance):
        found = by_distance[distance]
        above = [(h - distance, -number) for number, h in found if h > distance + 1e-9 or h < 0]
        if above and worst is None:
            worst = distance, -max(above)[1]
        rows.append(
            Distance(
                distance=distance,
                states=len(found),
                inadmissible=len(above),
                inconsistent=sum(number in drops for number, _ in found),
                largest_excess=max(0.0, max(h - distance for _, h in found)),
                mean_ratio=sum(h / distance for _, h in found) / len(found) if distance else None,
            )
        )
    contradiction = _contradiction(read)
    counterexample = None
    if worst is not None:
        distance, number = worst
        state, alg, h = read.rows[number]
        solution = optimum(puzzle, state, moves, EXPANDED, control).solution
        counterexample = AuditCounterexample(
            alg=read.shown(alg), h=h, distance=distance, solution=read.shown(solution), row=number + 1
        )
    first = min(drops, key=lambda number: number, default=None)
    count = len(read.rows)
    reason = f"none of the {count:,} values is above the true distance"
    if unknown:
        reason += f", but of {unknown} the distance is not known within {EXPANDED:,} expansions"
    if counterexample is not None:
        below = counterexample.h < 0
        reason = f"row {counterexample.row}: h = {counterexample.h:g} at distance {counterexample.distance}"
        reason += ", below 0" if below else ""
    return HeuristicAudit(
        puzzle=puzzle.name,
        goal=puzzle.goal_board(),
        moves=moves.name,
        heuristic=None,
        expression=None,
        radius=max(by_distance, default=0),
        whole_space=False,
        states=count,
        verdict="unrefuted" if counterexample is None else "refuted",
        reason=reason,
        consistent="refuted" if first is not None or contradiction or counterexample is not None else "unrefuted",
        consistent_reason=contradiction
        or (f"a move lowers h by more than {'it costs' if moves.costs else 1}" if first is not None else reason),
        h_at_goal=known.get(puzzle.solved),
        by_distance=rows,
        counterexample=counterexample,
        inconsistency=None if first is None else drops[first],
        largest_excess=max((row.largest_excess for row in rows), default=0.0),
    )


def _drops(read: Values, known: dict[State, float], puzzle: Puzzle, moves: MoveSet) -> dict[int, AuditInconsistency]:
    """By row, a move to another printed instance that lowers h by more than it costs."""
    found = {}
    for number, (state, alg, h) in enumerate(read.rows):
        for move, after in puzzle.successors(state, moves.moves):
            if after in known and h > moves.cost(move) + known[after] + 1e-9:
                shown = read.shown((move,))
                assert shown is not None
                found[number] = AuditInconsistency(alg=read.shown(alg), move=shown[0], h=h, h_after=known[after])
                break
    return found


def _contradiction(read: Values) -> str | None:
    """Two different values of one state."""
    first: dict[State, int] = {}
    for number, (state, _, h) in enumerate(read.rows):
        before = first.setdefault(state, number)
        if abs(read.rows[before][2] - h) > 1e-9:
            return f"rows {before + 1} and {number + 1} are the same state with h = {read.rows[before][2]:g} and {h:g}"
    return None
