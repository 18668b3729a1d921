"""The peers do the same as hstar: the same puzzle, heuristic and results."""

import random

import pytest

from bench import peers
from bench.searching import korf_board, s2_scramble
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import FACES, Megaminx
from hstar.search import solve


def test_the_cubes_of_s2_turn_like_our_megaminx() -> None:
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, Megaminx)
    state, choose = puzzle.solved, random.Random(1)
    for move in choose.choices(puzzle.moves, k=200):
        before, state = peers._colours(puzzle, state), puzzle.turned(state, move)
        assert [before[source] for source in peers._sources(puzzle, move)] == peers._colours(puzzle, state)


def test_the_colours_are_those_of_the_format() -> None:
    puzzle = get_puzzle("megaminx")
    assert isinstance(puzzle, Megaminx)
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("U F2 BR' DL"))
    shown = puzzle.format_facelets(state)
    # Eleven of each colour, the centres included, wherever they are.
    assert sorted([*peers._colours(puzzle, state), *range(12)]) == sorted(
        FACES.index(colour) for face in shown.values() for colour in face
    )


@pytest.mark.parametrize("k", [1, 3, 5, 6])
def test_s2s_design_solves_the_same_instances(k: int) -> None:
    """Without a closed list it needs at least as many expansions, but still finds the goal."""
    search = s2_scramble(k, 3, 100_000)
    run = peers.s2_design(search)
    assert run.solved
    assert run.generated == 12 * run.expanded
    assert run.peak_bytes is not None
    assert solve(search).status == "solved"


def test_s2s_design_stops_at_its_limit() -> None:
    run = peers.s2_design(s2_scramble(30, 1, 500))
    assert (run.solved, run.expanded, run.generated) == (False, 500, 6_000)


def test_the_plain_search_has_the_kernels_counts() -> None:
    search = korf_board(84, 300)
    run, counters = peers.plain_python(search), solve(search).counters
    assert (run.expanded, run.generated) == (counters.expanded, counters.generated)
