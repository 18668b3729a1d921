"""Where all moves commute: lengths by linear algebra and those of a search of the whole space."""

from __future__ import annotations

from heapq import heappop, heappush
from random import Random
from typing import Any

from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle, puzzle_from_definition, read_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from hstar.search.commuting import orientations_of, wheels_of
from tests.conftest import SEED, TEST_ALL


def dials(random: Random, n: int, pieces: int, wheels: int) -> PermutationPuzzle:
    """Pieces that turn in place, by random amounts."""
    moves: dict[str, Any] = {}
    while len(moves) < wheels:
        twist = [random.choice([0, 1, n - 1, random.randrange(n)]) for _ in range(pieces)]
        if any(twist):
            moves[f"w{chr(97 + len(moves))}"] = {"A": {"permutation": [*range(pieces)], "orientationDelta": twist}}
    return puzzle_from_definition(
        read_definition(
            {
                "name": "dials",
                "orbits": [{"orbitName": "A", "numPieces": pieces, "numOrientations": n}],
                "defaultPattern": {"A": {"pieces": [*range(pieces)], "orientation": [0] * pieces}},
                "moves": moves,
            }
        )
    )


def costs_of_all(puzzle: Puzzle, moves: MoveSet) -> dict[State, int]:
    """From the goal, by Dijkstra's algorithm; every move has an inverse of the same cost in these sets."""
    found: dict[State, int] = {}
    waiting = [(0, puzzle.solved)]
    while waiting:
        cost, state = heappop(waiting)
        if found.setdefault(state, cost) == cost:
            for move, after in puzzle.successors(state, moves.moves):
                if after not in found:
                    heappush(waiting, (cost + moves.cost(move), after))
    return found


def test_lengths_are_those_of_the_whole_space() -> None:
    random, solved, given_up = Random(SEED), 0, 0
    for number in range(300 if TEST_ALL else 40):
        n = random.choice([2, 3, 4, 5, 6, 12])
        puzzle = dials(random, n, pieces=2 if n > 6 else 3, wheels=random.randrange(2, 6))
        name = ["all", "single", None][number % 3]
        if name is None:
            first = puzzle.moves[0]
            prices = {first: 3, puzzle.inverse(first): 3}
            name = " ".join(f"{move}:{prices.get(move, 1)}" for move in puzzle.moves)
        if len(name) > 64:
            continue
        moves = puzzle.move_set(name if name in puzzle.move_sets or ":" in name else None, costs=True)
        wheels = wheels_of(puzzle, moves)
        assert wheels is not None
        for state, cost in costs_of_all(puzzle, moves).items():
            found = wheels.solve(orientations_of(puzzle, state))
            if found is None:
                given_up += 1
                continue
            solved += 1
            alg, length = found
            assert length == moves.length(alg) == cost
            assert puzzle.apply_alg(state, alg) == puzzle.solved
    assert solved > 10 * given_up > 0


def test_states_that_cannot_be_solved_have_no_solution() -> None:
    clock = get_puzzle("clock")
    assert isinstance(clock, PermutationPuzzle)
    some = wheels_of(clock, clock.move_set("UR1+ UR1- U1+ U1-"))
    assert some is not None
    for alg, length in (("UR1+", 1), ("R1+", None), ("UR6+", 6), ("UR5- U3+", 8)):
        found = some.solve(orientations_of(clock, clock.apply_alg(clock.solved, clock.parse_alg(alg))))
        assert (None if found is None else found[1]) == length
    for name in ("3x3x3", "skewb", "15-puzzle"):
        assert wheels_of(get_puzzle(name), get_puzzle(name).move_set(None)) is None


def test_auto_and_anytime_prove_every_state_of_a_clock() -> None:
    for seed in range(20 if TEST_ALL else 3):
        lengths = set()
        for algorithm in ("auto", "anytime"):
            request = SolveRequest(
                puzzle="clock", alg="", target={"random": seed}, algorithm=algorithm, limits=LimitsIn(expanded=1000)
            )
            found = solve(prepare(request))
            assert found.solution is not None
            assert found.optimality == "proven"
            lengths.add(len(found.solution))
        assert len(lengths) == 1
