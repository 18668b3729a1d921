"""Where all moves commute: lengths by linear algebra and those of a search of the whole space."""

from __future__ import annotations

import tracemalloc
from heapq import heappop, heappush
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from hstar.polling import polling
from hstar.puzzles import (
    MoveSet,
    Puzzle,
    State,
    added_puzzle,
    get_puzzle,
    puzzle_from_definition,
    read_definition,
)
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from hstar.search.commuting import Wheels, wheels_of
from hstar.search.control import Stopped
from tests.conftest import SEED, TEST_ALL


def dials(random: Random, n: int, pieces: int, wheels: int, cycles: int = 0) -> PermutationPuzzle:
    """Pieces that turn in place, and others that go around cycles, by random amounts."""
    moves: dict[str, Any] = {}
    around = [random.sample(range(n), n) for _ in range(cycles)]
    while len(moves) < wheels:
        twist = [random.choice([0, 1, n - 1, random.randrange(n)]) for _ in range(pieces)]
        shifts = [random.choice([0, 1, n - 1, random.randrange(n)]) for _ in range(cycles)]
        if any(twist + shifts):
            move = {"A": {"permutation": [*range(pieces)], "orientationDelta": twist}}
            for number, (cycle, shift) in enumerate(zip(around, shifts, strict=True)):
                after = {slot: cycle[(place + shift) % n] for place, slot in enumerate(cycle)}
                permutation = [after[slot] for slot in range(n)]
                move[f"C{number}"] = {"permutation": permutation, "orientationDelta": [0] * n}
            moves[f"w{chr(97 + len(moves))}"] = move
    sizes = {"A": (pieces, n)} | {f"C{number}": (n, 1) for number in range(cycles)}
    return puzzle_from_definition(
        read_definition(
            {
                "name": "dials",
                "orbits": [
                    {"orbitName": name, "numPieces": count, "numOrientations": size}
                    for name, (count, size) in sizes.items()
                ],
                "defaultPattern": {
                    name: {"pieces": [*range(count)], "orientation": [0] * count} for name, (count, _) in sizes.items()
                },
                "moves": moves,
            }
        )
    )


