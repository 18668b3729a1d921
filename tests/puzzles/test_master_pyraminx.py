"""The Master Pyraminx, compared with a model of facelets in space, cubing.js's definition, and group theory."""

from __future__ import annotations

import json
from collections import Counter
from math import factorial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidAlg, InvalidState
from hstar.features import make_feature
from hstar.puzzles import State, get_puzzle
from hstar.puzzles.master_pyraminx import COLOURS, MOVES, MasterPyraminx
from hstar.puzzles.master_pyraminx.geometry import CORNERS, FACES, OPPOSITE, PIECES
from hstar.puzzles.master_pyraminx.moves import format_layers
from hstar.search.perft import perft
from tests.puzzles import facelet_witness as witness

DATA = Path(__file__).parent.parent / "data"
SINGLE = [move for move, (_, layers, _) in MOVES.items() if len(layers) == 1]

algs = st.lists(st.sampled_from(list(MOVES)), max_size=40)
single_algs = st.lists(st.sampled_from(SINGLE), max_size=40)


def master_pyraminx() -> MasterPyraminx:
    puzzle = get_puzzle("master_pyraminx")
    assert isinstance(puzzle, MasterPyraminx)
    return puzzle


@pytest.fixture(scope="module", name="puzzle")
def _puzzle() -> MasterPyraminx:
    return master_pyraminx()


def colours(puzzle: MasterPyraminx, state: State) -> tuple[str, ...]:
    """The 64 colours in the witness's order."""
    shown = puzzle.format_facelets(state)
    return tuple(shown[face][number] for face, number in witness.FACELETS)


TURNS = {move: witness.turn(*definition) for move, definition in MOVES.items()}


@given(algs)
def test_pieces_and_facelets_in_space_show_the_same(alg: list[str]) -> None:
    puzzle = master_pyraminx()
    expected = witness.SOLVED
    for move in alg:
        expected = witness.apply(expected, TURNS[move])
    assert colours(puzzle, puzzle.apply_alg(puzzle.solved, alg)) == expected


@pytest.mark.parametrize(
    ("moves", "counts"),
    [
        ("cw12", [1, 12, 96, 660, 4318]),
        ("ccw12", [1, 12, 96, 660, 4318]),
        ("layers32", [1, 32, 672, 12624]),
        ("physical24", [1, 24, 336, 3936]),
    ],
)
def test_states_by_distance_are_those_of_the_facelets(puzzle: MasterPyraminx, moves: str, counts: list[int]) -> None:
    seen, layer, found = {witness.SOLVED}, [witness.SOLVED], [1]
    for _ in counts[1:]:
        after = {witness.apply(state, TURNS[m]) for state in layer for m in puzzle.move_sets[moves].moves}
        layer = sorted(after - seen)
        seen |= after
        found.append(len(layer))
    assert found == counts
    assert list(perft(puzzle, puzzle.move_set(moves), len(counts) - 1)) == counts


