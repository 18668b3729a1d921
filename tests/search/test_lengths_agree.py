"""Properties of all algorithms, on every puzzle and move set: shortest lengths, limits, cancelling, endings."""

from __future__ import annotations

import threading
from math import inf
from random import Random

import pytest

from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, puzzle_names
from hstar.schema import Algorithm
from hstar.search import ALGORITHMS, Control, Result, SolveRequest, answer, prepare, progress, solve
from tests.conftest import SEED, TEST_ALL, instances, move_sets

INSTANCES = 500 if TEST_ALL else 3
#: number of states whose true distance is known from a search backwards from the goal
BALL = 2000 if TEST_ALL else 500
#: breadth-first search cannot finish every instance; if it stops, it has still proven a bound
EXPANSIONS = 2000

MOVE_SETS = move_sets([*puzzle_names(), "tiles:3x4"])
PROVING = [name for name, algorithm in ALGORITHMS.items() if algorithm.optimal]
#: the parts of anytime have tests of their own (test_parts_of_anytime.py)
PARTS = ("constructive", "beam", "two_phase", "windows")
EVERY = [name for name in ALGORITHMS if name not in (*PARTS, "plan")]
#: anytime, and auto with it, ends with its best solution where the others end with none
STOPPED = [algorithm for algorithm in EVERY if algorithm not in ("anytime", "auto")]
#: what keeps no states but those of the path
PATH_ONLY = ("ida_star", "rbfs")
#: small, so that they are quick to build
DATABASES = {
    "megaminx": 'max(pdb("corners:2"), pdb("edges:2"))',
    "master_pyraminx": 'max(pdb("wings:3"), pdb("edges:2+centres:2"), pdb("tips:1+axials:2"))',
    "8-puzzle": 'pdb("4-4")',
    "15-puzzle": 'pdb("4-4-4-3")',
    "tiles:3x4": 'pdb("4-4-3")',
    "2x2x2": 'pdb("CORNERS:4")',
    "3x3x3": 'max(pdb("EDGES:3"), pdb("CORNERS:3"))',
    **dict.fromkeys(("kilominx", "4x4x4", "5x5x5", "6x6x6", "7x7x7"), 'pdb("CORNERS:3")'),
    "pyraminx": 'max(pdb("EDGES:3+CORNERS:2"), pdb("CORNERS:2+CORNERS2:2"))',
    "master_tetraminx": 'max(pdb("wings:3"), pdb("axials:4+centres:2"))',
    "skewb": 'max(pdb("CORNERS:4"), pdb("CENTERS:3"))',
    "clock": 'pdb("DIALS:2")',
    "square1": 'pdb("WEDGES:3+EQUATOR:1")',
    "fto": 'max(pdb("CORNERS:3"), pdb("EDGES:3"))',
}


def run(
    puzzle: Puzzle, start: State, moves: MoveSet, algorithm: Algorithm, heuristic: str | None = None, **limits: float
) -> Result:
    request = {
        "puzzle": puzzle.name,
        "state": puzzle.format_state(start),
        "moves": moves.name,
        "algorithm": algorithm,
        "heuristic": heuristic,
        "limits": {"expanded": EXPANSIONS} | limits,
    }
    return solve(prepare(SolveRequest.model_validate(request)))


def scrambled(puzzle: Puzzle, moves: MoveSet, random: Random) -> State:
    """A state that moves of the set can solve, near enough for a search without a heuristic."""
    most = {4: 16, 12: 4, 198: 2}.get(len(moves.moves), 3)
    state = puzzle.solved
    backwards = [puzzle.inverse(move) for move in moves.moves]
    for _ in range(random.randint(0, most)):
        state = puzzle.apply(state, random.choice(puzzle.legal(state, backwards))) or state
    return state


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_all_algorithms_prove_the_same_length(name: str, moves: str) -> None:
    puzzle = get_puzzle(name)
    move_set = puzzle.move_set(moves)
    random = Random(f"{SEED}|lengths|{name}|{moves}")
    every = [name for name in EVERY if ALGORITHMS[name].refuses(puzzle, move_set) is None]
    proving = {*(name for name in every if name in PROVING), "databases"}
    proven = 0
    for _ in range(INSTANCES):
        start = scrambled(puzzle, move_set, random)
        results: dict[str, Result] = {algorithm: run(puzzle, start, move_set, algorithm) for algorithm in every}
        results["databases"] = run(puzzle, start, move_set, "ida_star", DATABASES[name])
        lengths = {result.length for algorithm, result in results.items() if algorithm in proving} - {None}
        assert len(lengths) == 1, (start, results)
        (length,) = lengths
        assert length is not None
        for algorithm, result in results.items():
            assert result.lower_bound is not None
            assert result.lower_bound <= length
            assert (result.optimality == "proven") == (result.length == result.lower_bound)
            if result.status == "solved" and algorithm in proving:
                assert result.optimality == "proven", (start, algorithm)
                proven += 1
            elif result.status == "solved":
                assert result.length is not None
                assert result.length >= length
            else:
                assert (result.status, result.limit) == ("limit_reached", "expanded")
                assert result.counters.expanded == EXPANSIONS
    assert proven > INSTANCES * (len(proving) - 1)


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_lengths_are_true_distances(name: str, moves: str) -> None:
    """Compared with a ball around the goal, searched backwards layer by layer in Python."""
    puzzle = get_puzzle(name)
    move_set = puzzle.move_set(moves)
    backwards = [puzzle.inverse(move) for move in move_set.moves]
    distance = {puzzle.solved: 0}
    layer = [puzzle.solved]
    while layer and len(distance) < BALL:
        layer = list(dict.fromkeys(before for state in layer for _, before in puzzle.successors(state, backwards)))
        layer = [state for state in layer if state not in distance]
        farther = max(distance.values()) + 1
        distance.update(dict.fromkeys(layer[:BALL], farther))
    random = Random(f"{SEED}|balls|{name}|{moves}")
    for start in random.sample(list(distance), 40 if TEST_ALL else 3):
        for algorithm in PROVING:
            if ALGORITHMS[algorithm].refuses(puzzle, move_set) is not None:
                continue
            result = run(puzzle, start, move_set, algorithm)
            if result.status == "solved":
                assert (result.length, result.optimality) == (distance[start], "proven"), (start, algorithm)
            else:
                assert algorithm in ("breadth_first", "layered")


