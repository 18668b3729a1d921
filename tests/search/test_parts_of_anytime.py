"""``constructive``, ``beam``, ``two_phase`` and ``windows``: the parts of ``anytime`` as algorithms of their own."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import pytest

from hstar import _kernel
from hstar.errors import InvalidRequest
from hstar.puzzles import (
    DefinedPuzzle,
    get_puzzle,
    puzzle_from_definition,
    random_state,
    read_definition,
)
from hstar.puzzles.added import looking_in
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import Method
from hstar.search import ALGORITHMS, Control, Problem, Result, SolveRequest, answer, prepare, solve
from hstar.search.anytime.alike import _chosen, told_apart
from hstar.search.anytime.chains import Chains
from tests.puzzles.test_formats import Shelf

PARTS: list[Method] = ["constructive", "beam", "two_phase", "windows"]
#: orientations, identical pieces, tiles with and without a middle, and words that grow too long for a chain
PUZZLES = ["3x3x3", "pyraminx", "master_pyraminx", "8-puzzle", "tiles:5x5", "lrx:9", "topspin:12"]
CUBE: dict[str, object] = {"puzzle": "3x3x3", "random": 3}


def ready(algorithm: Method, question: dict[str, Any], **limits: float) -> Problem:
    return prepare(SolveRequest.model_validate({**question, "algorithm": algorithm, "limits": limits}))


def run(algorithm: Method, question: dict[str, Any], **limits: float) -> Result:
    problem = ready(algorithm, question, **limits)
    result = solve(problem)
    assert result.solution is None or problem.is_solution(result.solution)
    return result


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_constructive_and_beam_answer_random_states(puzzle: str) -> None:
    for algorithm in ("constructive", "beam"):
        result = run(algorithm, {"puzzle": puzzle, "random": 1})
        assert (result.status, result.limit) == ("solved", None)
        assert result.lower_bound is not None
        assert result.length is not None
        assert result.lower_bound <= result.length


@pytest.mark.parametrize("question", [CUBE, {"puzzle": "tiles:5x5", "random": 1}], ids=["3x3x3", "tiles"])
def test_a_wider_beam_expands_more_and_finds_shorter_solutions(question: dict[str, object]) -> None:
    narrow, wide = (run("beam", {**question, "width": width}) for width in (20, 2_000))
    assert narrow.counters.expanded * 20 < wide.counters.expanded
    assert (wide.length or inf) < (narrow.length or inf)


def test_windows_shorten_the_constructed_solution_or_the_one_that_is_given() -> None:
    for question in (CUBE, {"puzzle": "8-puzzle", "random": 1}):
        direct, shorter = (run(name, question, expanded=200_000).length for name in ("constructive", "windows"))
        assert direct is not None
        assert shorter is not None
        assert shorter < direct
    result = run("windows", {"puzzle": "3x3x3", "shorten": "R U U' R' F2 F R R R R"}, expanded=10_000)
    assert result.solution == ["F'"]


def test_two_phase_solves_the_cube_in_at_most_22_moves() -> None:
    result = run("two_phase", CUBE, expanded=300_000)
    assert result.status == "solved"
    assert (result.length or 99) <= 22


@pytest.mark.parametrize("algorithm", PARTS)
def test_the_same_search_twice_counts_the_same_and_keeps_limits_on_nodes(algorithm: Method) -> None:
    first, second = (run(algorithm, CUBE, expanded=50_000) for _ in range(2))
    assert (first.counters, first.solution) == (second.counters, second.solution)
    assert first.counters.expanded <= 50_000
    stopped = run(algorithm, CUBE, expanded=100)
    assert stopped.counters.expanded == 100
    assert (stopped.status, stopped.limit, stopped.solution) == ("limit_reached", "expanded", None)
    stopped = run(algorithm, CUBE, generated=1_000)
    assert stopped.counters.generated <= 1_000 + 18
    assert (stopped.status, stopped.limit) == ("limit_reached", "generated")


@pytest.mark.parametrize("algorithm", PARTS)
def test_no_time_and_a_cancel_leave_no_solution(algorithm: Method) -> None:
    result = run(algorithm, CUBE, seconds=0.0)
    assert (result.status, result.limit, result.counters.expanded) == ("limit_reached", "seconds", 0)
    control = Control()
    control.cancel()
    assert solve(ready(algorithm, CUBE), control).status == "cancelled"


@pytest.mark.parametrize("question", [{"puzzle": "megaminx", "random": 1}, {"puzzle": "tiles:7x7", "random": 1}])
def test_a_wide_beam_is_cancelled_and_stopped_by_time(question: dict[str, object]) -> None:
    wide = {**question, "width": 1_000_000}
    result = run("beam", wide, seconds=0.5, memory_mib=2000)
    assert (result.status, result.limit) == ("limit_reached", "seconds")
    control, results = Control(), list[Result]()
    problem = ready("beam", wide, seconds=60.0, memory_mib=2000)
    thread = threading.Thread(target=lambda: results.append(solve(problem, control)))
    thread.start()
    control.cancel()
    thread.join(60)
    assert results[0].status == "cancelled"


def test_a_beam_that_runs_empty_says_so() -> None:
    result = run("beam", {"puzzle": "15-puzzle", "random": 1, "width": 1})
    assert (result.status, result.limit, result.solution) == ("limit_reached", "width", None)


def test_two_phases_without_room_for_their_tables_say_so() -> None:
    result = run("two_phase", CUBE, memory_mib=1)
    assert (result.status, result.limit, result.counters.expanded) == ("limit_reached", "memory", 0)


def test_a_beam_keeps_its_memory() -> None:
    result = run("beam", {"puzzle": "megaminx", "random": 1, "width": 100_000}, memory_mib=4)
    assert (result.status, result.limit) == ("limit_reached", "memory")


@pytest.mark.parametrize("algorithm", PARTS)
def test_a_solved_start_needs_no_search(algorithm: Method) -> None:
    result = run(algorithm, {"puzzle": "3x3x3", "alg": ""})
    assert (result.solution, result.optimality, result.counters.expanded) == ([], "proven", 0)


@pytest.mark.parametrize("algorithm", PARTS)
def test_the_answer_names_its_duplicate_rule_and_its_width(algorithm: Method) -> None:
    problem = ready(algorithm, {"puzzle": "3x3x3", "alg": "R U"}, expanded=20_000)
    shown = answer(problem, solve(problem))
    assert (shown.method, shown.width) == (algorithm, 1000 if algorithm == "beam" else None)
    assert shown.duplicate_detection == ALGORITHMS[algorithm].duplicates
    assert shown == type(shown).model_validate_json(shown.model_dump_json())


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ({"puzzle": "8-puzzle", "algorithm": "two_phase"}, "/algorithm"),
        ({"puzzle": "tiles:1x9", "algorithm": "beam"}, "/algorithm"),
        ({"puzzle": "tiles:8x8", "algorithm": "beam"}, "/algorithm"),
        ({"puzzle": "8-puzzle", "algorithm": "astar", "width": 10}, "/width"),
        ({"puzzle": "8-puzzle", "algorithm": "auto", "width": 10}, "/width"),
        ({"puzzle": "8-puzzle", "algorithm": "beam", "heuristic": "manhattan"}, "/heuristic"),
    ],
)
def test_what_an_algorithm_does_not_take_is_refused(request_: dict[str, object], where: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        prepare(SolveRequest.model_validate({**request_, "alg": ""}))
    assert [fault.where for fault in caught.value.faults] == [where]


def defined(
    slots: int, orientations: int, pattern: dict[str, Any], **moves: tuple[list[int], list[int]]
) -> DefinedPuzzle:
    """A puzzle of one orbit; of each move the source of each slot's piece, and by how much it is turned."""
    definition = {
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": slots, "numOrientations": orientations}],
        "defaultPattern": {"P": {"orientation": [0] * slots, **pattern}},
        "moves": {name: {"P": {"permutation": p, "orientationDelta": d}} for name, (p, d) in moves.items()},
    }
    return puzzle_from_definition(read_definition(definition))


