"""Printed values of a heuristic for moves with costs are compared with what the cheapest solutions cost."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.certificates import verdicts
from hstar.errors import InvalidRequest
from hstar.puzzles import get_puzzle
from tests.certificates.checkers import first, second
from tests.heuristics.test_costs import dijkstra, some_costs


@pytest.mark.parametrize("above", [0, 1])
def test_values_are_compared_with_dijkstra(above: int, tmp_path: Path) -> None:
    random, puzzle = Random(above), get_puzzle("tiles:2x3")
    moves = some_costs(random, puzzle, 9)
    truth = dijkstra(puzzle, moves)
    chosen = random.sample(sorted(truth), 30)
    wrong = chosen[7]
    values = [{"state": puzzle.format_state(state), "h": truth[state] + above * (state == wrong)} for state in chosen]
    request = HeuristicAuditRequest.model_validate({"puzzle": "tiles:2x3", "moves": moves.name, "values": values})
    found = audit(request)
    assert {row.distance: row.states for row in found.by_distance} == {
        cost: sum(truth[state] == cost for state in chosen) for cost in {truth[state] for state in chosen}
    }
    assert found.verdict == ("refuted" if above else "unrefuted")
    if above:
        assert found.counterexample is not None
        assert (found.counterexample.row, found.counterexample.distance) == (8, truth[wrong])
        assert moves.length(found.counterexample.solution or []) == truth[wrong]
        file = tmp_path / "values.hcert"
        with file.open("wb") as destination:
            verdicts.of_heuristic_audit(request, found).write(destination)
        said = f"solves in moves that cost {truth[wrong]} what h says is {truth[wrong] + 1} away, if row 8 is"
        assert said in first(file).said
        assert second(file).proven


@pytest.mark.parametrize(("h", "consistent"), [(4, "unrefuted"), (5, "refuted")])
def test_a_move_may_lower_h_by_what_it_costs(h: int, consistent: str) -> None:
    """Far from the goal, where neither value is above the distance."""
    puzzle = get_puzzle("tiles:2x3")
    moves = puzzle.move_set("U:4 D:4 L:4 R:4", costs=True)
    far = max(dijkstra(puzzle, moves).items(), key=lambda one: one[1])[0]
    _, after = next(puzzle.successors(far, moves.moves))
    values = [{"state": puzzle.format_state(state), "h": value} for state, value in ((far, h), (after, 0))]
    found = audit(HeuristicAuditRequest.model_validate({"puzzle": "tiles:2x3", "moves": moves.name, "values": values}))
    assert (found.verdict, found.consistent) == ("unrefuted", consistent)
    assert found.consistent_reason.endswith("more than it costs") == (h == 5)


def test_expressions_are_refused() -> None:
    request = HeuristicAuditRequest(puzzle="8-puzzle", heuristic="manhattan", moves="U:2 D L R")
    with pytest.raises(InvalidRequest, match="with costs only printed values are audited"):
        audit(request)
