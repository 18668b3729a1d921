"""Traces: the same search as the kernel's, node by node."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from hstar.errors import InvalidRequest
from hstar.heuristics.nearby import NearbyRequest, nearby
from hstar.puzzles import get_puzzle
from hstar.schema import LimitsIn, ScrambleIn, SolveRequest, TieBreaking
from hstar.search import prepare, solve
from hstar.search.perft import perft
from hstar.search.trace import MAX_EXPANDED, TracedSearch, TraceRequest, trace

SCRAMBLE = ScrambleIn(k=16, seed=3)


@pytest.mark.parametrize("ties", ["low_h", "lifo", "fifo"])
@pytest.mark.parametrize(("puzzle", "k"), [("8-puzzle", 16), ("megaminx", 4), ("master_pyraminx", 2)])
def test_the_kernel_expands_as_many_and_finds_the_same(puzzle: str, k: int, ties: TieBreaking) -> None:
    heuristics = {"8-puzzle": ["manhattan", "misplaced_tiles"]}.get(puzzle, ["ceil(misplaced_facelets / 27)"])
    scramble = ScrambleIn(k=k, seed=3)
    found = trace(
        TraceRequest(puzzle=puzzle, scramble=scramble, heuristics=heuristics, tie_breaking=ties, expanded=3000)
    )
    for search in found.searches:
        request = SolveRequest(
            puzzle=puzzle,
            scramble=scramble,
            heuristic=search.heuristic,
            tie_breaking=ties,
            limits=LimitsIn(expanded=3000),
        )
        solved = solve(prepare(request))
        assert solved.counters is not None
        assert len(search.nodes) == solved.counters.expanded
        assert (search.generated, search.reopened) == (solved.counters.generated, solved.counters.reopened)
        assert (search.outcome, search.solution) == (solved.status, list(solved.solution or ()))


def test_every_node_is_where_its_moves_lead() -> None:
    found = trace(TraceRequest(puzzle="8-puzzle", scramble=SCRAMBLE, heuristics=["zero", "manhattan"], expanded=400))
    puzzle = get_puzzle("8-puzzle")
    start = puzzle.parse_state(found.start.state)
    by_number: dict[int, bytes] = {}
    for search in found.searches:
        for node in search.nodes:
            if node.parent is None:
                state = start
            else:
                state = puzzle.apply_alg(by_number[node.parent], [node.move])  # type: ignore[list-item]
            # Both searches use the same numbers for states.
            assert by_number.setdefault(node.state, state) == state
            assert node.h == (0 if search.heuristic == "zero" else manhattan_of(state))
    assert len(set(by_number.values())) == len(by_number) == found.states


def test_what_can_be_traced_has_a_range() -> None:
    asked = {"puzzle": "8-puzzle", "alg": "", "heuristics": ["zero"]}
    ranges: list[tuple[str, tuple[Any, Any], tuple[Any, Any]]] = [
        ("weight", (0, 1000), (-0.1, 1000.1)), ("expanded", (1, MAX_EXPANDED), (0, MAX_EXPANDED + 1)),
        ("heuristics", (["zero"], ["zero", "manhattan"]), ([], ["zero"] * 3)),
    ]  # fmt: skip
    for name, allowed, refused in ranges:
        for value in allowed:
            assert trace(TraceRequest.model_validate({**asked, name: value})).states <= 1
        for value in refused:
            with pytest.raises(ValidationError, match=name):
                TraceRequest.model_validate({**asked, name: value})


def manhattan_of(board: bytes) -> int:
    goal = get_puzzle("8-puzzle").solved
    return sum(
        abs(cell // 3 - goal.index(tile) // 3) + abs(cell % 3 - goal.index(tile) % 3)
        for cell, tile in enumerate(board)
        if tile
    )


def expanded(search: TracedSearch) -> set[int]:
    return {node.state for node in search.nodes}


def test_a_larger_consistent_heuristic_skips_nodes_before_the_last_layer() -> None:
    found = trace(
        TraceRequest(puzzle="8-puzzle", scramble=SCRAMBLE, heuristics=["manhattan", "misplaced_tiles"], expanded=3000)
    )
    strong, weak = found.searches
    cost = len(strong.solution)
    surely = {node.state for node in strong.nodes if node.g + node.h < cost}
    assert surely < expanded(weak)


@pytest.mark.parametrize("puzzle", ["8-puzzle", "megaminx"])
def test_nearby_counts_every_state_at_each_distance(puzzle: str) -> None:
    found = nearby(NearbyRequest(puzzle=puzzle, heuristic="zero", states=1500))
    model = get_puzzle(puzzle)
    counts = [cell.states for cell in found.cells if cell.distance <= found.radius]
    # Backwards there are as many as forwards: these moves and their inverses are mirror images.
    assert counts == list(perft(model, model.move_set(None), found.radius))
    assert sum(cell.states for cell in found.cells) == found.states == 1500
    assert not found.whole


def test_large_databases_are_not_built_for_a_look() -> None:
    with pytest.raises(InvalidRequest) as told:
        trace(TraceRequest(puzzle="15-puzzle", alg="", heuristics=['pdb("6-6-3")']))
    assert told.value.faults[0].where == "/heuristics"
    with pytest.raises(InvalidRequest):
        nearby(NearbyRequest(puzzle="15-puzzle", heuristic='pdb("6-6-3")'))