#: two alike, each turned in four ways: pieces change places, but not what is seen of them
TURNED = defined(2, 4, {"pieces": [0, 0]}, A=([1, 0], [3, 0]), C=([1, 0], [0, 2]))
#: no orientation is seen, so that two turns of a piece are one, which where all pieces are different are two moves
UNSEEN = defined(
    4, 6, {"pieces": [0, 0, 1, 2], "orientationMod": [1] * 4}, A=([1, 2, 3, 0], [1, 0, 0, 0]), B=([0, 1, 3, 2], [0] * 4)
)
#: two of each kind, of which both must change places to be where the only move takes them
PAIRS = defined(4, 1, {"pieces": [0, 0, 1, 1]}, A=([1, 2, 3, 0], [0] * 4))
#: as many ways to tell pieces apart as are tried, and more
MANY = defined(
    12,
    1,
    {"pieces": [0] * 9 + [1, 2, 3]},
    A=([*range(1, 9), 0, 9, 10, 11], [0] * 12),
    B=([*range(9), 10, 11, 9], [0] * 12),
)


#: two that are alike and look the same after two of four turns, and one that shows all four
MIXED = defined(
    3, 4, {"pieces": [0, 0, 1], "orientationMod": [2, 2, 0]}, A=([1, 2, 0], [1, 0, 3]), B=([1, 0, 2], [1, 3, 0])
)