FAR: dict[str, object] = {"puzzle": "megaminx", "scramble": {"k": 30, "seed": 1, "moves": "cw"}, "moves": "all"}


@pytest.mark.parametrize("algorithm", STOPPED)
@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        ({"expanded": 1234}, "expanded"),
        ({"generated": 4321}, "generated"),
        ({"seconds": 0.05}, "seconds"),
        ({"memory_mib": 8}, "memory"),
    ],
)
def test_every_algorithm_keeps_every_limit(algorithm: Algorithm, limits: dict[str, float], limit: str) -> None:
    problem = prepare(SolveRequest.model_validate({**FAR, "algorithm": algorithm, "limits": limits}))
    if limit == "memory" and problem.algorithm in PATH_ONLY:
        limits = {**limits, "seconds": 0.3}
        problem = prepare(SolveRequest.model_validate({**FAR, "algorithm": algorithm, "limits": limits}))
    result = solve(problem)
    assert (result.status, result.solution) == ("limit_reached", None)
    if limit == "memory" and problem.algorithm in PATH_ONLY:
        assert result.limit == "seconds"  # it needs next to none
        assert result.peak_bytes < 2**20
    else:
        assert result.limit == limit
    assert result.lower_bound is not None
    assert 1 <= result.lower_bound <= 30
    assert result.peak_bytes <= problem.limits.memory_mib * 2**20
    if limit == "expanded":
        assert result.counters.expanded == 1234
    if limit == "generated":
        assert 4321 <= result.counters.generated < 4321 + len(problem.moves.moves)
    if limit != "seconds":  # which may pass before the first state
        assert (result.counters.evaluated > 0) == ALGORITHMS[problem.algorithm].heuristic


@pytest.mark.parametrize("limits", [{"expanded": 1234}, {"generated": 4321}, {"expanded": 60_000, "memory_mib": 8}])
def test_auto_keeps_limits_on_nodes_and_memory_and_answers_where_they_suffice(limits: dict[str, float]) -> None:
    problem = prepare(SolveRequest.model_validate({**FAR, "algorithm": "auto", "limits": limits}))
    result = solve(problem)
    assert result.lower_bound is not None
    assert 1 <= result.lower_bound <= 30
    assert result.peak_bytes <= problem.limits.memory_mib * 2**20
    if "memory_mib" in limits:
        assert (result.status, result.optimality) == ("solved", "feasible")
        assert problem.is_solution(result.solution or ())
    else:  # too few for a first solution
        assert (result.status, result.solution, result.limit) == ("limit_reached", None, next(iter(limits)))
        assert result.counters.expanded <= limits.get("expanded", inf)
        assert result.counters.generated < limits.get("generated", inf) + len(problem.moves.moves)


def anytime(limits: dict[str, float], question: dict[str, object] = FAR) -> Result:
    result = solve(prepare(SolveRequest.model_validate({**question, "algorithm": "anytime", "limits": limits})))
    assert (result.status, result.optimality, result.limit) == ("solved", "feasible", None)
    assert result.length is not None
    assert result.lower_bound is not None
    assert 1 <= result.lower_bound < result.length
    return result


