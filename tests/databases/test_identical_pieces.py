"""Pattern databases of puzzles with identical pieces, compared with breadth-first search over all states."""

from __future__ import annotations

from random import Random

import pytest

from hstar.databases.patterns import choose, rank
from hstar.databases.permutation import pattern_databases
from hstar.errors import FeatureError
from hstar.puzzles import DefinedPuzzle, MoveSet, State, puzzle_from_definition, random_state, read_definition
from hstar.puzzles.added import looking_in
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import LimitsIn
from hstar.search import SolveRequest, answer, prepare, solve
from tests.puzzles.test_defined import topspin
from tests.puzzles.test_formats import Shelf


def alike(n: int, colours: int, orientations: int = 1) -> DefinedPuzzle:
    """A ring of n pieces of some colours, of which a move turns the first four over; of the pieces of the last colour
    no orientation can be seen."""
    value = topspin(n, 4, colours=colours)
    if orientations > 1:
        value["orbits"][0]["numOrientations"] = orientations
        pieces = value["defaultPattern"]["PIECES"]["pieces"]
        value["defaultPattern"]["PIECES"]["orientationMod"] = [1 if piece == max(pieces) else 0 for piece in pieces]
        value["moves"]["S"]["PIECES"]["orientationDelta"] = [1, orientations - 1, 0, 0] + [0] * (n - 4)
    return puzzle_from_definition(read_definition(value))


#: three pairs of pieces that look alike: A, C and D swap two neighbours, B moves all on
W6 = {
    "name": "w6",
    "orbits": [{"orbitName": "P", "numPieces": 6, "numOrientations": 1}],
    "defaultPattern": {"P": {"pieces": [0, 0, 1, 1, 2, 2], "orientation": [0] * 6}},
    "moves": {
        name: {"P": {"permutation": permutation, "orientationDelta": [0] * 6}}
        for name, permutation in {
            "A": [1, 0, 2, 3, 4, 5],
            "B": [5, 0, 1, 2, 3, 4],
            "C": [0, 1, 3, 2, 4, 5],
            "D": [0, 1, 2, 3, 5, 4],
        }.items()
    },
}


def distances(puzzle: PermutationPuzzle, moves: MoveSet) -> dict[State, int]:
    """The distance of every state to solved, by breadth-first search."""
    found, todo = {puzzle.solved: 0}, [puzzle.solved]
    for state in todo:
        for move in moves.moves:
            before = puzzle.turned(state, puzzle.inverse(move))
            if before not in found:
                found[before] = found[state] + 1
                todo.append(before)
    return found


@pytest.mark.parametrize(
    ("puzzle", "text", "most"),
    [(alike(8, 3), "PIECES:3", 560), (alike(8, 3), "PIECES:1", 28), (alike(6, 2, 2), "PIECES:1", 20),
     (alike(6, 2, 3), "PIECES:2", 540), (alike(6, 3, 2), "PIECES:2", 360)],
)  # fmt: skip
def test_pieces_that_look_alike_have_one_entry_for_all_ways_to_tell_them_apart(
    puzzle: PermutationPuzzle, text: str, most: int
) -> None:
    moves = puzzle.move_set(None)
    truth = distances(puzzle, moves)
    small = pattern_databases(puzzle, moves, (text,))
    assert small.states == most
    pieces = choose(puzzle, moves, small.own[0].parts)
    least: dict[int, int] = {}
    for state, distance in truth.items():
        number = rank(puzzle, pieces, state)
        least[number] = min(distance, least.get(number, distance))
    assert small.tables[0].facts["counts"] == [list(least.values()).count(d) for d in range(max(least.values()) + 1)]
    for state, distance in truth.items():
        value = small.kernel.value(state)
        assert value == small.direct.value(state) == small.evaluate(state)
        assert value is not None
        assert least[rank(puzzle, pieces, state)] <= value <= distance
        if len(pieces) == puzzle.orbits[0].pieces:
            assert value == distance


def test_searches_with_identical_pieces_find_true_distances() -> None:
    puzzle = alike(9, 3)
    moves = puzzle.move_set(None)
    truth = distances(puzzle, moves)
    states = Random(5).sample(sorted(truth), 20)
    for state in states:
        shown = puzzle.format_state(state)
        for algorithm in ("auto", "astar", "ida_star"):
            heuristic = None if algorithm == "auto" else 'pdb("PIECES:1")'
            request = SolveRequest.model_validate(
                {"puzzle": "topspin", "state": shown, "algorithm": algorithm, "heuristic": heuristic}
            )
            with looking_in(Shelf(puzzle)):
                result = solve(prepare(request))
            assert (result.length, result.optimality) == (truth[state], "proven")


def test_auto_answers_with_identical_pieces_when_it_cannot_prove() -> None:
    """Twenty-four pieces of four colours: too far to prove with a hundred expansions."""
    puzzle = alike(24, 4)
    for seed in range(5):
        shown = puzzle.format_state(random_state(puzzle, seed))
        with looking_in(Shelf(puzzle)):
            limits = LimitsIn(expanded=20_000, memory_mib=1)
            problem = prepare(SolveRequest(puzzle="topspin", state=shown, algorithm="auto", limits=limits))
            result = solve(problem)
        assert (result.status, result.optimality, result.method) == ("solved", "feasible", "anytime")
        assert result.solution is not None
        assert puzzle.apply_alg(problem.start, result.solution) == puzzle.solved
        assert result.lower_bound is not None
        assert result.lower_bound <= len(result.solution)


def test_a_pattern_with_too_many_orientations_is_refused_and_not_chosen() -> None:
    """The kernel adds up words of 16 bits: five of six pieces in six orientations do not fit, four do."""
    value = topspin(6, 2)
    value["orbits"][0]["numOrientations"] = 6
    value["moves"]["S"]["PIECES"]["orientationDelta"] = [1, 0, 0, 0, 0, 0]
    puzzle = puzzle_from_definition(read_definition(value))
    moves = puzzle.move_set(None)
    assert pattern_databases(puzzle, moves, ("PIECES:4",)).kernel.value(puzzle.solved) == 0
    with pytest.raises(FeatureError, match="fewer PIECES"):
        pattern_databases(puzzle, moves, ("PIECES:5",))
    assert [choice.heuristic for choice in puzzle.auto(moves)] == ["zero", 'pdb("PIECES:4")']


@pytest.mark.parametrize(("databases", "verdict"), [('pdb("P:1")', "proven"), ('pdb("P:1", "A B")', "refuted")])
def test_moves_that_swap_pieces_that_look_alike_are_no_equal_moves(databases: str, verdict: str) -> None:
    """From solved, A, C and D seem to do nothing, and were taken for one move: databases over A and B then said 8,
    proven, where D B solves."""
    puzzle = puzzle_from_definition(read_definition(W6))
    with looking_in(Shelf(puzzle)):
        for state, distance in distances(puzzle, puzzle.move_set("A B C D")).items():
            question = {"puzzle": "w6", "state": puzzle.format_state(state), "moves": "A B C D", "heuristic": databases}
            problem = prepare(SolveRequest.model_validate(question | {"algorithm": "ida_star"}))
            result = solve(problem)
            assert answer(problem, result).heuristic.admissible == verdict
            assert result.length == distance or (result.optimality, verdict) == ("feasible", "refuted")
