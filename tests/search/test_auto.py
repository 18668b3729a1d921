"""`auto`: its choices, and that its short search and its databases have the counts and limits of one solve."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from hstar.errors import InvalidRequest
from hstar.puzzles import Puzzle, get_puzzle, make_scramble, puzzle_names
from hstar.puzzles.master_pyraminx import MasterPyraminx
from hstar.puzzles.sliding_tiles import SlidingTiles
from hstar.schema import LimitsIn
from hstar.search import (
    Control,
    Result,
    SolveRequest,
    answer,
    plans,
    prepare,
    progress,
    proof,
    question,
    solve,
)
from hstar.search.merging import merged
from tests.conftest import instances, move_sets

#: quick to build
SMALL = ("wings:3", "edges:2+centres:2")
EASY = 20


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small databases and a short first search, so that both are used."""
    monkeypatch.setattr(MasterPyraminx, "patterns", SMALL)
    monkeypatch.setattr(SlidingTiles, "partition", "4-4-4-3")
    monkeypatch.setattr(Puzzle, "easy", EASY)
    monkeypatch.setattr(SlidingTiles, "easy", EASY)
    monkeypatch.setattr(MasterPyraminx, "layer_patterns", ("edges:2+centres:2", "wings:3"))


def request(k: int = 6, seed: int = 1, **more: object) -> SolveRequest:
    scramble = {"k": k, "seed": seed, "moves": "layers32"}
    return SolveRequest.model_validate({"puzzle": "master_pyraminx", "scramble": scramble, "algorithm": "auto"} | more)


def run(limits: dict[str, float] | None = None, **more: object) -> Result:
    return solve(prepare(request(limits=limits or {}, **more)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "moves"), move_sets(puzzle_names()))
def test_lengths_are_those_of_a_star(name: str, moves: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Puzzle, "easy", 3)
    monkeypatch.setattr(SlidingTiles, "easy", 3)
    puzzle = get_puzzle(name)
    stages = set()
    for seed in instances(range(12), few=2):
        tiles = isinstance(puzzle, SlidingTiles)
        alg: Sequence[str] = make_scramble(puzzle, 30 if tiles else 6 if puzzle.forbids else 4, seed, moves).alg
        if puzzle.all_different and not tiles:
            alg = puzzle.inverse_alg(alg)  # which moves of the set undo
        asked = {"puzzle": name, "alg": puzzle.format_alg(alg), "moves": moves}
        result = solve(prepare(SolveRequest.model_validate(asked | {"algorithm": "auto"})))
        plain = solve(prepare(SolveRequest.model_validate(asked)))
        assert result.optimality == "proven"
        assert result.length == plain.length
        assert result.heuristic.verdicts(puzzle.move_set(moves)).admissible == "proven"
        stages.add("pdb" in result.heuristic.expression.text)
    assert (True in stages) == (name not in ("megaminx", "8-puzzle", "clock"))


@pytest.mark.parametrize("moves", ["cw", "ccw", "single", "all"])
def test_the_megaminx_needs_no_databases(moves: str) -> None:
    """With turns in either direction, scrambles that plain A* cannot finish are proven quickly."""
    asked = {"puzzle": "megaminx", "scramble": {"k": 12, "seed": 1, "moves": moves}, "algorithm": "auto"}
    back = {"cw": "ccw", "ccw": "cw"}.get(moves, moves)
    result = solve(prepare(SolveRequest.model_validate(asked | {"moves": back})))
    assert result.optimality == "proven"
    assert result.heuristic.expression.text == (
        f'max(ceil(corner_moves("{back}") / 5), ceil(edge_moves("{back}") / 5))'
    )


def far(k: int, seed: int, algorithm: str, threads: int = 1, **more: object) -> Result:
    asked = {"puzzle": "megaminx", "scramble": {"k": k, "seed": seed, "moves": "all"}, "moves": "all"}
    if algorithm == "ida_star":
        asked["heuristic"] = 'max(ceil(corner_moves("all") / 5), ceil(edge_moves("all") / 5))'
    return solve(prepare(SolveRequest.model_validate(asked | {"algorithm": algorithm} | more)), threads=threads)


def test_learned_partitions_prove_the_same_with_fewer_expansions() -> None:
    plain, learned = far(13, 8, "ida_star"), far(13, 8, "auto")
    assert (plain.length, plain.optimality) == (learned.length, learned.optimality) == (13, "proven")
    assert plain.solution == learned.solution  # no shortest solution is cut off, so it is the first one of both
    assert learned.counters.expanded < plain.counters.expanded / 4
    again, on_two = far(13, 8, "auto"), far(13, 8, "auto", threads=2)
    assert again.counters == learned.counters
    assert on_two.solution == learned.solution
    before = learned.counters.expanded_before_last_layer
    assert on_two.counters.expanded_before_last_layer == before


