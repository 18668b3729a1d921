"""Puzzles from data files, compared with published counts, cubing.js, and the generator of the files."""

from __future__ import annotations

import json
from math import factorial
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from hstar.errors import MAX_FAULTS, FeatureError, InvalidAlg, InvalidRequest, InvalidState
from hstar.features import make_feature
from hstar.heuristics import get_heuristic
from hstar.pictures import draw, draw_path
from hstar.puzzles import DefinedPuzzle, get_puzzle, puzzle_from_definition, random_state, read_definition
from hstar.puzzles.master_pyraminx import MOVES
from hstar.puzzles.symmetry import symmetries
from hstar.search import SolveRequest, prepare, solve
from hstar.search.perft import perft
from tests.conftest import LARGE_CUBES
from tests.puzzles import facelet_witness as witness
from tools import puzzle_data

DATA = Path(__file__).resolve().parents[1] / "data"
SHIPPED = ["pyraminx", "kilominx", "2x2x2", "3x3x3", "skewb", "master_tetraminx"]
#: published numbers of states, all by Jaap Scherphuis (jaapsch.net); of the Kilominx that of the corners of a Megaminx,
#: of the Master Tetraminx (OEIS A309110(4) without the tips' 3^4) in a frame that its fourth layers turn in 12 ways
STATES = {
    "pyraminx": 75_582_720,
    "kilominx": factorial(20) // 2 * 3**19,
    "2x2x2": 3_674_160,
    "3x3x3": 43_252_003_274_489_856_000,
    "skewb": 3_149_280,
    "master_tetraminx": 217_225_462_874_112_000 // 3**4 * 12,
}
#: published numbers of states at each distance: Jaap Scherphuis for 2x2x2 and Skewb, cube20.org for 3x3x3
DISTANCES = {
    ("2x2x2", "all"): [1, 9, 54, 321, 1847, 9992, 50136],
    ("2x2x2", "single"): [1, 6, 27, 120, 534, 2256, 8969],
    ("3x3x3", "all"): [1, 18, 243, 3240, 43239],
    ("3x3x3", "single"): [1, 12, 114, 1068, 10011],
    ("skewb", "all"): [1, 8, 48, 288, 1728, 10248, 59304],
}


def shipped(name: str) -> DefinedPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, DefinedPuzzle)
    return puzzle


