"""First solutions of puzzles with more than 128 pieces in one orbit."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest

from bench.lengths import wreath
from hstar import search
from hstar.puzzles import puzzle_from_definition, random_state
from hstar.puzzles.families import family_member
from hstar.puzzles.formats import read_any_definition
from hstar.search.anytime.pair_cycles import PairCycles
from hstar.search.anytime.three_cycles import three_cycles_of
from tests.conftest import TEST_ALL


@pytest.mark.parametrize("name", ["topspin:130", "pancake:140", "lrx:131", *(["topspin:300"] if TEST_ALL else [])])
def test_large_orbits_are_solved(name: str) -> None:
    puzzle = family_member(name)
    assert puzzle is not None
    for seed in range(20 if TEST_ALL else 1):
        state = random_state(puzzle, seed)
        alg = three_cycles_of(puzzle, puzzle.move_set(None)).solve(state, search.Control().search(), 60)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved


def test_every_even_permutation_of_a_small_orbit_is_solved() -> None:
    """So small that often no third slot is free, and commutators are needed."""
    n = 7
    turned = np.arange(n)
    images = np.array([(turned + 1) % n, (turned - 1) % n, turned, turned])
    images[2, :3], images[3, :3] = (1, 2, 0), (2, 0, 1)
    assert not PairCycles(images[:2], [1, 0], (), (0, 1, 2)).complete  # a ring that only turns
    cycles = PairCycles(images, [1, 0, 3, 2], (2,), (0, 1, 2))
    assert cycles.complete
    random = Random(3)
    for _ in range(300):
        places = random.sample(range(n), n)
        even = sum(places[i] > places[j] for j in range(n) for i in range(j)) % 2 == 0
        word = cycles.solve(places)
        if not even:
            assert word is None
            continue
        assert word is not None
        at = np.array(places)
        for move in word:
            at = images[move][at]
        assert at.tolist() == list(range(n))


def test_wings_whose_orientation_follows_from_their_slot_are_solved() -> None:
    """The 4x4x4 of cubing.js as it is: 24 wings with two orientations, of which each wing has one in each slot."""
    definition = json.loads((Path(__file__).resolve().parents[1] / "data" / "cubingjs_4x4x4.json").read_text())
    puzzle = puzzle_from_definition(read_any_definition(definition, "4x4x4"))
    for seed in range(3):
        state = random_state(puzzle, seed)
        alg = three_cycles_of(puzzle, puzzle.move_set(None)).solve(state, search.Control().search(), 60)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved


@pytest.mark.parametrize("beads", [12, 100, *([33] if TEST_ALL else [])])
def test_two_rings_with_two_beads_in_common_are_solved(beads: int) -> None:
    """A wreath of the published competitions: no move and conjugate share exactly one bead."""
    puzzle = puzzle_from_definition(read_any_definition(wreath(beads), "wreath"))
    state = random_state(puzzle, 1)
    alg = three_cycles_of(puzzle, puzzle.move_set(None)).solve(state, search.Control().search(), 60)
    assert alg is not None
    assert puzzle.apply_alg(state, alg) == puzzle.solved


@pytest.mark.parametrize("sizes", [(20,), (20, 30), *([(100,)] if TEST_ALL else [])])
def test_random_permutations_are_solved_by_powers(sizes: tuple[int, ...]) -> None:
    """No commutator touches few slots. Each move permutes all orbits."""
    for seed in range(1, 20 if TEST_ALL else 3):
        random, generators = Random(seed), {}
        for name in ("a", "b"):
            parts = [[place + sum(sizes[:i]) for place in random.sample(range(n), n)] for i, n in enumerate(sizes)]
            generators[name] = [place for part in parts for place in part]
        puzzle = puzzle_from_definition(read_any_definition(generators, "random"))
        state = random_state(puzzle, seed)
        alg = three_cycles_of(puzzle, puzzle.move_set(None)).solve(state, search.Control().search(), 60)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved
