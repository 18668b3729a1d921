"""Labellings, compared with a model of facelets made only from the student's table of neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar import schema, search
from hstar.errors import InvalidAlg, InvalidRequest, InvalidState
from hstar.labels import Labelling
from hstar.polyhedra import isomorphisms, reversed_order
from hstar.puzzles import get_puzzle
from hstar.puzzles.megaminx import COLOURS, FACES, NEIGHBOURS
from tests.puzzles import facelet_witness as witness

Table = dict[str, list[str]]

NAMES = ("top", "7", "12", "x-ray", "ÿ", "A", "B", "front", "green", "U2", "é", "→", "2", "sky", "b+")


def megaminx_table(names: Sequence[str], starts: Sequence[int], order: Sequence[int]) -> Table:
    """Our dodecahedron with other names, each list starting at another neighbour, the faces in another order."""
    called = dict(zip(FACES, names, strict=True))
    faces = [FACES[i] for i in order]
    start = dict(zip(FACES, starts, strict=True))
    return {called[f]: [called[NEIGHBOURS[f][(start[f] + k) % 5]] for k in range(5)] for f in faces}


tables = st.builds(
    megaminx_table,
    st.lists(st.sampled_from(NAMES), min_size=12, max_size=12, unique=True)
    | st.permutations(FACES)
    | st.permutations([str(i) for i in range(12)]),
    st.lists(st.integers(0, 4), min_size=12, max_size=12),
    st.permutations(range(12)),
)


class StudentMegaminx:
    """A Megaminx as a student writes it: lists of colours, and a turn that walks along the lists of neighbours."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.facelets = {face: [face] * 11 for face in table}

    def turn(self, face: str) -> None:
        ring = self.facelets[face]
        self.facelets[face] = [ring[0], *(ring[1 + (i - 2) % 10] for i in range(10))]
        around = self.table[face]
        before = {name: list(row) for name, row in self.facelets.items()}
        for k, name in enumerate(around):
            after = around[(k + 1) % 5]
            here, there = self.table[name].index(face), self.table[after].index(face)
            for offset in (-1, 0, 1):
                taken = before[name][1 + (2 * here + offset) % 10]
                self.facelets[after][1 + (2 * there + offset) % 10] = taken


@given(tables, st.data())
def test_a_students_own_model_agrees(table: Table, data: st.DataObject) -> None:
    labelling = Labelling.from_neighbours(table, anchors={})
    turned = data.draw(st.lists(st.sampled_from(list(table)), max_size=25))
    student = StudentMegaminx(table)
    for face in turned:
        student.turn(face)
    puzzle = labelling.puzzle
    state = puzzle.apply_alg(puzzle.solved, labelling.parse_alg(" ".join(turned)))
    assert labelling.format_state(state) == {"facelets": student.facelets}
    assert labelling.parse_state({"facelets": student.facelets}) == state
    assert labelling.parse_state(student.facelets) == state
    for move in labelling.format_alg(puzzle.inverse_alg(labelling.parse_alg(" ".join(turned)))).split():
        bare = move.removesuffix("'")
        for _ in range(4):
            student.turn(bare)
    assert student.facelets == {face: [face] * 11 for face in table}


@given(tables)
def test_the_faces_correspond_by_a_rotation(table: Table) -> None:
    labelling = Labelling.from_neighbours(table, anchors={})
    assert sorted(labelling.faces.values()) == sorted(FACES)
    for face, around in table.items():
        carried = [labelling.faces[n] for n in around]
        ours = NEIGHBOURS[labelling.faces[face]]
        start = ours.index(carried[0])
        assert carried == [*ours[start:], *ours[:start]]
    # the same choice each time, however the lists begin
    again = {face: [*around[2:], *around[:2]] for face, around in table.items()}
    assert Labelling.from_neighbours(again, anchors={}).faces.keys() == labelling.faces.keys()
    assert Labelling.from_neighbours(table, anchors={}).faces == labelling.faces


@given(tables, st.lists(st.sampled_from(get_puzzle("megaminx").moves), max_size=30))
def test_moves_read_back(table: Table, moves: list[str]) -> None:
    labelling = Labelling.from_neighbours(table)
    assert labelling.parse_alg(labelling.format_alg(moves)) == tuple(moves)
    assert len(labelling.format_moves(moves)) == len(moves)


def test_there_are_sixty_rotations_and_as_many_reflections() -> None:
    assert len(isomorphisms(NEIGHBOURS, NEIGHBOURS)) == 60
    assert len(isomorphisms(reversed_order(NEIGHBOURS), NEIGHBOURS)) == 60