def topspin(tiles: int = 8, window: int = 4, colours: int | None = None) -> dict[str, Any]:
    """TopSpin: numbered pieces on a ring; moves turn the ring or reverse a window of it."""
    pieces = [i if colours is None else i % colours for i in range(tiles)]
    turned = [(i + 1) % tiles for i in range(tiles)]
    reversed_ = [*reversed(range(window)), *range(window, tiles)]
    return {
        "name": "topspin",
        "orbits": [{"orbitName": "PIECES", "numPieces": tiles, "numOrientations": 1}],
        "defaultPattern": {"PIECES": {"pieces": pieces, "orientation": [0] * tiles}},
        "moves": {
            "L": {"PIECES": {"permutation": turned, "orientationDelta": [0] * tiles}},
            "S": {"PIECES": {"permutation": reversed_, "orientationDelta": [0] * tiles}},
        },
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_state_counts_are_the_published_ones(name: str) -> None:
    assert shipped(name).state_count == STATES[name]


def test_the_octahedron_with_alike_centres_has_the_published_number_of_states() -> None:
    """Jaap Scherphuis has 31,408,133,379,194,880,000,000. Of the even permutations of the twelve centres of an orbit,
    half of 3!^4 look alike."""
    made = puzzle_data.fto()
    for orbit in ("CENTERS_1", "CENTERS_2"):
        made["defaultPattern"][orbit]["pieces"] = [*range(12)]
    apart = puzzle_from_definition(read_definition(made | {"name": "apart", "hstar": {}}))
    assert apart.state_count == 31_408_133_379_194_880_000_000 * (factorial(3) ** 4 // 2) ** 2
    assert shipped("fto").state_count is None


@pytest.mark.parametrize(("name", "moves"), DISTANCES)
def test_distances_are_the_published_ones(name: str, moves: str) -> None:
    puzzle = shipped(name)
    expected = DISTANCES[name, moves]
    assert list(perft(puzzle, puzzle.move_set(moves), len(expected) - 1)) == expected


def test_without_tips_distances_are_those_of_the_facelets() -> None:
    """A breadth-first search on the facelets of a Master Pyraminx without those of its tips; it knows no pieces."""
    puzzle = shipped("master_tetraminx")
    places = [i for i, (_, number) in enumerate(witness.FACELETS) if number not in (0, 9, 15)]
    turns = {move: witness.turn(*MOVES[move]) for move in puzzle.moves}

    def seen_without_tips(state: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(state[place] for place in places)

    known, layer, counts = {seen_without_tips(witness.SOLVED)}, [witness.SOLVED], [1]
    for _ in range(3):
        fresh = {}
        for state in layer:
            for move in puzzle.moves:
                after = witness.apply(state, turns[move])
                if (key := seen_without_tips(after)) not in known:
                    known.add(key)
                    fresh[key] = after
        layer = list(fresh.values())
        counts.append(len(layer))
    assert list(perft(puzzle, puzzle.move_set("all"), 3)) == counts


@pytest.mark.parametrize("name", [*SHIPPED, *LARGE_CUBES])
def test_the_data_files_equal_the_generated_ones(name: str) -> None:
    made = puzzle_data.DEFINITIONS[name]()
    assert (puzzle_data.DATA / f"{name}.json").read_text() == puzzle_data.text_of(made)


PATTERNS = json.loads((DATA / "cubingjs_patterns.json").read_text())


@pytest.mark.parametrize(("name", "alg"), [(name, alg) for name, algs in PATTERNS.items() for alg in algs])
def test_patterns_of_cubing_js_are_read(name: str, alg: str) -> None:
    puzzle = get_puzzle(name)
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg))
    assert puzzle.parse_state(PATTERNS[name][alg]) == state
    assert puzzle.parse_state(PATTERNS[name][alg]["patternData"]) == state


@pytest.mark.parametrize(("name", "alg"), [(name, alg) for name, algs in PATTERNS.items() for alg in algs])
def test_patterns_are_written_as_cubing_js_writes_them(name: str, alg: str) -> None:
    """Except what our states do not have: orientations of centres, and the hidden orbits of the Kilominx."""
    puzzle = get_puzzle(name)
    written = puzzle.format_kpattern(puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg)))
    theirs = PATTERNS[name][alg]
    for orbit, own in written["patternData"].items():
        expected = dict(theirs["patternData"][orbit])
        if orbit == "CENTERS":
            assert own.pop("orientationMod") == [1] * len(own["pieces"])
            expected.pop("orientationMod", None)
            expected["orientation"] = [0] * len(own["pieces"])
        assert own == expected, orbit
    left_out = {"EDGES", "EDGES2"} if name == "kilominx" else set()
    assert set(theirs["patternData"]) - set(written["patternData"]) == left_out
    assert set(written) == {"experimentalPuzzleName", "patternData"}


@pytest.mark.parametrize("name", SHIPPED)
def test_states_are_written_as_they_are_read(name: str) -> None:
    puzzle = shipped(name)
    for seed in range(5):
        state = random_state(puzzle, seed)
        shown = puzzle.format_state(state)
        assert puzzle.parse_state(json.loads(json.dumps(shown))) == state
        assert puzzle.parse_state(shown["pieces"]) == state
        assert puzzle.parse_state({"kpuzzleName": name, "patternData": shown["pieces"]}) == state
        assert puzzle.parse_state(json.loads(json.dumps(puzzle.format_kpattern(state)))) == state


@pytest.mark.parametrize("name", SHIPPED)
def test_short_scrambles_are_solved_and_proven(name: str) -> None:
    puzzle = shipped(name)
    for moves in puzzle.move_sets:
        request = {"puzzle": name, "scramble": {"k": 4, "seed": 3, "moves": moves}, "moves": moves}
        plain = solve(prepare(SolveRequest.model_validate(request)))
        blind = solve(prepare(SolveRequest.model_validate(request | {"algorithm": "bidirectional"})))
        assert plain.optimality == "proven"
        assert plain.length == blind.length


