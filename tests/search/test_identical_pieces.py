"""Random small puzzles, many with pieces that look alike: every verdict and every answer, compared with the whole space
of states as a breadth-first search of the test's own finds it (tests/puzzles/random_definitions.py)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from hstar.audits.heuristic import HeuristicAuditRequest, audit
from hstar.errors import InvalidExpression, InvalidRequest
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.puzzles import DefinedPuzzle, puzzle_from_definition, read_definition
from hstar.puzzles.added import looking_in
from hstar.search import ALGORITHMS, Result, SolveRequest, prepare, solve
from tests.conftest import SEED, instances
from tests.puzzles.random_definitions import Contents, Space, random_space, random_tokens
from tests.puzzles.test_formats import Shelf

#: larger databases are left out
MOST_BYTES = 2**24
#: what finds a shortest solution of every state; of the others some have a heuristic, and some prove nothing
EXACT = ("auto", "breadth_first", "bidirectional")
INFORMED = ("astar", "ida_star", "greedy")
#: what may find no solution where there is one
METHODS = ("beam", "constructive", "windows", "two_phase")


def six() -> Space:
    """Six slots in a ring of three colours: three of the moves swap pieces that look alike when solved."""

    def swap(a: int) -> dict[str, Any]:
        order = [*range(a), a + 1, a, *range(a + 2, 6)]
        return {"P": {"permutation": order, "orientationDelta": [0] * 6}}

    definition = {
        "name": "random",
        "orbits": [{"orbitName": "P", "numPieces": 6, "numOrientations": 1}],
        "defaultPattern": {"P": {"pieces": [0, 0, 1, 1, 2, 2], "orientation": [0] * 6}},
        "moves": {
            "A": swap(0),
            "B": {"P": {"permutation": [1, 2, 3, 4, 5, 0], "orientationDelta": [0] * 6}},
            "C": swap(2),
            "D": swap(4),
        },
    }
    return Space.of(definition)


def read(space: Space) -> DefinedPuzzle:
    return puzzle_from_definition(read_definition(space.definition))


def of(random: Random, space: Space, puzzle: DefinedPuzzle, tokens: list[str]) -> str:
    """A database of this or another move set, or an expression of one."""
    orbits = random.sample(puzzle.orbits, random.randint(1, len(puzzle.orbits)))
    text = "+".join(f"{orbit.name}:{random.randint(1, len(puzzle.kinds(orbit)))}" for orbit in orbits)
    chosen = random.choice(["", f', "{" ".join(tokens)}"', f', "{" ".join(random_tokens(random, space))}"'])
    database, one = f'pdb("{text}"{chosen})', orbits[0].one
    kinds = [database] * 4 + [
        f"{database} / 2", f"ceil({database} * 0.7)", f"{database} + misplaced_pieces", f"min({database}, 2)",
        f"max({database}, max_{one}_moves)", f"ceil(misplaced_pieces / {random.randint(1, 6)})", f"{one}_moves / 3",
    ]  # fmt: skip
    return random.choice(kinds)


def confirm_verdicts(space: Space, puzzle: DefinedPuzzle, heuristic: Heuristic, text: str, tokens: list[str]) -> None:
    """Every command has the verdict that the values of all states have."""
    truth, moves = space.distances(tokens), " ".join(tokens)
    values = {}
    for state in space.states:
        ours = puzzle.parse_state({"pieces": space.as_json(state)})
        values[state] = heuristic.kernel.evaluate(ours)
        assert heuristic(ours) == values[state]
    falls = {(state, token): values[state] - values[space.apply(state, token)] for state in truth for token in tokens}
    admissible = all(values[state] <= distance + 1e-7 for state, distance in truth.items())
    consistent = values[space.solved] == 0 and all(fall <= 1 + 1e-7 for fall in falls.values())
    # No state is looked at with a large database, unless an audit asks for it.
    unknown = set() if all(feature.cheap for feature in heuristic.expression.features) else {"unknown", "unrefuted"}
    for whole in (False, True):
        found = check(HeuristicCheckRequest(puzzle="random", heuristic=text, moves=moves), whole)
        assert found.admissible in unknown | {"proven" if admissible else "refuted"}, found.reason
        assert found.consistent in unknown | {"proven" if consistent else "refuted"}, found.reason
        assert found.bounds.low <= min(values.values()) <= max(values.values()) <= found.bounds.high
        assert -found.bounds.rise <= min(falls.values()) <= max(falls.values()) <= found.bounds.drop
        if found.counterexample is not None:
            at = space.apply_all(space.solved, found.counterexample.scramble)
            assert (values[at], truth[at]) == (found.counterexample.h, found.counterexample.true_distance)
            assert values[at] > truth[at]
        if found.inconsistency is not None and found.inconsistency.move is not None:
            at = space.apply_all(space.solved, found.inconsistency.scramble)
            assert values[at] > 1 + values[space.apply(at, found.inconsistency.move)]
    for radius in (2, 1000):
        said = audit(HeuristicAuditRequest(puzzle="random", heuristic=text, moves=moves, radius=radius))
        undecided = unknown if radius == 2 else set()
        assert said.verdict in undecided | {"proven" if admissible else "refuted"}, said.reason
        assert said.consistent in undecided | {"proven" if consistent else "refuted"}, said.consistent_reason


def confirm_answer(
    space: Space, state: Contents, tokens: list[str], truth: dict[Contents, int], result: Result
) -> None:
    """The answer agrees with the true distance, None if the moves do not lead to solved."""
    distance, method = truth.get(state), result.method
    if result.status == "solved":
        assert distance is not None
        assert result.solution is not None
        assert space.apply_all(state, result.solution) == space.solved
        assert result.length == len(result.solution) >= distance
        assert (result.optimality == "proven") == (result.length == result.lower_bound)
        assert result.optimality == "feasible" or result.length == distance
    elif result.status == "exhausted":
        assert distance is None
    else:  # IDA* keeps no states, so it cannot know that there are no others
        assert (result.limit, method) == ("expanded", "ida_star") or (result.limit == "method" and method in METHODS)
        assert (distance is None) == (method == "ida_star")
    assert result.lower_bound is None or distance is None or result.lower_bound <= distance


@pytest.mark.parametrize("seed", instances(range(400), few=10))
def test_every_verdict_and_every_answer_is_that_of_the_whole_space(seed: int) -> None:
    random = Random(1_000_000 * SEED + seed)
    space = random_space(random, random.choice([20, 60, 200]))
    puzzle, tokens = read(space), random_tokens(random, space)
    truth = space.distances(tokens)
    with looking_in(Shelf(puzzle)):
        moves, texts = puzzle.move_set(" ".join(tokens)), list[str]()
        for text in [of(random, space, puzzle, tokens) for _ in range(3)]:
            try:
                heuristic = get_heuristic(text, puzzle, moves)
            except InvalidExpression:  # too many orientations for a database
                continue
            if heuristic.build_bytes > MOST_BYTES:
                continue
            confirm_verdicts(space, puzzle, heuristic, text, tokens)
            texts.append(text)
        for state in random.sample(space.states, min(3, len(space.states))):
            for algorithm in (name for name in ALGORITHMS if name != "plan"):
                request = {
                    "puzzle": "random", "state": {"pieces": space.as_json(state)}, "moves": moves.name,
                    "algorithm": algorithm, "limits": {"expanded": 20_000},
                    "heuristic": random.choice(texts) if texts and algorithm in INFORMED else None,
                }  # fmt: skip
                try:
                    problem = prepare(SolveRequest.model_validate(request))
                except InvalidRequest:
                    assert algorithm == "two_phase"  # of small puzzles there are none
                    continue
                result = solve(problem)
                confirm_answer(space, state, tokens, truth, result)
                assert algorithm not in EXACT or result.length == truth.get(state)


def test_no_two_commands_disagree_on_moves_that_look_equal_on_the_solved_state() -> None:
    """Swaps of different pieces look equal where the pieces do: a database for A and B says nothing of C and D."""
    space, text, tokens = six(), 'pdb("P:1", "A B")', ["A", "B", "C", "D"]
    puzzle, truth = read(space), space.distances(tokens)
    state: Contents = (((2, 0, 0, 1, 2, 1), (0,) * 6),)
    assert truth[state] == 2
    with looking_in(Shelf(puzzle)):
        heuristic = get_heuristic(text, puzzle, puzzle.move_set("A B C D"))
        confirm_verdicts(space, puzzle, heuristic, text, tokens)
        assert heuristic.verdicts(puzzle.move_set("A B C D")).admissible == "refuted"
        for algorithm in ("auto", "anytime", "breadth_first", "astar", "ida_star"):
            request = {
                "puzzle": "random", "state": {"pieces": space.as_json(state)}, "moves": "A B C D",
                "algorithm": algorithm, "heuristic": text if algorithm in INFORMED else None,
            }  # fmt: skip
            result = solve(prepare(SolveRequest.model_validate(request)))
            confirm_answer(space, state, tokens, truth, result)
            assert result.status == "solved"