def test_the_group_of_the_facelets_has_as_many_elements_as_there_are_states(puzzle: MasterPyraminx) -> None:
    """Schreier-Sims on 64 facelets proves at least this many states; the checked invariants allow at most as many."""
    in_place = 3**4 * 3**4 * (factorial(12) // 2) * (factorial(6) // 2) * 2**5 * (factorial(4) // 2)
    assert in_place == 217_225_462_874_112_000  # OEIS A309110(4)
    sizes = {"cw12": in_place, "physical24": in_place, "layers32": puzzle.state_count}
    assert puzzle.state_count == 12 * in_place
    for moves, size in sizes.items():
        assert witness.order([TURNS[m] for m in puzzle.move_sets[moves].moves]) == size


def test_orbits_of_the_facelets(puzzle: MasterPyraminx) -> None:
    """A wing's two facelets lie in different orbits of 12: its orientation is determined by its place."""
    orbits = witness.orbits([TURNS[m] for m in puzzle.move_sets["layers32"].moves])
    assert sorted(map(len, orbits)) == [4, 12, 12, 12, 12, 12]
    of_facelet = {witness.FACELETS[i]: n for n, orbit in enumerate(orbits) for i in orbit}
    left_wings, right_wings = ({of_facelet["F", n] for n in ns} for ns in ((1, 11, 8), (4, 3, 13)))
    assert len(left_wings) == len(right_wings) == 1
    assert left_wings != right_wings
    inner = witness.orbits([TURNS[m] for m in puzzle.move_sets["cw12"].moves])
    assert sorted(map(len, inner)) == [3] * 8 + [4, 12, 12, 12]  # tips and axials stay at their corners


def test_pieces(puzzle: MasterPyraminx) -> None:
    assert [(o.name, o.pieces, o.orientations) for o in puzzle.orbits] == [
        ("tips", 4, 3), ("axials", 4, 3), ("edges", 6, 2), ("wings", 12, 1), ("centres", 4, 1),
    ]  # fmt: skip
    facelets = Counter(len(PIECES[slot].faces) for orbit in puzzle.orbits for slot in orbit.slots)
    assert facelets == {3: 8, 2: 18, 1: 4}
    names = [puzzle.piece_name(orbit, i) for orbit in puzzle.orbits for i in range(orbit.pieces)]
    assert names[:14] == ["U", "L", "R", "B", "U", "L", "R", "B", "UL", "UR", "UB", "LR", "LB", "RB"]
    assert set(names[14:26]) == {f"{a}-{b}" for a in CORNERS for b in CORNERS if a != b}
    assert names[26:] == ["F", "BL", "BR", "D"]


def test_moves_equal_those_of_cubing_js(puzzle: MasterPyraminx) -> None:
    """Both define the same action up to the names of pieces and of first facelets, directions of turns included."""
    theirs: dict[str, Any] = json.loads((DATA / "cubingjs_master_pyraminx.json").read_text())["moves"]
    singles = [m for m in theirs if not m.endswith("v")]
    assert sorted(m for m in SINGLE if not m.endswith("'")) == sorted(singles)
    names = {"tips": "CORNERS", "axials": "CORNERS2", "edges": "EDGES2", "wings": "EDGES", "centres": "CENTERS"}
    for orbit in puzzle.orbits:
        n, count = orbit.orientations, orbit.pieces
        still = {"permutation": list(range(count)), "delta": [0] * count}
        of = {m: theirs[m].get(names[orbit.name], still) for m in singles}
        ours = {m: [divmod(puzzle.turned(puzzle.solved, m)[i], n) for i in orbit.slots] for m in singles}
        # a slot is known by the moves that carry pieces away from it
        slot_of = {frozenset(m for m in singles if ours[m][j][0] != j): j for j in range(count)}
        slot = [slot_of[frozenset(m for m in singles if of[m]["permutation"][i] != i)] for i in range(count)]
        assert sorted(slot) == list(range(count))
        theirs_turn = {"tips": 3, "axials": 3, "edges": 2, "wings": 2, "centres": 1}[orbit.name]
        shift = {0: 0}  # how far our first facelet lies from theirs, found from one slot outwards
        todo = [0]
        while todo:
            source = todo.pop()
            for m in singles:
                i = of[m]["permutation"].index(source)
                if i not in shift:
                    shift[i] = (ours[m][slot[i]][1] - of[m]["delta"][i] + shift[source]) % theirs_turn
                    todo.append(i)
        assert len(shift) == count
        for m in singles:
            for i in range(count):
                source = of[m]["permutation"][i]
                piece, twist = ours[m][slot[i]]
                assert piece == slot[source]
                # cubing.js has two orientations of a wing. They are determined by its place, so one is enough for us.
                assert twist == (of[m]["delta"][i] + shift[i] - shift[source]) % theirs_turn


@pytest.mark.parametrize("corner", CORNERS)
def test_four_layers_together_rotate_the_whole(puzzle: MasterPyraminx, corner: str) -> None:
    face = OPPOSITE[corner]
    alg = puzzle.parse_alg(f"{corner} 2{corner} 2{face}' {face}'")
    assert alg == puzzle.parse_alg(" ".join(f"{corner}{layer} 1" for layer in (1, 2, 3, 4)))
    state = puzzle.apply_alg(puzzle.solved, alg)
    assert all(len(set(shown)) == 1 for shown in puzzle.format_facelets(state).values())
    assert puzzle.format_facelets(state)[face][0] == face
    assert state != puzzle.solved
    # cubing.js has the rotation as a move of its own; it is the same composition of its layers
    theirs: dict[str, Any] = json.loads((DATA / "cubingjs_master_pyraminx.json").read_text())["moves"]
    for orbit, size in (("CORNERS", 4), ("CORNERS2", 4), ("EDGES2", 6), ("EDGES", 12), ("CENTERS", 4)):
        whole = list(range(size))
        for move, times in ((corner, 1), (f"2{corner}", 1), (f"2{face}", 2), (face, 2)):
            permutation = theirs[move].get(orbit, {"permutation": list(range(size))})["permutation"]
            for _ in range(times):
                whole = [whole[i] for i in permutation]
        assert whole == theirs[f"{corner}v"][orbit]["permutation"]


@pytest.mark.parametrize("move", MOVES)
def test_every_turn_has_order_three(puzzle: MasterPyraminx, move: str) -> None:
    once = puzzle.turned(puzzle.solved, move)
    twice = puzzle.turned(once, move)
    assert len({puzzle.solved, once, twice}) == 3
    assert puzzle.turned(twice, move) == puzzle.solved
    assert puzzle.apply(puzzle.solved, puzzle.inverse(move)) == twice


def test_move_sets(puzzle: MasterPyraminx) -> None:
    assert {m.name: len(m.moves) for m in puzzle.move_sets.values()} == {
        "cw12": 12, "ccw12": 12, "layers32": 32, "physical24": 24,
    }  # fmt: skip
    assert puzzle.move_sets["cw12"].moves[:4] == ("U", "2U", "2D'", "L")
    assert puzzle.move_sets["ccw12"].moves == tuple(map(puzzle.inverse, puzzle.move_sets["cw12"].moves))
    for m in puzzle.move_sets.values():
        assert len(set(m.moves)) == len(m.moves)
        assert set(m.moves) <= set(puzzle.moves)
    for corner in CORNERS:
        wide = corner.lower()
        layers = puzzle.parse_alg(f"{corner}1 1 {corner}2 1 {corner}3 1")
        assert puzzle.apply(puzzle.solved, wide) == puzzle.apply_alg(puzzle.solved, layers[:2])
        assert puzzle.apply(puzzle.solved, f"3{wide}") == puzzle.apply_alg(puzzle.solved, layers)


@given(algs)
def test_scramble_then_inverse_is_the_identity(alg: list[str]) -> None:
    puzzle = master_pyraminx()
    state = puzzle.apply_alg(puzzle.solved, alg)
    assert puzzle.apply_alg(state, puzzle.inverse_alg(alg)) == puzzle.solved
    assert list(puzzle.parse_alg(puzzle.format_alg(alg))) == alg


@given(single_algs)
def test_corner_layer_and_direction_read_back(alg: list[str]) -> None:
    puzzle = master_pyraminx()
    shown = format_layers(alg)
    assert list(puzzle.parse_alg(shown)) == alg
    assert format_layers(puzzle.parse_alg(shown)) == shown
    assert list(puzzle.parse_alg(shown.replace(" 1", ".1").replace(" 2", ".2"))) == alg


def test_moves_are_read_in_both_names(puzzle: MasterPyraminx) -> None:
    assert puzzle.parse_alg("U1 1 L2 2 R3 1 B4 2") == ("U", "2L'", "2BL'", "F")
    assert puzzle.parse_alg("U2 2D2' 2U4 U2 1 U2") == ("U'", "2D", "2U", "2U", "U'")
    assert puzzle.parse_alg("3U 4U 3D 4D' 1BL") == ("2D'", "D'", "2U'", "U", "BL")
    assert puzzle.parse_alg("u 2u' 3l2 Rw 3Bw'\tU1\n2") == ("u", "u'", "3l'", "r", "3b'", "U'")
    assert puzzle.parse_alg("U\u2019") == ("U'",)
    assert puzzle.parse_alg("") == ()


def test_tokens_that_are_no_moves_are_all_named(puzzle: MasterPyraminx) -> None:
    with pytest.raises(InvalidAlg) as caught:
        puzzle.parse_alg("U U1 1 1 U3 5U Uw4v d L1.3 \u2603 bl 4u U2 1")
    assert [fault.where for fault in caught.value.faults] == [f"move {n}" for n in (3, 4, 5, 6, 7, 8, 9, 10, 11)]
    assert "multiple of 360" in str(caught.value.faults[1])


def test_several_layers_have_no_name_in_the_report(puzzle: MasterPyraminx) -> None:
    with pytest.raises(InvalidAlg) as caught:
        format_layers(["U", "u", "3b'"])
    assert [fault.where for fault in caught.value.faults] == ["move 2", "move 3"]


@given(st.text(max_size=60) | st.text(alphabet="ULRBFDulrb1234'. w", max_size=60))
def test_no_alg_raises_anything_but_our_error(text: str) -> None:
    puzzle = master_pyraminx()
    moves: tuple[str, ...] = ()
    refused = False
    try:
        moves = puzzle.parse_alg(text)
    except InvalidAlg as error:
        refused = bool(error.faults)
    assert set(moves) <= set(puzzle.moves)
    assert bool(moves) + refused == bool(text.split())


@given(algs)
def test_every_format_reads_back(alg: list[str]) -> None:
    puzzle = master_pyraminx()
    state = puzzle.apply_alg(puzzle.solved, alg)
    assert puzzle.faults(state) == []
    shown = json.loads(json.dumps(puzzle.format_state(state)))
    assert puzzle.parse_state(shown) == state
    assert puzzle.parse_state(shown["facelets"]) == state
    assert puzzle.parse_state({"pieces": shown["pieces"]}) == state
    in_colours = {COLOURS[face]: [COLOURS[c] for c in row] for face, row in shown["facelets"].items()}
    assert puzzle.parse_state({"facelets": in_colours}) == state
    del shown["pieces"]["wings"]["orientation"]
    assert puzzle.parse_state(shown["pieces"]) == state


def faults_of(value: object) -> str:
    with pytest.raises(InvalidState) as caught:
        master_pyraminx().parse_state(value)
    assert caught.value.faults
    return str(caught.value)


def _swap(orbit: str, a: int, b: int) -> Any:
    def change(pieces: dict[str, Any]) -> None:
        row = pieces[orbit]["pieces"]
        row[a], row[b] = row[b], row[a]

    return change


def _flip(pieces: dict[str, Any]) -> None:
    pieces["edges"]["orientation"][4] ^= 1


def _carry_tips(pieces: dict[str, Any]) -> None:
    a, b, c, d = pieces["tips"]["pieces"]
    pieces["tips"]["pieces"] = [b, c, a, d]


APART = "they never leave each other"
CORRUPTIONS = {
    "edges: odd permutation": _swap("edges", 0, 3),
    "wings: odd permutation": _swap("wings", 2, 9),
    "centres: odd permutation": _swap("centres", 1, 2),
    "tips: odd permutation": _swap("tips", 0, 1),
    "a single edge is flipped": _flip,
    APART: _carry_tips,
}


@given(algs, st.sets(st.sampled_from(sorted(CORRUPTIONS)), min_size=1))
def test_any_corrupted_state_is_refused_with_every_reason(alg: list[str], reasons: set[str]) -> None:
    puzzle = master_pyraminx()
    pieces = puzzle.format_pieces(puzzle.apply_alg(puzzle.solved, alg))
    for reason in sorted(reasons):
        CORRUPTIONS[reason](pieces)
    found = faults_of({"pieces": pieces})
    # where two tips are swapped, they have left their axials as well
    expected = reasons | ({APART} if reasons & {APART, "tips: odd permutation"} else set())
    assert {reason for reason in CORRUPTIONS if reason in found} == expected
    # the same through the facelets, which can be made to show any arrangement of pieces
    values = [
        pieces[o.name]["pieces"][i] * o.orientations + pieces[o.name]["orientation"][i]
        for o in puzzle.orbits
        for i in range(o.pieces)
    ]
    assert faults_of({"facelets": puzzle.format_facelets(bytes(values))}) == found


def test_tips_and_axials_may_be_twisted_at_will(puzzle: MasterPyraminx) -> None:
    pieces = puzzle.format_pieces(puzzle.solved)
    pieces["tips"]["orientation"] = [1, 0, 0, 0]
    pieces["axials"]["orientation"] = [0, 0, 2, 1]
    state = puzzle.parse_state(pieces)
    assert [make_feature(puzzle, "misplaced_pieces", (orbit,)).evaluate(state) for orbit in ("tips", "axials")] == [
        1,
        2,
    ]
    state = puzzle.apply_alg(state, puzzle.parse_alg("U' 2R 2B'"))
    assert [make_feature(puzzle, "misplaced_pieces", (orbit,)).evaluate(state) for orbit in ("tips", "axials")] == [
        0,
        0,
    ]


def test_a_flipped_wing_is_recognised(puzzle: MasterPyraminx) -> None:
    facelets = puzzle.format_facelets(puzzle.solved)
    facelets["F"][1], facelets["BL"][3] = facelets["BL"][3], facelets["F"][1]
    found = faults_of({"facelets": facelets})
    assert "wing piece L-U appears more than once" in found
    assert "piece U-L is missing" in found
    assert "a flipped U-L looks like L-U, but turns never flip a wing" in found
    pieces = puzzle.format_pieces(puzzle.solved)
    pieces["wings"]["orientation"][5] = 1
    found = faults_of(pieces)
    assert "/wings/orientation/5" in found
    assert "turns never flip a wing in place" in found


def test_impossible_facelets_are_all_named(puzzle: MasterPyraminx) -> None:
    facelets = puzzle.format_facelets(puzzle.solved)
    facelets["F"][0] = "D"
    facelets["BR"][5] = "F"
    found = faults_of(facelets)
    assert "there are 15 facelets of BR (blue); there must be 16" in found
    assert "there are 17 facelets of D (yellow)" in found
    assert "tips U: shows D (yellow), BL (red), BR (blue): the corner exists" in found
    assert "mirror image" in found
    assert "edges UR: shows F (green), F (green): no piece has a colour twice" in found


def test_repeated_and_missing_pieces_are_named(puzzle: MasterPyraminx) -> None:
    pieces = puzzle.format_pieces(puzzle.solved)
    pieces["centres"]["pieces"][0] = 2
    pieces["axials"]["pieces"][3] = 0
    found = faults_of(pieces)
    assert "F and BR: centre piece BR appears more than once" in found
    assert "centres: piece F is missing" in found
    assert "U and B: axial piece U appears more than once" in found
    assert "axials: piece B is missing" in found
    facelets = puzzle.format_facelets(puzzle.solved)
    facelets["F"][6], facelets["D"][6] = "D", "F"
    assert "centres: odd permutation" in faults_of(facelets)


@pytest.mark.parametrize(
    "value",
    [None, 3, True, "F", [], {}, {"facelets": 1}, {"facelets": {"F": []}}, {"pieces": {"tips": 1}}, {"bogus": {}},
     {"pieces": {"tips": {"pieces": [True] * 4}}}, {"facelets": {"F": [None] * 16}}, {"pieces": {}, "extra": 1},
     {3: []}, {"facelets": {"F": ["F"] * 16, "green": ["F"] * 16}}, {"wings": None}],
)  # fmt: skip
def test_malformed_states_are_refused(value: object) -> None:
    assert faults_of(value)


def test_formats_that_disagree_are_refused(puzzle: MasterPyraminx) -> None:
    state = puzzle.format_state(puzzle.solved)
    state["pieces"]["tips"]["orientation"][0] = 1
    with pytest.raises(InvalidState, match="describe different states"):
        puzzle.parse_state(state)


@given(st.lists(st.sampled_from(FACES), min_size=64, max_size=64), st.randoms(use_true_random=False))
def test_any_colouring_is_a_state_or_has_faults(found: list[str], random: Random) -> None:
    puzzle = master_pyraminx()
    shuffled = list(witness.SOLVED)
    random.shuffle(shuffled)
    for shown in (found, shuffled):
        facelets = {face: shown[16 * i : 16 * i + 16] for i, face in enumerate(FACES)}
        state, refused = None, False
        try:
            state = puzzle.parse_state(facelets)
        except InvalidState as error:
            refused = bool(error.faults)
        assert refused if state is None else puzzle.format_facelets(state) == facelets


def test_a_turned_frame_is_solvable_only_with_the_fourth_layer(puzzle: MasterPyraminx) -> None:
    turned = puzzle.turned(puzzle.solved, "D")
    for name in ("cw12", "ccw12", "physical24"):
        assert not puzzle.solvable_with(turned, puzzle.move_set(name))
        assert puzzle.solvable_with(puzzle.turned(puzzle.solved, "3u"), puzzle.move_set(name))
    assert puzzle.solvable_with(turned, puzzle.move_set("layers32"))


def test_description(puzzle: MasterPyraminx) -> None:
    shown = json.loads(json.dumps(puzzle.describe()))
    assert shown["state_count"] == "2606705554489344000"
    assert {face["name"]: face["opposite"] for face in shown["faces"]} == {"F": "B", "BL": "R", "BR": "L", "D": "U"}
    around = {face["name"]: face["neighbours"] for face in shown["faces"]}
    assert around["F"] == ["BR", "D", "BL"]
    for face, neighbours in around.items():
        assert sorted([face, *neighbours]) == sorted(FACES)
        for k, neighbour in enumerate(neighbours):
            # seen from a neighbour, the next face clockwise here comes just before this one
            theirs = around[neighbour]
            assert theirs[(theirs.index(face) - 1) % 3] == neighbours[(k + 1) % 3]
    assert [len(o["slots"]) for o in shown["orbits"]] == [4, 4, 6, 12, 4]
    assert shown["groups"][3] == [1, 2, 4, 5]