def test_unreachable_states_are_refused_with_the_reason() -> None:
    puzzle = shipped("3x3x3")
    pieces = puzzle.format_pieces(puzzle.solved)
    pieces["CORNERS"]["orientation"][0] = 1
    with pytest.raises(InvalidState, match="CORNERS: the orientations add up to 1, not 0, modulo 3"):
        puzzle.parse_state(pieces)
    pieces = puzzle.format_pieces(puzzle.solved)
    pieces["EDGES"]["pieces"][:2] = [1, 0]
    with pytest.raises(InvalidState, match="no moves reach all of them together"):
        puzzle.parse_state(pieces)
    pieces["CORNERS"]["pieces"][:2] = [1, 0]
    assert puzzle.parse_state(pieces)
    pieces["EDGES"]["pieces"][:2] = [0, 0]
    with pytest.raises(InvalidState) as refused:
        puzzle.parse_state(pieces)
    assert [str(f) for f in refused.value.faults] == [
        "EDGES[0] and EDGES[1]: edge piece EDGES[0] appears more than once", "EDGES: piece EDGES[1] is missing",
    ]  # fmt: skip


def test_names_of_orbits_in_capitals_are_names() -> None:
    puzzle = shipped("3x3x3")
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("R U"))
    for written in ("CORNERS", "corners", "Corners"):
        assert make_feature(puzzle, "misplaced_pieces", (written,)).evaluate(state) == 6
        assert get_heuristic(f'pdb("{written}:2")', puzzle).expression.features[0].name == 'pdb("CORNERS:2")'
    assert make_feature(puzzle, "max_corner_moves").evaluate(state) == 2
    assert get_heuristic('pdb("CORNERS:2")', puzzle)(state) == 2


@pytest.mark.parametrize("name", SHIPPED)
def test_the_cube_has_its_symmetries(name: str) -> None:
    puzzle = shipped(name)
    found = symmetries(puzzle, puzzle.move_set("all"))
    # A cube has 48, a cube with a held corner the 6 that fix it, a tetrahedron 24, a dodecahedron 120; and as many that
    # invert the moves.
    expected = {"3x3x3": 96, "2x2x2": 12, "skewb": 12, "pyraminx": 48, "kilominx": 240, "master_tetraminx": 48}[name]
    assert len(found) == expected


def test_identical_pieces() -> None:
    """A ring of two colours: 8 over 4 = 70 states, with the same distances as a search over tuples."""
    puzzle = puzzle_from_definition(read_definition(topspin(8, 4, colours=2)))
    assert puzzle.state_count is None
    truth = {puzzle.solved: 0}
    layer = [puzzle.solved]
    while layer:
        found = []
        for state in layer:
            for move in puzzle.move_set("single").moves:
                after = puzzle.turned(state, move)
                if after not in truth:
                    truth[after] = truth[state] + 1
                    found.append(after)
        layer = found
    ring = tuple(i % 2 for i in range(8))
    seen, todo = {ring: 0}, [ring]
    while todo:
        now = todo.pop(0)
        for then in ((*now[1:], now[0]), (now[-1], *now[:-1]), (*reversed(now[:4]), *now[4:])):
            if then not in seen:
                seen[then] = seen[now] + 1
                todo.append(then)
    assert truth == {bytes(state): distance for state, distance in seen.items()}
    assert len(truth) == 70
    for state in Random(1).sample(sorted(truth), 20):
        shown = puzzle.format_state(state)
        assert puzzle.parse_state(shown) == state
    with pytest.raises(InvalidState, match="appears 5 times, and should 4 times"):
        puzzle.parse_state({"PIECES": {"pieces": [0, 0, 0, 0, 0, 1, 1, 1]}})
    feature = make_feature(puzzle, "pdb", ("PIECES:1", "single"))
    assert {state: feature.evaluate(state) for state in truth} == truth  # where one kind is, the other is not
    with pytest.raises(FeatureError, match="1 to 2 kinds of PIECES"):
        make_feature(puzzle, "pdb", ("PIECES:3",))


