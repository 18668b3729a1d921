"""Symmetries computed from the moves, compared with those of the solids and with true distances."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from hstar.polyhedra import isomorphisms, reversed_order
from hstar.puzzles import MoveSet, State, get_puzzle, make_scramble, puzzle_from_definition
from hstar.puzzles import symmetry as module
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.megaminx import FACES, NEIGHBOURS
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import Symmetry, symmetries

PUZZLES = {"megaminx": 60, "master_pyraminx": 12}  # rotations of the solid
MOVE_SETS = [(name, moves) for name in PUZZLES for moves in get_puzzle(name).move_sets]


def permutation_puzzle(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


def closed_under_inverse(puzzle: PermutationPuzzle, moves: MoveSet) -> bool:
    return all(puzzle.inverse(move) in moves.moves for move in moves.moves)


def random_states(puzzle: PermutationPuzzle, count: int, seed: int) -> Iterator[State]:
    random = Random(seed)
    for _ in range(count):
        yield puzzle.apply_alg(puzzle.solved, [random.choice(puzzle.moves) for _ in range(random.randint(0, 40))])


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_as_many_as_the_solid_has(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    found = symmetries(puzzle, chosen)
    both = closed_under_inverse(puzzle, chosen)
    rotations = PUZZLES[name]
    assert sum(not s.reversing for s in found) == (2 * rotations if both else rotations)
    assert sum(s.reversing for s in found) == (2 * rotations if both else rotations)
    assert len({s.images for s in found}) == 2 * rotations
    assert all(s.apply(puzzle, puzzle.solved) == puzzle.solved for s in found)


def test_those_of_the_megaminx_are_those_of_the_dodecahedron() -> None:
    puzzle = permutation_puzzle("megaminx")
    one_turn = {puzzle.apply(puzzle.solved, face): face for face in FACES}
    rotations, reflections = set(), set()
    for symmetry in symmetries(puzzle, puzzle.move_set("cw")):
        if (
            symmetry.reversing
        ):  # the inverse is a turn of the same face in the other direction, which the reflection reverses again
            faces = tuple(one_turn[symmetry.apply(puzzle, puzzle.turned(puzzle.solved, face))] for face in FACES)
            reflections.add(faces)
        else:
            rotations.add(tuple(one_turn[symmetry.apply(puzzle, puzzle.turned(puzzle.solved, face))] for face in FACES))
    assert rotations == {tuple(m[f] for f in FACES) for m in isomorphisms(NEIGHBOURS, NEIGHBOURS)}
    assert reflections == {tuple(m[f] for f in FACES) for m in isomorphisms(NEIGHBOURS, reversed_order(NEIGHBOURS))}


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_a_direct_symmetry_turns_moves_into_moves(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    one_move = {puzzle.turned(puzzle.solved, move): move for move in chosen.moves}
    direct = [symmetry for symmetry in symmetries(puzzle, chosen) if not symmetry.reversing]
    for symmetry in Random(1).sample(direct, min(30, len(direct))):
        image = {move: one_move[symmetry.apply(puzzle, after)] for after, move in one_move.items()}
        assert sorted(image.values()) == sorted(chosen.moves)
        for state in random_states(puzzle, 2, 1):
            move = Random(state.hex()).choice(chosen.moves)
            after = symmetry.apply(puzzle, puzzle.turned(state, move))
            assert after == puzzle.turned(symmetry.apply(puzzle, state), image[move])


@pytest.mark.parametrize("name", list(PUZZLES))
def test_the_inverse_state_undoes_the_state(name: str) -> None:
    puzzle = permutation_puzzle(name)
    for state in random_states(puzzle, 50, 2):
        assert puzzle.inverse_state(puzzle.inverse_state(state)) == state
    for seed in range(50):
        alg = make_scramble(puzzle, 12, seed).alg
        state = puzzle.apply_alg(puzzle.solved, alg)
        assert puzzle.inverse_state(state) == puzzle.apply_alg(puzzle.solved, puzzle.inverse_alg(alg))


def ball(puzzle: PermutationPuzzle, moves: MoveSet, radius: int) -> dict[State, int]:
    """True distances of all states up to a radius, backwards from the goal."""
    found = {puzzle.solved: 0}
    layer = [puzzle.solved]
    for distance in range(1, radius + 1):
        layer = [
            before
            for before in {puzzle.turned(s, puzzle.inverse(m)) for s in layer for m in moves.moves}
            if found.setdefault(before, distance) == distance
        ]
    return found


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_distances_are_kept(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_set(moves)
    distances = ball(puzzle, chosen, 2)
    random = Random(moves)
    states = random.sample(sorted(distances), 30)

    def check(symmetry: Symmetry) -> None:
        for state in states:
            assert distances[symmetry.apply(puzzle, state)] == distances[state]

    for symmetry in random.sample(symmetries(puzzle, chosen), 24):
        check(symmetry)


def test_the_search_of_many_independent_parts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirteen pieces that turn by themselves: describing such a posted puzzle must not stop the API."""
    pieces = 13
    stay = [*range(pieces)]
    turns = {
        f"m{slot}x": {"P": {"permutation": stay, "orientationDelta": [int(slot == i) for i in stay]}} for slot in stay
    }
    puzzle = puzzle_from_definition(
        read_any_definition({
            "name": "independent",
            "orbits": [{"orbitName": "P", "numPieces": pieces, "numOrientations": 5}],
            "defaultPattern": {"P": {"pieces": stay, "orientation": [0] * pieces}},
            "moves": turns,
        })
    )  # fmt: skip
    placed = []
    propagate = module._propagate

    def counted(*given: Any) -> Any:
        placed.append(1)
        return propagate(*given)

    monkeypatch.setattr(module, "_propagate", counted)
    assert symmetries(puzzle, puzzle.move_set("all"))
    assert 1000 < len(placed) <= module.MOST_TRIALS