@pytest.mark.parametrize("puzzle", [TURNED, UNSEEN, MIXED, MANY], ids=["turned", "unseen", "mixed", "many"])
@pytest.mark.parametrize("algorithm", ["constructive", "beam", "windows", "anytime", "astar", "ara_star"])
def test_states_of_pieces_that_look_alike_are_solved_or_exhausted(puzzle: DefinedPuzzle, algorithm: Method) -> None:
    with looking_in(Shelf(puzzle)):
        for chosen in [name for name in ("all", "A", "A2") if name in (*puzzle.moves, *puzzle.move_sets)]:
            moves = puzzle.move_set(chosen)
            reached = {puzzle.solved}
            for state in (todo := [puzzle.solved]):
                new = {puzzle.turned(state, move) for move in moves.moves} - reached
                reached |= new
                todo += new
            for seed in range(8):
                state = random_state(puzzle, seed)
                question = {"puzzle": "random", "state": puzzle.format_state(state), "moves": chosen}
                result = run(algorithm, question, expanded=10_000)
                assert (result.status, result.limit) == ("solved" if state in reached else "exhausted", None)


@pytest.mark.parametrize("puzzle", [TURNED, UNSEEN, MIXED, PAIRS], ids=["turned", "unseen", "mixed", "pairs"])
def test_pieces_that_look_alike_are_told_apart(puzzle: DefinedPuzzle) -> None:
    """Every state that the moves reach has a state of the twin that they reach, and that looks like it."""
    twin, moves = puzzle.twin, puzzle.move_set(None)
    looks = {twin.solved: puzzle.solved}
    for state in (todo := [twin.solved]):
        for move in moves.moves:
            after = twin.turned(state, move)
            if after not in looks:
                looks[after] = puzzle.turned(looks[state], move)
                todo.append(after)
    found = {state: told_apart(puzzle, state, moves) for state in set(looks.values())}
    assert all(apart is not None and looks[apart] == state for state, apart in found.items())


def test_what_looks_at_home_is_at_home() -> None:
    """Of pieces that are told apart; and which changes are tried where the moves do not lead there, few first."""
    puzzle = get_puzzle("4x4x4")
    assert isinstance(puzzle, PermutationPuzzle)
    twin, moves = puzzle.twin, puzzle.move_set(None)
    assert twin is not None
    for seed in range(4):
        state = random_state(puzzle, seed)
        found = told_apart(puzzle, state, moves)
        assert found is not None
        held, shown = twin.contents(found), puzzle.contents(state)
        home = [slot for slot, piece in enumerate(shown) if piece == puzzle.home[slot]]
        assert len(home) > 3
        assert sum(held[slot] != twin.home[slot] for slot in home) <= 2, seed  # two change places, for their parity
    a, b, c = (0, 1, 0), (2, 3, 0), (4, 4, 2)
    assert list(_chosen([a, b], [c])) == [
        (), (a,), (b,), (a, b), (c,), (a,), (b,), (c, a), (c, b), (a, b), (c, a, b),
    ]  # fmt: skip