def test_near_states_are_searched_as_by_ida_star() -> None:
    """Nothing is learned below 50,000 expansions, and then all counters are those of the heuristic alone."""
    for seed in range(1, 7):
        plain, near = far(11, seed, "ida_star"), far(11, seed, "auto")
        assert near.counters.expanded < 50_000
        assert (near.solution, near.counters, near.lower_bound) == (plain.solution, plain.counters, plain.lower_bound)


@pytest.mark.parametrize(("k", "seed", "length"), [(28, 2, 28), (32, 2, 27)])
def test_pairs_of_pieces_prove_what_was_proven_without_them(k: int, seed: int, length: int) -> None:
    """The lengths that IDA* proved before it had pairs; then the second took 289,471 expansions."""
    asked = {
        "puzzle": "megaminx",
        "scramble": {"k": k, "seed": seed, "moves": "cw"},
        "moves": "ccw",
        "algorithm": "auto",
    }
    problem = proof(prepare(SolveRequest.model_validate(asked)))
    one, two = solve(problem), solve(problem, threads=2)
    assert (one.length, one.optimality) == (length, "proven")
    assert one.counters.expanded < 200_000
    assert two.solution == one.solution
    assert two.counters.expanded_before_last_layer == one.counters.expanded_before_last_layer


@pytest.mark.parametrize("limit", [60_000, 100_001, 140_000])
def test_learned_partitions_keep_limits_exactly_and_prove_bounds(limit: int) -> None:
    asked = {
        "puzzle": "megaminx",
        "scramble": {"k": 13, "seed": 8, "moves": "all"},
        "moves": "all",
        "algorithm": "auto",
    }
    problem = prepare(SolveRequest.model_validate(asked | {"limits": {"expanded": limit}}))
    stopped = solve(proof(problem), threads=2)
    assert (stopped.status, stopped.limit, stopped.counters.expanded) == ("limit_reached", "expanded", limit)
    assert 0 < (stopped.lower_bound or 0) <= 13


def test_boards_with_blocks_have_a_short_solution_before_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "ANSWERING", 0.1)
    monkeypatch.setattr("hstar.puzzles.sliding_tiles.puzzle.SMALLER_BLOCKS", 30)
    monkeypatch.setattr(SlidingTiles, "blocks", (2, 3))
    monkeypatch.setattr(SlidingTiles, "partition", "blocks:3")
    for seed in range(4):
        asked = {"puzzle": "tiles:3x6", "scramble": {"k": 50, "seed": seed}, "limits": {"seconds": 600}}
        control = Control()
        result = solve(prepare(SolveRequest.model_validate(asked | {"algorithm": "auto"})), control, threads=2)
        plain = solve(prepare(SolveRequest.model_validate(asked)))
        assert (result.status, result.optimality, plain.optimality) == ("solved", "proven", "proven")
        assert result.length == result.lower_bound == plain.length
        assert control.best is not None  # the proof began with a solution
        assert len(control.best) >= (result.length or 0)


def test_a_near_scramble_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path / "none"))
    monkeypatch.setattr(Puzzle, "easy", 10_000)
    result = run(k=3)
    assert (result.length, result.method) == (3, "bidirectional")
    assert not (tmp_path / "none").exists()


def test_the_answer_counts_both_searches_and_names_the_one_that_solved() -> None:
    problem = prepare(request())
    assert question(problem).method is None
    control = Control()
    result = solve(problem, control)
    first = solve(prepare(request(algorithm="bidirectional", limits={"expanded": EASY})))
    chosen = result.heuristic.expression.text
    second = solve(prepare(request(algorithm="ida_star", heuristic=chosen)))
    assert first.status == "limit_reached"
    for name in ("expanded", "generated", "evaluated"):
        assert getattr(result.counters, name) == getattr(first.counters, name) + getattr(second.counters, name)
    assert result.counters.expanded_last_layer == second.counters.expanded_last_layer
    assert result.counters.branching_generated == result.counters.generated / len(result.solution or [])
    assert (control.expanded, control.generated) == (result.counters.expanded, result.counters.generated)
    shown = answer(problem, result)
    assert (shown.algorithm, shown.method, shown.optimality) == ("auto", "ida_star", "proven")
    assert shown.heuristic.expression == 'max(pdb("wings:3"), pdb("edges:2+centres:2"))'
    assert shown.heuristic.admissible == "proven"
    assert shown.duplicate_detection == "none (tree search), canonical pruning"
    assert solve(problem).counters == result.counters
    assert solve(problem, threads=2).solution == result.solution