def test_names_that_are_ours_choose_the_rotation() -> None:
    by_face = Labelling.from_neighbours({f: list(around) for f, around in NEIGHBOURS.items()})
    assert by_face.faces == {f: f for f in FACES}
    by_colour = Labelling.from_neighbours(
        {COLOURS[f]: [COLOURS[n] for n in around] for f, around in NEIGHBOURS.items()}
    )
    assert by_colour.faces == {COLOURS[f]: f for f in FACES}
    assert by_colour.format_alg(["U", "BR2'"]) == "white blue2'"


@given(tables, st.sampled_from(FACES), st.integers(0, 4))
def test_anchors_choose_the_rotation(table: Table, face: str, turn: int) -> None:
    name = next(iter(table))
    beside = table[name][0]
    anchors = {name: face, beside: COLOURS[NEIGHBOURS[face][turn]]}
    faces = Labelling.from_neighbours(table, anchors=anchors).faces
    assert faces[name] == face
    assert faces[beside] == NEIGHBOURS[face][turn]


@given(tables)
def test_the_repr_is_the_constructor(table: Table) -> None:
    labelling = Labelling.from_neighbours(table)
    again = eval(repr(labelling), {"Labelling": Labelling, "get_puzzle": get_puzzle})
    assert isinstance(again, Labelling)
    assert again.faces == labelling.faces
    assert repr(again) == repr(labelling)


def test_names_with_digits_stand_in_parentheses() -> None:
    names = [str(i + 1) for i in range(12)]
    labelling = Labelling.from_neighbours(megaminx_table(names, [0] * 12, range(12)), anchors={"1": "U"})
    assert labelling.format_alg(["U", "U'", "U2", "U2'"]) == "1 1' (1)2 (1)2'"
    assert labelling.parse_alg("12 (12) (1)4 (1)2'") == (labelling.faces["12"],) * 2 + ("U'", "U2'")
    with pytest.raises(InvalidAlg) as caught:
        labelling.parse_alg("1 13 (1)5 1'' 2(1) ( (1 99999 1''' U")
    assert [fault.where for fault in caught.value.faults] == [f"move {i}" for i in range(2, 11)]


@given(tables, st.text(max_size=40))
def test_no_alg_raises_anything_but_our_error(table: Table, text: str) -> None:
    labelling = Labelling.from_neighbours(table, anchors={})
    refused = 0
    moves: tuple[str, ...] = ()
    try:
        moves = labelling.parse_alg(text)
    except InvalidAlg as error:
        refused = len(error.faults)
    assert bool(refused) + bool(moves) == bool(text.split())
    assert labelling.parse_alg(labelling.format_alg(moves)) == moves


def test_bad_states_are_refused_in_the_students_names() -> None:
    names = ["top", "front", "left", "right", "lower", "upper", "bottom", "back", "fl", "fr", "dl", "dr"]
    labelling = Labelling.from_neighbours(
        megaminx_table(names, [0] * 12, range(12)), anchors={"top": "U", "front": "F"}
    )
    shown = labelling.format_state(labelling.puzzle.solved)["facelets"]
    shown["top"][1] = "bottom"
    with pytest.raises(InvalidState) as caught:
        labelling.parse_state(shown)
    text = str(caught.value)
    assert "there are 10 facelets of top; there must be 11" in text
    assert "top-front: shows bottom, front: bottom and front do not touch" in text
    assert "white" not in text
    with pytest.raises(InvalidState) as caught:
        labelling.parse_state({"top": ["U"] * 11, "front": [], "bogus": 3, "pieces": {}})
    assert {"/top/0", "/front", "/bogus", "/pieces", "/dr"} <= {fault.where for fault in caught.value.faults}
    values: tuple[object, ...] = (None, 3, [], "top", {"facelets": None}, {}, {"top": {}}, {"top": [[]] * 11})
    for nonsense in values:
        with pytest.raises(InvalidState):
            labelling.parse_state(nonsense)


def test_a_solve_is_renamed_whole() -> None:
    table = megaminx_table([f"face{c}" for c in "ABCDEFGHIJKL"], [2] * 12, range(11, -1, -1))
    labelling = Labelling.from_neighbours(table)
    request = schema.SolveRequest(puzzle="megaminx", scramble=schema.ScrambleIn(k=3, seed=5))
    problem = search.prepare(request)
    ours = search.answer(problem, search.solve(problem))
    theirs = labelling.rename_solve(ours)
    assert theirs.solution is not None
    assert theirs.start.alg is not None
    student = StudentMegaminx(table)
    for name in theirs.start.alg:
        student.turn(name)
    assert theirs.start.state == {"facelets": student.facelets}
    for name in theirs.solution:
        for _ in range(4):
            student.turn(name.removesuffix("'"))
    assert student.facelets == {face: [face] * 11 for face in table}
    assert theirs.length == ours.length
    assert labelling.to_object().faces == labelling.faces