def test_negative_orientations_turn_the_other_way_and_pauses_are_no_moves() -> None:
    """As on the Clock of cubing.js, whose pins are moves that do nothing."""
    value = topspin(4, 2)
    value["orbits"][0]["numOrientations"] = 3
    value["moves"]["S"]["PIECES"]["orientationDelta"] = [-1, 1, 0, -2]
    value["derivedMoves"] = {"pin": ".", "T": "S L"}
    puzzle = puzzle_from_definition(read_definition(value))
    after = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("S"))
    assert puzzle.format_pieces(after)["PIECES"] == {"pieces": [1, 0, 2, 3], "orientation": [2, 1, 0, 1]}
    assert "T" in puzzle.moves
    assert "pin" not in puzzle.moves
    value["moves"]["S"]["PIECES"]["orientationDelta"] = [-3, 1, 0, 3]
    with pytest.raises(InvalidRequest) as refused:
        read_definition(value)
    assert [fault.where for fault in refused.value.faults] == [
        "/moves/S/PIECES/orientationDelta/0", "/moves/S/PIECES/orientationDelta/3",
    ]  # fmt: skip


def test_orientations_that_look_alike() -> None:
    """A disc of two sides that look alike: turning it over changes nothing."""
    value = topspin(4, 2)
    value["orbits"][0]["numOrientations"] = 2
    value["defaultPattern"]["PIECES"]["orientationMod"] = [1, 1, 0, 0]
    value["moves"]["S"]["PIECES"]["orientationDelta"] = [1, 1, 0, 0]
    puzzle = puzzle_from_definition(read_definition(value))
    flipped = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("S"))
    shown = puzzle.format_pieces(flipped)["PIECES"]
    assert shown == {"pieces": [1, 0, 2, 3], "orientation": [0, 0, 0, 0], "orientationMod": [1, 1, 0, 0]}
    assert puzzle.parse_state({"PIECES": shown}) == flipped
    assert puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("L S L'")) != puzzle.apply_alg(puzzle.solved, ["L", "L'"])


def test_moves_are_read_in_every_spelling() -> None:
    puzzle = shipped("3x3x3")
    assert puzzle.parse_alg("U U2 U' U3 U2' U5") == ("U", "U2", "U'", "U'", "U2", "U")
    for wrong in ("U4", "X", "m", "U''", "4U"):
        with pytest.raises(InvalidAlg):
            puzzle.parse_alg(wrong)
    ring = puzzle_from_definition(read_definition(topspin(20, 4)))
    assert ring.moves == ("L", "L'", "S")
    assert ring.parse_alg("L3 S L2'") == ("L", "L", "L", "S", "L'", "L'")


@pytest.mark.parametrize("name", ["2x2x2", "3x3x3"])
def test_definitions_of_cubing_js_are_read_with_their_derived_moves(name: str) -> None:
    """Its cubes, which can be rotated as a whole, turn their faces like ours."""
    definition = json.loads((DATA / f"cubingjs_{name}.json").read_text())
    theirs, ours = puzzle_from_definition(read_definition(definition)), shipped(name)
    for alg, pattern in PATTERNS[name].items():
        state = theirs.apply_alg(theirs.solved, theirs.parse_alg(alg))
        assert theirs.parse_state(pattern) == state
        same = ours.apply_alg(ours.solved, ours.parse_alg(alg))
        assert theirs.format_pieces(state)["CORNERS"] == ours.format_pieces(same)["CORNERS"]
    assert theirs.parse_alg("Rv Uv'") == theirs.parse_alg("x y'")
    assert not {"x", "y", "z"} & set(theirs.move_set("all").moves)


