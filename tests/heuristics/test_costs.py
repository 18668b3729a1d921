"""Verdicts on heuristics where moves have costs, compared with Dijkstra's algorithm in plain Python on whole spaces."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from pathlib import Path
from random import Random

import numpy as np
import pytest

import hstar
from hstar.certificates import verdicts
from hstar.heuristics import get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.heuristics.nearby import NearbyRequest, nearby
from hstar.heuristics.space import nearest_states
from hstar.puzzles import MoveSet, Puzzle, State, get_puzzle
from tests.certificates.checkers import first, second
from tests.command_line import run
from tests.conftest import instances

TEXTS = (
    "manhattan",
    "manhattan + linear_conflict",
    "walking_distance * {n} / 3",
    "manhattan * {n}",
    "misplaced_tiles * {n} / 2",
    "0 if solved else {n}",
    "max(manhattan, {n} * misplaced_tiles - 3)",
    "ceil(manhattan * {n} / 3)",
    "min(manhattan * 3, {n} * 2)",
    "manhattan / {n} + misplaced_tiles",
)


def dijkstra(puzzle: Puzzle, moves: MoveSet) -> dict[State, int]:
    """What the cheapest solution of each state costs."""
    found: dict[State, int] = {}
    waiting = [(0, puzzle.solved)]
    while waiting:
        cost, state = heappop(waiting)
        if state in found:
            continue
        found[state] = cost
        for move in moves.moves:
            for _, before in puzzle.successors(state, (puzzle.inverse(move),)):
                heappush(waiting, (cost + moves.cost(move), before))
    return found


def some_costs(random: Random, puzzle: Puzzle, most: int) -> MoveSet:
    chosen = puzzle.move_set(None).moves
    return puzzle.move_set(" ".join(f"{move}:{random.randint(1, most)}" for move in chosen), costs=True)


@pytest.mark.parametrize("seed", instances(range(60), 12))
def test_verdicts_are_those_of_dijkstra(seed: int) -> None:
    random, puzzle = Random(seed), get_puzzle("tiles:2x3")
    moves = some_costs(random, puzzle, random.choice([2, 3, 9, 255]))
    truth = dijkstra(puzzle, moves)
    for text in TEXTS:
        heuristic = get_heuristic(text.format(n=random.randint(1, 9)), puzzle, moves)
        admissible = all(heuristic(state) <= distance + 1e-9 for state, distance in truth.items())
        steps = ((state, *step) for state in truth for step in puzzle.successors(state, moves.moves))
        falls = any(heuristic(state) > moves.cost(move) + heuristic(after) + 1e-9 for state, move, after in steps)
        consistent = not falls and heuristic(puzzle.solved) == 0
        light = heuristic.verdicts(moves, deep=False)
        assert light.admissible in ("unknown", "proven" if admissible else "refuted"), text
        assert light.consistent in ("unknown", "proven" if consistent else "refuted"), text
        found = heuristic.verdicts(moves)
        assert found.admissible == ("proven" if admissible else "refuted"), (text, moves.name)
        if found.admissible == "refuted" or found is not light:
            assert found.consistent == ("proven" if consistent else "refuted"), (text, moves.name)
        if found.counterexample is not None:
            state = puzzle.apply_alg(puzzle.solved, found.counterexample)
            assert (found.h, found.true_distance) == (heuristic(state), truth[state])
            assert moves.length(puzzle.inverse_alg(found.counterexample)) == truth[state]
        if found.inconsistent_move is not None:
            assert found.inconsistent_at is not None
            state = puzzle.apply_alg(puzzle.solved, found.inconsistent_at)
            after = puzzle.apply_alg(state, [found.inconsistent_move])
            assert heuristic(state) > moves.cost(found.inconsistent_move) + heuristic(after)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [1, 50, 360])
def test_the_nearest_states(seed: int, count: int) -> None:
    """In whole layers, so that each distance is exact also where the space is not complete."""
    puzzle = get_puzzle("tiles:2x3")
    moves = some_costs(Random(seed), puzzle, 7)
    truth = dijkstra(puzzle, moves)
    space = nearest_states(puzzle, moves, count)
    found = {space.state(number): int(distance) for number, distance in enumerate(space.distances())}
    assert found == {state: cost for state, cost in truth.items() if cost <= space.radius}
    assert len(found) >= count
    assert space.complete == (len(found) == 360)
    for state, distance in found.items():
        alg = space.alg_to(state, distance)
        assert puzzle.apply_alg(puzzle.solved, alg) == state
        assert moves.length(puzzle.inverse_alg(alg)) == distance


def test_databases_are_consistent_with_their_costs() -> None:
    """Which bounds prove; the witness is each move of each state that is reached by two faces."""
    puzzle = get_puzzle("2x2x2")
    moves = puzzle.move_set("U:3 U2:4 U':1 R:2 R2:5 R':6", costs=True)
    space = nearest_states(puzzle, moves, 3_674_160)
    assert (len(space), space.complete) == (29_160, True)
    for text in ('pdb("corners:3")', 'pdb("corners:3") / 2 + pdb("corners:4") / 2', 'max(pdb("corners:2"), 1) - 1'):
        heuristic = get_heuristic(text, puzzle, moves)
        assert heuristic.verdicts(moves, deep=False).consistent == "proven", text
        values = np.array([heuristic(space.state(number)) for number in range(len(space))])
        assert (values <= space.distances()).all()
        for move in moves.moves:
            after = values[space.find(puzzle.apply_to_all(space.states, move))]
            assert (values - after <= moves.cost(move)).all(), (text, move)
    too_much = get_heuristic('pdb("corners:3") * 2', puzzle, moves).check_whole_space(moves)
    assert (too_much.admissible, too_much.consistent) == ("refuted", "refuted")


def test_check(tmp_path: Path) -> None:
    found = hstar.check("manhattan * 2", "8-puzzle", "U:2 D:2 L:2 R:2")
    assert (found.admissible, found.consistent) == ("proven", "proven")
    assert found.reason == "h is 0 at the goal and no move lowers it by more than it costs (move set U:2 R:2 D:2 L:2)"
    request = HeuristicCheckRequest(puzzle="8-puzzle", heuristic="manhattan * 2", moves="U:2 D:2 L:2 R")
    dear = check(request)
    assert dear.admissible == dear.consistent == "refuted"
    assert dear.counterexample is not None
    assert (dear.counterexample.h, dear.counterexample.true_distance) == (2, 1)
    file = tmp_path / "dear.hcert"
    with file.open("wb") as destination:
        verdicts.of_check(request, dear).write(destination)
    assert "R:1 solves in moves that cost 1 what h says is 2 away" in first(file).said
    assert second(file).proven
    shown = run("check", "8-puzzle", "manhattan * 2", "--moves", "U:2 D:2 L:2 R")
    assert "the move R lowers h by more than it costs" in " ".join(shown.stdout.split())
    assert shown.exit_code == 1


@pytest.mark.parametrize("seed", instances(range(40), 6))
@pytest.mark.parametrize("count", [1, 3, 40, 200, 360])
def test_the_states_nearby(seed: int, count: int) -> None:
    """As many as were asked for, those of the last distance in part."""
    puzzle, random = get_puzzle("tiles:2x3"), Random(seed)
    moves = some_costs(random, puzzle, random.choice([2, 9]))
    heuristic = get_heuristic("manhattan", puzzle, moves)
    truth = dijkstra(puzzle, moves)
    every = Counter((cost, heuristic(state)) for state, cost in truth.items())
    found = nearby(NearbyRequest(puzzle="tiles:2x3", heuristic="manhattan", moves=moves.name, states=count))
    shown = {(cell.distance, cell.h): cell.states for cell in found.cells}
    near = {key: states for key, states in every.items() if key[0] <= found.radius}
    assert {key: states for key, states in shown.items() if key[0] <= found.radius} == near
    further = {cost for cost in truth.values() if cost > found.radius}
    left = [key for key in shown if key[0] > found.radius]
    assert {cost for cost, _ in left} <= {min(further, default=None)}
    assert all(shown[key] <= every[key] for key in left)
    assert (sum(shown.values()), found.states, found.whole) == (count, count, count == 360)
    if not left:
        assert sum(near.values()) == count
