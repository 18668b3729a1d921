"""First solutions of puzzles with more than 128 pieces in one orbit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bench.lengths import wreath
from hstar.puzzles import puzzle_from_definition, random_state
from hstar.puzzles.families import family_member
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.search.anytime.chains import chains_of
from hstar.search.anytime.orbit_by_orbit import orbit_by_orbit
from hstar.search.anytime.pair_cycles import PairCycles, PairSettings
from tests.conftest import TEST_ALL

#: how long the solution of a test's state is with the first seed; every choice of a cycle stands behind it
LENGTHS = {
    "topspin:130": 11151, "pancake:140": 1043, "lrx:131": 15059, "4x4x4": 321,
    12: 188, (20,): 501, (20, 30): 3935,
}  # fmt: skip


def solved(puzzle: PermutationPuzzle, seed: int, known: object = None) -> None:
    """A random state is solved; if it is ``known``, with as many moves as ever."""
    state = random_state(puzzle, seed)
    alg = orbit_by_orbit(puzzle, puzzle.move_set(None)).solve(state)
    assert alg is not None
    assert puzzle.apply_alg(state, alg) == puzzle.solved
    if known in LENGTHS:
        assert len(alg) == LENGTHS[known]


@pytest.mark.parametrize("name", ["topspin:130", "pancake:140", "lrx:131", *(["topspin:300"] if TEST_ALL else [])])
def test_large_orbits_are_solved(name: str) -> None:
    puzzle = family_member(name)
    assert puzzle is not None
    for seed in range(20 if TEST_ALL else 1):
        solved(puzzle, seed, name if seed == 0 else None)


def test_every_even_permutation_of_a_small_orbit_is_solved() -> None:
    """So small that often no third slot is free, and commutators are needed."""
    n = 7
    turned = np.arange(n)
    images = np.array([(turned + 1) % n, (turned - 1) % n, turned, turned])
    images[2, :3], images[3, :3] = (1, 2, 0), (2, 0, 1)
    assert not PairCycles(images[:2], [1, 0], (), (0, 1, 2)).complete  # a ring that only turns
    cycles = PairCycles(images, [1, 0, 3, 2], (2,), (0, 1, 2))
    assert cycles.complete
    few = PairSettings(fewest=1, most=0)
    assert PairCycles(images, [1, 0, 3, 2], (2,), (0, 1, 2), few).complete  # with all moves where a few lead nowhere
    random, moves = Random(3), 0
    for _ in range(300):
        places = random.sample(range(n), n)
        even = sum(places[i] > places[j] for j in range(n) for i in range(j)) % 2 == 0
        word = cycles.solve(places)
        if not even:
            assert word is None
            continue
        assert word is not None
        moves += len(word)
        at = np.array(places)
        for move in word:
            at = images[move][at]
        assert at.tolist() == list(range(n))
    assert moves == 3666  # every choice of a cycle stands behind them


def test_wings_whose_orientation_follows_from_their_slot_are_solved() -> None:
    """The 4x4x4 of cubing.js as it is: 24 wings with two orientations, of which each wing has one in each slot."""
    definition = json.loads((Path(__file__).resolve().parents[1] / "data" / "cubingjs_4x4x4.json").read_text())
    puzzle = puzzle_from_definition(read_any_definition(definition, "4x4x4"))
    for seed in range(3):
        solved(puzzle, seed, "4x4x4" if seed == 0 else None)


@pytest.mark.parametrize(("flips", "follows"), [(0, True), (1, False), (2, True)])
def test_an_orientation_follows_from_a_slot_if_it_always_comes_back(flips: int, follows: bool) -> None:
    """Two pairs of pieces, each swapped by a move, that flips one or both of them: twice it flips both or none."""
    moves = {}
    for name, (one, other) in {"A": (0, 1), "B": (2, 3)}.items():
        slots, flipped = list(range(4)), [0] * 4
        slots[one], slots[other] = other, one
        for slot in (one, other)[:flips]:
            flipped[slot] = 1
        moves[name] = {"P": {"permutation": slots, "orientationDelta": flipped}}
    definition = {
        "name": "pairs", "orbits": [{"orbitName": "P", "numPieces": 4, "numOrientations": 2}], "moves": moves,
        "defaultPattern": {"P": {"pieces": [0, 1, 2, 3], "orientation": [0] * 4}},
    }  # fmt: skip
    puzzle = puzzle_from_definition(read_any_definition(definition, "pairs"))
    assert chains_of(puzzle, puzzle.move_set(None)).follows(puzzle.orbits[0]) is follows


@pytest.mark.parametrize("beads", [12, *([33, 100] if TEST_ALL else [])])
def test_two_rings_with_two_beads_in_common_are_solved(beads: int) -> None:
    """A wreath of the published competitions: no move and conjugate share exactly one bead."""
    puzzle = puzzle_from_definition(read_any_definition(wreath(beads), "wreath"))
    solved(puzzle, 1, beads)


@pytest.mark.parametrize("sizes", [(20,), (20, 30), *([(100,)] if TEST_ALL else [])])
def test_random_permutations_are_solved_by_powers(sizes: tuple[int, ...]) -> None:
    """No commutator touches few slots. Each move permutes all orbits."""
    for seed in range(1, 20 if TEST_ALL else 2):
        random, generators = Random(seed), {}
        for name in ("a", "b"):
            parts = [[place + sum(sizes[:i]) for place in random.sample(range(n), n)] for i, n in enumerate(sizes)]
            generators[name] = [place for part in parts for place in part]
        puzzle = puzzle_from_definition(read_any_definition(generators, "random"))
        solved(puzzle, seed, sizes if seed == 1 else None)