def test_invalid_derived_moves_are_reported() -> None:
    value = topspin()
    value["derivedMoves"] = {"A": "L S L'", "B": "[L: S]", "C": "[L, S]2", "D": "(L2 S)2'", "E": "A B'"}
    with pytest.raises(InvalidRequest, match="/derivedMoves/E: this move moves nothing"):
        puzzle_from_definition(read_definition(value))
    value["derivedMoves"].pop("E")
    puzzle = puzzle_from_definition(read_definition(value))

    def reached(alg: str) -> bytes:
        return puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(alg))

    assert reached("A") == reached("B") == reached("L S L'")
    assert reached("C") == reached("L S L' S' L S L' S'")
    assert reached("D") == reached("S' L2' S' L2'")
    for wrong, why in (("X", "'X' is not a move"), ("[L: S", "not closed"), ("[L S]", "expected , or :"),
                       ("A2 B", "itself"), ("L)", "closes no"), ("(" * 30 + "L", "inside one another")):  # fmt: skip
        value["derivedMoves"]["A"] = wrong
        with pytest.raises(InvalidRequest, match=f"/derivedMoves/A: .*{why}"):
            puzzle_from_definition(read_definition(value))


def test_pictures_of_any_puzzle_show_every_piece() -> None:
    value = puzzle_data.kilominx()
    del value["hstar"]["faces"]
    puzzle = puzzle_from_definition(read_definition(value))
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("R"))
    picture = ElementTree.fromstring(draw(puzzle, state))
    shown = [
        (int(e.attrib["data-piece"]), int(e.attrib["data-orientation"]))
        for e in picture.iter()
        if "data-slot" in e.attrib
    ]
    assert shown == [divmod(value, 3) for value in state]
    assert draw_path(puzzle, puzzle.solved, ["R", "U'"]).count('data-slot="0"') == 3


def test_every_fault_of_a_definition_is_reported() -> None:
    value = topspin()
    value["orbits"].append({"orbitName": "pieces", "numPieces": 600, "numOrientations": 1})
    with pytest.raises(InvalidRequest, match="/orbits/1/numPieces"):
        read_definition(value)
    value = topspin()
    value["moves"]["L"]["PIECES"]["permutation"][0] = 0
    value["moves"]["no move"] = {"OTHERS": {"permutation": [], "orientationDelta": []}}
    value["defaultPattern"]["PIECES"]["pieces"][3] = 9
    with pytest.raises(InvalidRequest) as refused:
        read_definition(value)
    assert {f.where for f in refused.value.faults} == {
        "/defaultPattern/PIECES/pieces/3", "/moves/L/PIECES/permutation", "/moves/no move", "/moves/no move/OTHERS",
    }  # fmt: skip
    value = topspin()
    value["hstar"] = {"defaultMoves": "every", "moveSets": {"one": {"moves": ["L", "L2"]}}}
    with pytest.raises(InvalidRequest, match="/hstar/defaultMoves: expected one of"):
        puzzle_from_definition(read_definition(value))
    value["hstar"]["moveSets"]["one"]["moves"].append("X")
    with pytest.raises(InvalidRequest, match="/hstar/moveSets/one/moves/2"):
        puzzle_from_definition(read_definition(value))
    nothings: list[object] = [None, [], "x", {}]
    for nothing in nothings:
        with pytest.raises(InvalidRequest):
            read_definition(nothing)
    many = topspin() | {"moves": {f"move {i}": {} for i in range(100)}}
    with pytest.raises(InvalidRequest) as refused:
        read_definition(many)
    assert len(refused.value.faults) == MAX_FAULTS + 1


def test_looking_for_symmetries_ends() -> None:
    """Independent swaps can be exchanged in any way: 10! symmetries, of which only some are searched."""
    pieces = 20
    value = topspin(pieces)
    rows = [list(range(pieces)) for _ in range(10)]
    for i, row in enumerate(rows):
        row[2 * i : 2 * i + 2] = [2 * i + 1, 2 * i]
    delta = [0] * pieces
    value["moves"] = {
        f"S{i}": {"PIECES": {"permutation": row, "orientationDelta": delta}} for i, row in enumerate(rows)
    }
    puzzle = puzzle_from_definition(read_definition(value))
    found = symmetries(puzzle, puzzle.move_set("all"))
    assert 1 <= len(found) <= 2000
    assert any(s.images == (tuple(range(pieces)),) for s in found)
    assert all(s.apply(puzzle, puzzle.solved) == puzzle.solved for s in found[:20])
