"""Every notation of every puzzle: parse and format are inverses, and nothing but `InvalidAlg` is raised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidAlg, UnknownName
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import COLOURS
from hstar.puzzles.megaminx.colours import format_colours, format_undone, parse_undone
from hstar.puzzles.notation import Notation

PUZZLES = ("megaminx", "master_pyraminx", "8-puzzle", "tiles:2x5")
ALL = [(puzzle, name) for puzzle in PUZZLES for name in get_puzzle(puzzle).notations]


def test_the_notations_by_name() -> None:
    assert ALL == [
        ("megaminx", "cubing"), ("megaminx", "colours"), ("megaminx", "wca"),
        ("master_pyraminx", "cubing"), ("master_pyraminx", "s4"),
        ("8-puzzle", "blank"), ("8-puzzle", "tile"), ("tiles:2x5", "blank"), ("tiles:2x5", "tile"),
    ]  # fmt: skip
    with pytest.raises(UnknownName, match="cubing, colours, wca"):
        get_puzzle("megaminx").notation("s4")


@pytest.mark.parametrize(("puzzle", "name"), ALL)
def test_the_example_is_read_and_written_back(puzzle: str, name: str) -> None:
    notation = get_puzzle(puzzle).notation(name)
    assert notation.format(notation.parse(notation.example)) == notation.example
    assert notation.description


@pytest.mark.parametrize(("puzzle", "name"), ALL)
def test_every_move_that_can_be_written_is_read_back(puzzle: str, name: str) -> None:
    board = get_puzzle(puzzle)
    notation = board.notation(name)
    written = {}
    refused = 0
    for move in board.moves:
        try:
            written[move] = notation.format([move])
        except InvalidAlg as error:
            refused += len(error.faults)
    # WCA can turn U by any count and L by two of four; S4 has no turns of several layers.
    assert refused == {"wca": 48 - 6, "s4": 16}.get(name, 0)
    assert {move: notation.parse(text) for move, text in written.items()} == {move: (move,) for move in written}
    assert len(set(written.values())) == len(written) >= 4


@given(st.data())
def test_parse_and_format_are_inverses(data: st.DataObject) -> None:
    puzzle, name = data.draw(st.sampled_from([pair for pair in ALL if pair[1] != "wca"]))
    board = get_puzzle(puzzle)
    notation = board.notation(name)
    usable = [m for m in board.moves if name != "s4" or m in board.move_sets["layers32"].moves]
    moves = tuple(data.draw(st.lists(st.sampled_from(usable), max_size=30)))
    assert notation.parse(notation.format(moves)) == moves


@given(st.text(max_size=40), st.sampled_from(ALL))
def test_no_text_raises_anything_but_our_error(text: str, which: tuple[str, str]) -> None:
    notation: Notation = get_puzzle(which[0]).notation(which[1])
    moves: tuple[str, ...] = ()
    refused = False
    try:
        moves = notation.parse(text)
    except InvalidAlg as error:
        refused = bool(error.faults)
    assert refused or notation.parse(notation.format(moves)) == moves
    assert refused + bool(moves) == bool(text.split())


def test_tiles_go_the_other_way_than_the_blank() -> None:
    board = get_puzzle("8-puzzle")
    tile = board.notation("tile")
    before = board.parse_state("1 2 3 / 8 0 4 / 7 6 5")
    after = board.apply_alg(before, tile.parse("down"))
    assert after == board.parse_state("1 0 3 / 8 2 4 / 7 6 5")  # 2 went down
    assert tile.format(board.parse_alg("U L D R")) == "down right up left"


def test_a_solution_of_s1_reads_like_its_scramble() -> None:
    """Report S1: scramble ``tan orange yellow``, solution ``orange yellow tan``, equal up to turns that commute."""
    puzzle = get_puzzle("megaminx")
    assert format_undone(("FR'", "BL'", "DL'")) == "orange yellow tan"
    assert parse_undone("orange yellow tan") == ("FR'", "BL'", "DL'")
    scramble = puzzle.parse_alg("tan orange yellow")
    assert format_undone(puzzle.inverse_alg(scramble)) == "tan orange yellow"
    state = puzzle.apply_alg(puzzle.solved, scramble)
    assert puzzle.apply_alg(state, parse_undone("orange yellow tan")) == puzzle.solved


@given(st.lists(st.sampled_from(get_puzzle("megaminx").moves), max_size=30))
def test_undone_colours_read_back(solution: list[str]) -> None:
    assert parse_undone(format_undone(solution)) == tuple(solution)


def test_colours_are_read_by_the_puzzle_too() -> None:
    puzzle = get_puzzle("megaminx")
    for colour in COLOURS.values():
        text = f"{colour} {colour}2 {colour}2' {colour}'"
        assert format_colours(puzzle.parse_alg(text)) == text
    for wrong in ("whites", "white5", "White", "white''", "white-"):
        with pytest.raises(InvalidAlg):
            puzzle.parse_alg(wrong)