def lights_out(side: int) -> PermutationPuzzle:
    """Each switch turns its light and those beside it on or off; a light is two points, of which one is lit."""
    cells = list(product(range(side), repeat=2))
    generators = {}
    for row, column in cells:
        points = list(range(2 * side**2))
        for y, x in ((row, column), (row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            if (y, x) in cells:
                light = 2 * (y * side + x)
                points[light : light + 2] = light + 1, light
        generators[f"s{chr(97 + row)}{chr(97 + column)}"] = points
    return posted(generators)


def many_solutions(lights: int, more: int) -> PermutationPuzzle:
    """As many switches as lights, which can reach everything, and some more."""
    random, generators = Random(SEED), {}
    for number in range(lights + more):
        points = list(range(2 * lights))
        for light in [number] if number < lights else random.sample(range(lights), 5):
            points[2 * light : 2 * light + 2] = 2 * light + 1, 2 * light
        generators[f"s{chr(97 + number // 26)}{chr(97 + number % 26)}"] = points
    return posted(generators)


def cheapest(wheels: Wheels, puzzle: PermutationPuzzle, state: State) -> tuple[tuple[str, ...], int] | None:
    found = [*wheels.solve(puzzle.permutation_of(state))]
    assert all(before[1] > after[1] for before, after in pairwise(found))
    return found[-1] if found else None


def posted(generators: dict[str, list[int]]) -> PermutationPuzzle:
    puzzle = added_puzzle(read_any_definition(generators, "posted"))
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def costs_of_all(puzzle: Puzzle, moves: MoveSet) -> dict[State, int]:
    """From the goal, by Dijkstra's algorithm; every move has an inverse of the same cost in these sets."""
    found: dict[State, int] = {}
    waiting = [(0, puzzle.solved)]
    while waiting:
        cost, state = heappop(waiting)
        if state not in found:
            found[state] = cost
            for move, after in puzzle.successors(state, moves.moves):
                if after not in found:
                    heappush(waiting, (cost + moves.cost(move), after))
    return found


def test_lengths_are_those_of_the_whole_space() -> None:
    random, solved, given_up = Random(SEED), 0, 0
    for number in range(300 if TEST_ALL else 150):
        n = random.choice([2, 3, 4, 5, 6, 12])
        cycles = number % 3 if n > 2 else 0
        puzzle = dials(random, n, (2 if n > 6 else 3) - cycles % 2, random.randrange(2, 6), cycles)
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
            found = cheapest(wheels, puzzle, state)
            if found is None:
                given_up += 1
                continue
            solved += 1
            alg, length = found
            assert length == moves.length(alg) == cost
            assert puzzle.apply_alg(state, alg) == puzzle.solved
    assert solved > 5 * given_up > 0


def test_lights_out() -> None:
    for side, farthest, states in ((3, 9, 2**9), (4, 7, 2**12)):
        puzzle = lights_out(side)
        moves = puzzle.move_set(None)
        wheels, costs = wheels_of(puzzle, moves), costs_of_all(puzzle, moves)
        assert wheels is not None
        assert (len(costs), max(costs.values())) == (states, farthest)
        for state in list(costs) if TEST_ALL else Random(SEED).sample(list(costs), 500):
            found = cheapest(wheels, puzzle, state)
            assert found is not None
            assert found[1] == costs[state]
        known = {tuple(puzzle.permutation_of(state)) for state in costs}
        for light in range(0, 2 * side**2, 2):
            one = [*range(light), light + 1, light, *range(light + 2, 2 * side**2)]
            assert any(wheels.solve(one)) == (tuple(one) in known) == (side == 3)
    for algorithm in ("auto", "anytime"):
        request = SolveRequest(puzzle=lights_out(7).name, alg="", target={"random": SEED}, algorithm=algorithm)
        answer = solve(prepare(request))
        assert answer.solution is not None
        assert answer.optimality == "proven"
        assert len(set(answer.solution)) == len(answer.solution)


def test_many_solutions_are_tried_in_little_memory_until_time_is_over() -> None:
    """The best one so far is the answer then, and is not proven."""
    puzzle = many_solutions(lights=40, more=15)
    moves = puzzle.move_set(None)
    wheels = wheels_of(puzzle, moves)
    assert wheels is not None
    state = puzzle.apply_alg(puzzle.solved, puzzle.moves[5:25])
    tracemalloc.start()
    best = cheapest(wheels, puzzle, state)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert best is not None
    assert best[1] < 20
    assert held < 8 * 2**20

    asked = 0

    def check() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise Stopped

    with polling(check):
        tried = wheels.solve(puzzle.permutation_of(state))
        first = next(tried)
        with pytest.raises(Stopped):
            list(tried)
    assert puzzle.apply_alg(state, first[0]) == puzzle.solved
    assert asked == 2


def test_what_is_no_dial() -> None:
    """Two pairs of pieces changed by two moves, which commute and are no powers of one; and pieces that go around a
    cycle and others that cannot."""
    puzzle = posted({"a": [1, 0, 3, 2], "b": [2, 3, 0, 1]})
    assert wheels_of(puzzle, puzzle.move_set(None)) is None
    puzzle = dials(Random(0), 3, pieces=1, wheels=1, cycles=2)
    wheels = wheels_of(puzzle, puzzle.move_set(None))
    assert wheels is not None
    one, back = puzzle.images(puzzle.moves).tolist()
    assert one == [1, 2, 0, 5, 3, 4, 8, 6, 7]
    assert [*wheels.solve(one)] == [(puzzle.moves[1:], 1)]
    assert [*wheels.solve(back)] == [(puzzle.moves[:1], 1)]
    exchanged, turned, mixed = [0, 1, 2, 4, 3, 5, 6, 7, 8], [*one[:3], *range(3, 9)], [*one[:3], *one[6:], *one[3:6]]
    for impossible in (exchanged, turned, mixed):
        assert not any(wheels.solve(impossible))


def test_states_that_cannot_be_solved_have_no_solution() -> None:
    clock = get_puzzle("clock")
    assert isinstance(clock, PermutationPuzzle)
    some = wheels_of(clock, clock.move_set("UR1+ UR1- U1+ U1-"))
    assert some is not None
    for alg, length in (("UR1+", 1), ("R1+", None), ("UR6+", 6), ("UR5- U3+", 8)):
        found = cheapest(some, clock, clock.apply_alg(clock.solved, clock.parse_alg(alg)))
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
