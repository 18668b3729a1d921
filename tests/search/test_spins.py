"""Pieces that turn in place are solved last; every solution is replayed by the search, and here on the definition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from hstar import _kernel
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from hstar.search.anytime.chains import Chains, chains_of
from hstar.search.anytime.spins import SpinSettings, spins, spins_of
from hstar.search.plans import improving


def ring(pieces: int, **turned: dict[str, int]) -> dict[str, Any]:
    """Pieces in a row, of which A cycles the first four and B the last four, and centres that the moves turn."""
    home = list(range(pieces))
    cycles = {"A": [1, 2, 3, 0, *home[4:]], "B": [*home[:-4], *(home[-4:][i] for i in (1, 2, 3, 0))]}
    centres = {name: int(name[1:].partition("_")[0]) for name in turned}
    return {
        "name": "ring",
        "orbits": [
            {"orbitName": "PIECES", "numPieces": pieces, "numOrientations": 1},
            *({"orbitName": name, "numPieces": 1, "numOrientations": n} for name, n in centres.items()),
        ],
        "defaultPattern": {
            "PIECES": {"pieces": home, "orientation": [0] * pieces},
            **{name: {"pieces": [0], "orientation": [0]} for name in centres},
        },
        "moves": {
            move: {
                "PIECES": {"permutation": order, "orientationDelta": [0] * pieces},
                **{
                    name: {"permutation": [0], "orientationDelta": [by.get(move, 0)]} for name, by in turned.items()
                },
            }
            for move, order in cycles.items()
        },
    }  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Folder]:
    with looking_in(Folder(tmp_path)):
        yield Folder(tmp_path)


@pytest.mark.parametrize(
    ("turned", "moves_of_all"),
    [
        ({"C3_a": {"A": 1}, "C3_b": {"B": 1}}, 24),
        ({"C5": {"A": 1, "B": 2}, "C3": {"B": 1}}, 208),
        ({"C4": {"A": 1, "B": 3}, "C6": {"A": 2, "B": 5}}, 92),
    ],
    ids=["one each", "both", "composite"],
)
def test_every_state_is_solved_by_the_step_alone(
    folder: Folder, turned: dict[str, dict[str, int]], moves_of_all: int
) -> None:
    folder.add(read_any_definition(ring(6, **turned), "ring"))
    puzzle = get_puzzle("ring")
    assert isinstance(puzzle, PermutationPuzzle)
    moves = puzzle.move_set(None)
    assert spins(puzzle, moves)
    last = spins_of(chains_of(puzzle, moves))
    assert [orbit.name for orbit in last.first.orbits] == ["PIECES"]
    states, layer = {puzzle.solved}, {puzzle.solved}
    while layer:
        layer = {puzzle.turned(state, move) for state in layer for move in moves.moves} - states
        states |= layer
    turned_only = [state for state in states if last.first.state_in(puzzle, state) == last.first.solved]
    assert 1 < len(turned_only) < len(states)
    for state in turned_only:
        alg = last.solve(state, ())
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        moves_of_all -= len(alg)
    assert moves_of_all == 0  # the choice of every word stands behind their sum
    for state in sorted(states)[:: len(states) // 20]:
        asked = {"puzzle": "ring", "state": puzzle.format_state(state), "plan": [{"method": "spins"}]}
        assert solve(prepare(SolveRequest.model_validate(asked))).status == "solved"
    assert "spins" in [
        step.method for step in improving(prepare(SolveRequest.model_validate({"puzzle": "ring", "alg": "A"})))
    ]


def test_a_word_that_turns_other_pieces_costs_what_turning_them_back_does() -> None:
    cost = SpinSettings(besides=11).cost
    assert [cost((turned, (1,) * 7)) for turned in ((0, 2, 0), (3, 0, 1))] == [7 + 11, 7 + 2 * 11]


def test_nothing_is_found_where_nothing_turns_in_place(folder: Folder) -> None:
    folder.add(read_any_definition(ring(6), "moves"))
    asked = {"puzzle": "moves", "alg": "A B A", "plan": [{"method": "spins"}]}
    assert solve(prepare(SolveRequest.model_validate(asked))).status == "limit_reached"


def megaminx_by_other_numbers(folder: Folder, moves: str) -> PermutationPuzzle:
    own = get_puzzle("megaminx")
    assert isinstance(own, PermutationPuzzle)
    draw = np.random.default_rng(3)
    turns = own.move_set(moves).moves
    rows = [np.argsort(row) for row in own.images(turns)]
    other = draw.permutation(len(rows[0]))
    renamed = {
        f"t{i}": other[rows[number][np.argsort(other)]].tolist() for i, number in enumerate(draw.permutation(len(rows)))
    }
    folder.add(read_any_definition({"generators": renamed}, "minx"))
    posted = get_puzzle("minx")
    assert isinstance(posted, PermutationPuzzle)
    return posted


@pytest.mark.parametrize("moves", ["single", "all"])
def test_a_megaminx_by_other_numbers_and_names_has_the_words_that_are_shipped(folder: Folder, moves: str) -> None:
    posted = megaminx_by_other_numbers(folder, moves)
    assert Chains(posted, posted.move_set(None)).shipped is not None
    found = solve(prepare(SolveRequest.model_validate({"puzzle": "minx", "random": 1, "algorithm": "constructive"})))
    assert len(found.solution or "x" * 250) < 250


def test_a_megaminx_by_other_numbers_has_what_was_learned(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the same moves take a piece, its weights are the same."""
    shown = list[Any]()
    monkeypatch.setattr(_kernel, "StageRanking", lambda *learned: shown.append(learned))
    own = get_puzzle("megaminx")
    assert isinstance(own, PermutationPuzzle)
    puzzles = own, megaminx_by_other_numbers(folder, "single")
    both = [Chains(puzzle, puzzle.move_set("single")) for puzzle in puzzles]
    assert [chains.ranking for chains in both] == [None] * 2
    (theirs, *others), (ours, *same) = shown
    assert others == same
    assert theirs.any()
    pieces = np.arange(len(theirs))
    places = [np.array(chains.order[0][: len(pieces)]) for chains in both]
    for move in Random(2).choices(range(24), k=300):
        assert (theirs[pieces, places[0]] == ours[pieces, places[1]]).all()
        places = [chains.generators[move][at] for chains, at in zip(both, places, strict=True)]
    assert Chains(own, own.move_set("all")).ranking is None
    assert len(shown) == 2