def of_orbits(
    orbits: Mapping[str, tuple[int, int]], turns: Mapping[str, Sequence[tuple[list[int], list[int]]]]
) -> DefinedPuzzle:
    """Pieces that are all different, in orbits of so many pieces and orientations."""
    definition = {
        "name": "random",
        "orbits": [{"orbitName": o, "numPieces": n, "numOrientations": t} for o, (n, t) in orbits.items()],
        "defaultPattern": {o: {"pieces": list(range(n)), "orientation": [0] * n} for o, (n, _) in orbits.items()},
        "moves": {
            name: {o: {"permutation": p, "orientationDelta": d} for o, (p, d) in zip(orbits, parts, strict=True)}
            for name, parts in turns.items()
        },
    }
    return puzzle_from_definition(read_definition(definition))


def test_a_beam_has_words_in_the_order_of_its_stages() -> None:
    """Words are long in every order, so that stages come first; those of another order are the shortest."""
    orders = {
        "A": ((0, 1, 3, 2), (2, 0, 1, 3), (0, 5, 3, 4, 1, 2)), "C": ((0, 1, 3, 2), (2, 0, 1, 3), (5, 0, 2, 4, 1, 3)),
        "D": ((3, 2, 1, 0), (1, 2, 3, 0), (1, 2, 3, 4, 5, 0)), "E": ((0, 1, 3, 2), (2, 0, 1, 3), (2, 5, 4, 3, 1, 0)),
    }  # fmt: skip
    puzzle = of_orbits(
        {"P": (4, 1), "Q": (4, 1), "R": (6, 1)},
        {name: [([*order], [0] * len(order)) for order in parts] for name, parts in orders.items()},
    )
    with looking_in(Shelf(puzzle)):
        for seed in range(3):
            assert run("beam", {"puzzle": "random", "random": seed, "moves": "A C D' E"}).status == "solved"


@pytest.mark.parametrize("seconds", [0.02, 0.03, 0.05, 0.08, 0.12, inf])
def test_a_chain_fits_its_stages_however_early_it_is_cut_short(seconds: float) -> None:
    """The orders of pieces are tried one after another: the second gives shorter solutions than the first and is made
    as soon, and making the third takes ten times as long, in which time is up."""
    puzzle = of_orbits({"P": (6, 2), "Q": (4, 1), "R": (5, 3)}, {
        "A": [([3, 1, 5, 0, 4, 2], [0, 0, 0, 0, 0, 1]), ([2, 3, 1, 0], [0] * 4), ([3, 2, 1, 0, 4], [0, 0, 1, 0, 0])],
        "B": [([1, 2, 3, 4, 5, 0], [0] * 6), ([0, 2, 1, 3], [0] * 4), ([2, 1, 0, 4, 3], [1, 1, 2, 0, 0])],
    })  # fmt: skip
    chains = Chains(puzzle, puzzle.move_set(None))
    chain = chains.quick(_kernel.Control(), seconds)
    triples = chains.triples(_kernel.Control())
    element = chains.puzzle.permutation_of(puzzle.apply_alg(puzzle.solved, ["A", "B", "A", "A", "B"]))
    if chain.complete:
        way = chain.descend(element, 5, 0.25, control=_kernel.Control(), triples=triples, stages=chains.stages())
        assert way.ending == "done"
    assert chain.complete or seconds < inf


def test_every_algorithm_takes_every_puzzle_or_says_why_not() -> None:
    for name in ("3x3x3", "8-puzzle"):
        puzzle = get_puzzle(name)
        for algorithm in ALGORITHMS.values():
            why = algorithm.refuses(puzzle, puzzle.move_set(None))
            assert why is None or len(why) > 20


@pytest.mark.parametrize(("pieces", "large"), [(127, False), (128, False), (129, True), (140, True)])
def test_cycles_come_first_where_words_get_long(pieces: int, large: bool) -> None:
    puzzle = get_puzzle(f"lrx:{pieces}")
    assert isinstance(puzzle, PermutationPuzzle)
    assert Chains(puzzle, puzzle.move_set(None)).large is large