def pyraminx_table(names: Sequence[str], starts: Sequence[int], order: Sequence[int]) -> Table:
    puzzle = get_puzzle("master_pyraminx")
    faces = [face["name"] for face in puzzle.describe()["faces"]]
    around = {face["name"]: face["neighbours"] for face in puzzle.describe()["faces"]}
    called = dict(zip(faces, names, strict=True))
    return {called[faces[i]]: [called[around[faces[i]][(starts[i] + k) % 3]] for k in range(3)] for i in order}


pyraminx_tables = st.builds(
    pyraminx_table,
    st.lists(st.sampled_from(NAMES), min_size=4, max_size=4, unique=True),
    st.lists(st.integers(0, 2), min_size=4, max_size=4),
    st.permutations(range(4)),
)


@given(pyraminx_tables, st.lists(st.sampled_from(get_puzzle("master_pyraminx").moves), max_size=25))
def test_the_master_pyraminx_is_read_and_written_in_names(table: Table, moves: list[str]) -> None:
    puzzle = get_puzzle("master_pyraminx")
    labelling = Labelling.from_neighbours(table, "master_pyraminx", anchors={})
    assert labelling.parse_alg(labelling.format_alg(moves)) == tuple(moves)
    state = puzzle.apply_alg(puzzle.solved, moves)
    assert labelling.parse_state(labelling.format_state(state)) == state


@given(pyraminx_tables, st.data())
def test_facelets_of_a_triangle_are_listed_from_the_students_top_corner(table: Table, data: st.DataObject) -> None:
    """Each face rotated in space: its first neighbour lies across the right side, seen from outside."""
    puzzle = get_puzzle("master_pyraminx")
    labelling = Labelling.from_neighbours(table, puzzle, anchors={})
    state = puzzle.apply_alg(puzzle.solved, data.draw(st.lists(st.sampled_from(puzzle.moves), max_size=12)))
    shown = puzzle.format_state(state)["facelets"]
    theirs = labelling.format_state(state)["facelets"]
    corner_behind = witness.OPPOSITE
    for name, ours in labelling.faces.items():
        right, _, left = (corner_behind[labelling.faces[n]] for n in table[name])
        # The corner opposite the face beyond the right side is the bottom left one, and so on; the top is what is left.
        bottom_left, bottom_right = witness.CORNERS[right], witness.CORNERS[left]
        (top,) = (witness.CORNERS[c] for c in witness.CORNERS if c not in (right, left, corner_behind[ours]))
        for number in (0, 6, 9, 15, 1, 3, 10, 12):
            row = int(number**0.5)
            column = number - row * row
            up = column % 2 == 0
            down, across = (row + 2 / 3, column / 2 + 1 / 3) if up else (row + 1 / 3, (column - 1) / 2 + 2 / 3)
            place = top + down / 4 * (bottom_left - top) + across / 4 * (bottom_right - bottom_left)
            index = int(((witness.PLACES - place) ** 2).sum(axis=1).argmin())
            assert ((witness.PLACES[index] - place) ** 2).sum() < 1e-9
            face, where = witness.FACELETS[index]
            assert face == ours
            assert labelling.faces[theirs[name][number]] == shown[face][where]


def test_layers_of_the_master_pyraminx_are_counted_from_the_face() -> None:
    labelling = Labelling.from_neighbours(pyraminx_table(["F", "BL", "BR", "D"], [0] * 4, range(4)), "master_pyraminx")
    assert labelling.faces == {f: f for f in ("F", "BL", "BR", "D")}
    # U is the corner opposite to D: its tip is layer 4 from D, and clockwise from D is counter-clockwise from U.
    assert labelling.parse_alg("D 2D' 4D 3-4D 2-4D'") == ("D", "2D'", "U'", "u'", "3u")
    with pytest.raises(InvalidAlg) as caught:
        labelling.parse_alg("5D 1-2D D3 0D U")
    assert len(caught.value.faults) == 5


def test_puzzles_without_faces_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="8-puzzle has no faces to label"):
        Labelling.from_neighbours({}, "8-puzzle")