@pytest.mark.parametrize("question", [FAR, {"puzzle": "tiles:5x5", "random": 5}], ids=["megaminx", "tiles"])
def test_anytime_keeps_limits_on_nodes_after_its_first_solution(question: dict[str, object]) -> None:
    first = anytime({"expanded": 1}, question)
    assert anytime({"generated": 1}, question).counters == first.counters
    for expanded in (12_340, 250_000):
        assert first.counters.expanded < expanded
        assert anytime({"expanded": expanded}, question).counters.expanded == expanded
    for generated in (432_100, 800_000):
        assert first.counters.generated < generated
        assert generated <= anytime({"generated": generated}, question).counters.generated < generated + 48


def test_anytime_keeps_limits_on_nodes_in_all_its_searches_of_tiles() -> None:
    """The first exact search ends after 300,000 nodes; the following ones share the rest."""
    tiles: dict[str, object] = {"puzzle": "tiles:5x5", "random": 5}
    near = anytime({"expanded": 300_000}, tiles)
    for expanded in (301_000, 700_000):
        assert anytime({"expanded": expanded}, tiles).counters.expanded == expanded
    generated = near.counters.generated + 1000
    assert generated <= anytime({"generated": generated}, tiles).counters.generated < generated + 4


@pytest.mark.parametrize("limits", instances([{"seconds": 2.0, "memory_mib": 8}, {"seconds": 2.0}], few=1))
def test_anytime_ends_at_a_limit_of_time_with_a_solution(limits: dict[str, float]) -> None:
    anytime(limits)


@pytest.mark.parametrize("algorithm", EVERY)
def test_every_algorithm_is_watched_and_cancelled(algorithm: Algorithm) -> None:
    limits = {"seconds": 60.0, "memory_mib": 4096}  # so that the test fails instead of hanging if cancelling is broken
    problem = prepare(SolveRequest.model_validate({**FAR, "algorithm": algorithm, "limits": limits}))
    control = Control()
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(solve(problem, control)))
    thread.start()
    seen = [0]
    bound = None
    while len(seen) < 4:
        thread.join(0.001)
        assert thread.is_alive()
        now = progress(problem, control)
        bound = now.lower_bound
        assert now.expanded >= seen[-1]
        if now.expanded > seen[-1]:
            seen.append(now.expanded)
    assert bound is not None
    assert bound >= 1
    control.cancel()
    thread.join(60)
    if algorithm == "anytime":  # the first solution is there before anything is counted
        assert (results[0].status, results[0].optimality) == ("solved", "feasible")
    else:
        assert (results[0].status, results[0].solution) == ("cancelled", None)
    assert results[0].counters.expanded >= seen[-1]
    assert results[0].lower_bound is not None


@pytest.mark.parametrize("algorithm", EVERY)
def test_states_that_the_moves_cannot_solve_are_exhausted_at_once(algorithm: Algorithm) -> None:
    """A fourth layer moves the tips, and no move of cw12 brings them back."""
    if algorithm in ("mm", "nbs"):  # they refuse moves without their inverses
        return
    request = {"puzzle": "master_pyraminx", "alg": "D", "moves": "cw12", "algorithm": algorithm}
    result = solve(prepare(SolveRequest.model_validate(request)))
    assert (result.status, result.solution, result.lower_bound) == ("exhausted", None, None)
    assert result.counters.expanded == 0


@pytest.mark.parametrize("algorithm", EVERY)
def test_a_solved_start_needs_no_search(algorithm: Algorithm) -> None:
    for name in puzzle_names():
        puzzle = get_puzzle(name)
        if ALGORITHMS[algorithm].refuses(puzzle, puzzle.move_set(None)) is not None:
            continue
        problem = prepare(SolveRequest.model_validate({"puzzle": name, "alg": "", "algorithm": algorithm}))
        result = solve(problem)
        assert (result.status, result.solution, result.optimality) == ("solved", [], "proven")
        assert result.counters.expanded == 0


@pytest.mark.parametrize("algorithm", EVERY)
def test_the_answer_names_its_method_and_its_duplicate_rule(algorithm: Algorithm) -> None:
    problem = prepare(SolveRequest.model_validate({"puzzle": "8-puzzle", "alg": "U R", "algorithm": algorithm}))
    shown = answer(problem, solve(problem))
    assert shown.algorithm == algorithm
    assert shown.method is not None
    assert algorithm in ("auto", shown.method)
    assert shown.duplicate_detection == ALGORITHMS[shown.method].duplicates
    assert shown == type(shown).model_validate_json(shown.model_dump_json())
    counters = shown.counters
    assert counters is not None
    assert (counters.expanded_last_layer is not None) == ALGORITHMS[shown.method].layers
    if not ALGORITHMS[shown.method].heuristic:
        assert (shown.heuristic.expression, counters.evaluated) == ("0", 0)


def test_the_same_search_twice_counts_the_same() -> None:
    for algorithm in EVERY:
        request = {**FAR, "algorithm": algorithm, "limits": {"expanded": 5_000}}
        first, second = (solve(prepare(SolveRequest.model_validate(request))) for _ in range(2))
        assert first.counters == second.counters