@pytest.mark.parametrize("expanded", [EASY - 1, EASY, EASY + 1, 4 * EASY])
def test_limits_are_those_of_the_whole_solve(expanded: int) -> None:
    """They are too small here for any solution, so three quarters prove, and the rest does not suffice."""
    result = run({"expanded": expanded}, k=20)
    assert (result.status, result.limit) == ("limit_reached", "expanded")
    assert ceil(plans.PROVING * expanded) <= result.counters.expanded <= expanded
    most = 32 * EASY + 600
    generated = run({"generated": most}, k=20)
    assert (generated.status, generated.limit) == ("limit_reached", "generated")
    assert plans.PROVING * most <= generated.counters.generated <= most


def test_a_solution_that_was_known_is_answered_where_nothing_better_is_found() -> None:
    problem = prepare(request(k=20, limits={"expanded": 40}))
    alg = problem.puzzle.inverse_alg(problem.given.alg or ())
    known = replace(problem, known=alg, known_bound=5)
    result, shorter = solve(known), merged(problem.puzzle, alg, problem.moves.moves)
    assert (result.status, result.solution, result.lower_bound) == ("solved", list(shorter), 5)
    control = Control()
    control.cancel()
    cancelled = solve(known, control)
    assert (cancelled.status, cancelled.solution) == ("solved", list(shorter))
    assert control.best == shorter
    wrong = replace(problem, known=alg[1:])
    assert solve(wrong).status == "limit_reached"


def test_the_bound_is_the_best_of_both() -> None:
    first = solve(prepare(request(20, algorithm="bidirectional", limits={"expanded": EASY})))
    result = run({"expanded": 2 * EASY}, k=20)
    assert first.lower_bound is not None
    assert result.lower_bound is not None
    assert result.lower_bound > first.lower_bound


def test_where_memory_runs_out_the_databases_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Puzzle, "easy", 10**9)
    result = run({"memory_mib": 1}, k=7, seed=4)
    assert (result.method, result.optimality) == ("ida_star", "proven")
    assert result.counters.max_open > 1000
    assert result.peak_bytes <= 2**20


def test_databases_that_do_not_fit_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MasterPyraminx, "patterns", ("wings:7",))
    problem = prepare(request(3, limits={"memory_mib": 2}))
    assert [(step.method, step.expanded) for step in plans.proving(problem)] == [("bidirectional", None)]
    assert solve(problem).optimality == "proven"


def test_a_build_is_shown_and_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path))
    monkeypatch.setattr(MasterPyraminx, "patterns", ("wings:8",))
    problem, control = prepare(request(20)), Control()
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(solve(problem, control)))
    thread.start()
    while (now := progress(problem, control)).built is None:
        assert thread.is_alive()
    assert now.building == "master_pyraminx layers32 wings:8"
    assert now.expanded == EASY
    control.cancel()
    thread.join(60)
    (result,) = results
    assert (result.status, result.counters.expanded) == ("cancelled", EASY)
    assert result.lower_bound is not None
    assert result.lower_bound > 1
    assert not list(tmp_path.glob("*.pdb"))


def test_large_databases_are_refused_if_they_do_not_fit() -> None:
    asked = SolveRequest(puzzle="15-puzzle", alg="R", algorithm="ida_star", heuristic='pdb("7-8")')
    prepare(asked)
    with pytest.raises(InvalidRequest, match=r"/limits/memory_mib: building them takes 990 MiB, and the limit is 989"):
        prepare(asked.model_copy(update={"limits": LimitsIn(memory_mib=989)}))


@pytest.mark.parametrize(
    ("asked", "algorithm"),
    [
        ({"puzzle": "clock"}, "auto"),
        ({"puzzle": "square1"}, "anytime"),
        ({"puzzle": "clock", "shorten": "UR1+"}, "anytime"),
        ({"puzzle": "clock", "algorithm": "astar"}, "astar"),
        ({"puzzle": "clock", "heuristic": "zero"}, "astar"),
        ({"puzzle": "square1", "weight": 2.0}, "astar"),
        ({"puzzle": "square1", "width": None, "plan": [{"method": "astar"}]}, "plan"),
        ({"puzzle": "3x3x3"}, "astar"),
        ({"puzzle": "megaminx"}, "astar"),
    ],
)
def test_a_puzzle_with_a_solver_of_its_own_is_solved_by_it_where_no_search_is_asked_for(
    asked: dict[str, Any], algorithm: str
) -> None:
    start = {} if "shorten" in asked else {"alg": ""}
    assert SolveRequest.model_validate(start | asked).algorithm == algorithm


def test_a_random_clock_is_proven_by_default() -> None:
    result = solve(prepare(SolveRequest(puzzle="clock", random=1)))
    assert result.optimality == "proven"
