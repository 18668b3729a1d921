"""Definitions in other programs' formats, compared with published orders; and faulty or malicious definitions."""

from __future__ import annotations

import json
from copy import deepcopy
from math import factorial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hstar.errors import InvalidRequest, InvalidState
from hstar.puzzles import DefinedPuzzle, get_puzzle, puzzle_from_definition, random_state
from hstar.puzzles.added import looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.symmetry import symmetries
from hstar.search import SolveRequest, prepare, solve
from tests.conftest import SEED, TEST_ALL

DATA = Path(__file__).resolve().parents[1] / "data"
CUBE = json.loads((DATA / "cubingjs_2x2x2.json").read_text())
#: with the faces alone, whose moves twist corners and flip edges
FACES = json.loads((DATA / "cubingjs_3x3x3.json").read_text())
FACES = {
    "name": "faces",
    "orbits": FACES["orbits"][:2],
    "defaultPattern": {
        orbit["orbitName"]: FACES["defaultPattern"][orbit["orbitName"]] for orbit in FACES["orbits"][:2]
    },
    "moves": {name: {k: v for k, v in FACES["moves"][name].items() if k != "CENTERS"} for name in ("U", "L", "F", "R")},
}
#: the cube of GAP's documentation ("Analyzing Rubik's Cube with GAP"): facelets 1 to 48
GAP_CUBE = """
# each face is turned clockwise
U:= ( 1, 3, 8, 6)( 2, 5, 7, 4)( 9,33,25,17)(10,34,26,18)(11,35,27,19);
L:= ( 9,11,16,14)(10,13,15,12)( 1,17,41,40)( 4,20,44,37)( 6,22,46,35);
F:= (17,19,24,22)(18,21,23,20)( 6,25,43,16)( 7,28,42,13)( 8,30,41,11);
R:= (25,27,32,30)(26,29,31,28)( 3,38,43,19)( 5,36,45,21)( 8,33,48,24);
B:= (33,35,40,38)(34,37,39,36)( 3, 9,46,32)( 2,12,47,29)( 1,14,48,27);
D:= (41,43,48,46)(42,45,47,44)(14,22,30,38)(15,23,31,39)(16,24,32,40);
cube:=Group(U,L,F,R,B,D);
"""
COLOURS = [colour for colour in "ULFRBD" for _ in range(8)]


def read(value: object, name: str = "p") -> DefinedPuzzle:
    return puzzle_from_definition(read_any_definition(value, name))


def test_facelets_of_a_cube_become_corners_and_edges() -> None:
    """48 points, in two orbits of 24; the corners' keep blocks of three, the edges' of two."""
    puzzle, ours = read(GAP_CUBE), get_puzzle("3x3x3")
    assert [(orbit.pieces, orbit.orientations) for orbit in puzzle.orbits] == [(8, 3), (12, 2)]
    assert puzzle.state_count == 43_252_003_274_489_856_000
    assert puzzle.format_state(puzzle.apply_alg(puzzle.solved, ["U"]))["points"][2] == 0  # 1 has gone to 3
    for seed in range(3):
        alg = ours.parse_alg(" ".join(Random(seed).choices(["U", "R2", "F'", "L", "D", "B2"], k=5)))
        text = " ".join(alg)
        own = solve(prepare(SolveRequest(puzzle="3x3x3", alg=text, algorithm="bidirectional")))
        with looking_in(Shelf(puzzle)):
            theirs = solve(prepare(SolveRequest(puzzle="p", alg=text, algorithm="bidirectional")))
        assert own.length == theirs.length


class Shelf:
    """Definitions of one puzzle."""

    def __init__(self, puzzle: DefinedPuzzle) -> None:
        self.definition = puzzle.definition

    def find(self, name: str) -> Any:
        return self.definition if name.partition("@")[0] == self.definition.name else None

    def names(self) -> list[str]:
        return [self.definition.name]


def test_orbits_that_are_only_rotated_are_pieces_of_one() -> None:
    """The cube with a picture on each face: its centres are turned, so symmetries carry them onto one another."""
    faces = [line for line in GAP_CUBE.splitlines() if line.endswith(";") and "Group" not in line]
    turned = [
        line.replace(";", f"({','.join(str(49 + 4 * face + i) for i in range(4))});") for face, line in enumerate(faces)
    ]
    puzzle = read("\n".join(turned))
    assert [(orbit.pieces, orbit.orientations) for orbit in puzzle.orbits] == [(8, 3), (12, 2), (6, 4)]
    assert puzzle.state_count == 43_252_003_274_489_856_000 * 4**6 // 2
    assert len([own for own in symmetries(puzzle, puzzle.move_set(None)) if not own.reversing]) == 48
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("U F R U"))
    points = puzzle.format_state(state)["points"]
    assert puzzle.parse_state({"points": points}) == state
    assert points[48:52] == [50, 51, 48, 49]  # a half turn in all
    for centres in ([48, 50, 49, 51, *range(52, 56)], [*range(52, 56), *range(48, 52)]):  # not turned; exchanged
        with pytest.raises(InvalidState):
            puzzle.parse_state({"points": [*range(48), *centres, *range(56, 72)]})
    # Two points that are exchanged, one orbit alone, and orbits of other lengths stay as they are.
    lights = read([[1, 0, 2, 3], [0, 1, 3, 2]])
    assert [(orbit.pieces, orbit.orientations) for orbit in lights.orbits] == [(2, 1), (2, 1)]
    alone = read([[1, 2, 0, 3, 4, 5, 6], [0, 1, 2, 4, 5, 6, 3]])
    assert [(orbit.pieces, orbit.orientations) for orbit in alone.orbits] == [(3, 1), (2, 2)]
    alike = read({"generators": {"a": [1, 2, 0, 3, 4, 5], "b": [0, 1, 2, 4, 5, 3]}, "central_state": [*"xyzxyz"]})
    assert [(orbit.pieces, orbit.orientations) for orbit in alike.orbits] == [(3, 1), (3, 1)]
    other = read({"generators": {"a": [1, 2, 0, 3, 4, 5], "b": [0, 1, 2, 4, 5, 3]}, "central_state": [*"xxyzzw"]})
    assert [(orbit.pieces, orbit.orientations) for orbit in other.orbits] == [(2, 3)]
    for turns in ("a", "a b b", "b"):
        state = other.apply_alg(other.solved, other.parse_alg(turns))
        assert other.parse_state(other.format_state(state)) == state


def test_states_as_lists_of_points() -> None:
    puzzle = read(GAP_CUBE)
    for seed in range(3):
        state = random_state(puzzle, seed)
        shown = puzzle.format_state(state)["points"]
        assert sorted(shown) == list(range(48))
        assert puzzle.parse_state({"points": shown}) == puzzle.parse_state(shown) == state
    shown = list(range(48))
    shown[0], shown[8] = shown[8], shown[0]
    with pytest.raises(InvalidState, match="there is no piece with"):
        puzzle.parse_state(shown)
    with pytest.raises(InvalidState, match="expected a list of 48"):
        puzzle.parse_state([0, 1])


def test_states_as_lists_of_colours() -> None:
    """As in competitions: the colours of all facelets determine the pieces."""
    plain = read(GAP_CUBE)
    moves = {name: plain.format_state(plain.apply_alg(plain.solved, [name]))["points"] for name in "ULFRBD"}
    puzzle = read({"generators": moves, "solution_state": ";".join(COLOURS)})
    assert puzzle.all_different
    assert puzzle.state_count == plain.state_count
    state = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("R U2 F'"))
    points = plain.format_state(plain.apply_alg(plain.solved, plain.parse_alg("R U2 F'")))["points"]
    shown = [COLOURS[point] for point in points]
    assert puzzle.parse_state(shown) == state
    assert puzzle.format_state(state)["points"] == shown
    shown[0] = "X"
    with pytest.raises(InvalidState, match="there is no piece with"):
        puzzle.parse_state(shown)


def test_identical_points_are_identical_pieces() -> None:
    ring = {"generators": {"L": [1, 2, 3, 4, 5, 0], "X": [1, 0, 2, 3, 4, 5]}, "central_state": [0, 0, 0, 1, 1, 1]}
    puzzle = read(ring)
    assert not puzzle.all_different
    assert puzzle.parse_state([0, 0, 1, 1, 1, 0]) == puzzle.apply_alg(puzzle.solved, ["L"])


@pytest.mark.parametrize(
    "given",
    [
        "L:=(1,5,4,3,2); X:=(1,2);",
        "Group( (1,5,4,3,2), (1,2) );",
        "[(1,5,4,3,2),(1,2)]",
        "gens := [ (1,5,4,3,2) , (1,2) ];",
        {"L": [1, 2, 3, 4, 0], "X": [1, 0, 2, 3, 4]},
        "{'L': [1, 2, 3, 4, 0], 'X': [1, 0, 2, 3, 4]}",
        [[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]],
        "[[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]]",
        {"actions": [[1, 2, 3, 4, 0], [1, 0, 2, 3, 4]], "action_names": ["L", "X"]},
        {"generators": {"L": [1, 2, 3, 4, 0], "L'": [4, 0, 1, 2, 3], "X": [1, 0, 2, 3, 4]}, "central_state": None},
    ],
)
def test_one_group_in_every_spelling(given: object) -> None:
    puzzle = read(given)
    assert puzzle.state_count == factorial(5)
    first, second = (name for name in puzzle.definition.moves)
    turned = puzzle.apply_alg(puzzle.solved, [first])
    assert puzzle.format_state(turned)["points"] == [1, 2, 3, 4, 0]
    assert puzzle.format_state(puzzle.apply_alg(puzzle.solved, [second]))["points"] == [1, 0, 2, 3, 4]


def tws_of(definition: dict[str, Any], zero_based: bool) -> str:
    """A definition for twsearch, whose moves list the orientation that each *piece* gains, not each slot."""
    lines = ["# made by a test", f"Name {definition['name']}", ""]
    lines += [f"Set {o['orbitName']} {o['numPieces']} {o['numOrientations']}" for o in definition["orbits"]]
    lines.append("Solved")
    for orbit in definition["orbits"]:
        lines += [orbit["orbitName"], " ".join(str(i + 1) for i in range(orbit["numPieces"]))]
    lines.append("End")
    for name, move in definition["moves"].items():
        lines.append(f"Move{'Transformation' if zero_based else ''} {name}")
        for orbit, own in move.items():
            source, gained = own["permutation"], own["orientationDelta"]
            by_piece = [0] * len(source)
            for slot, piece in enumerate(source):
                by_piece[piece] = gained[slot]
            lines += [orbit, " ".join(str(s + (0 if zero_based else 1)) for s in source)]
            lines.append(" ".join(map(str, gained if zero_based else by_piece)))
        lines.append("End")
    return "\n".join([*lines, "MoveAlias Up U", "MoveSequence Twice L U L' U'"])


@pytest.mark.parametrize("zero_based", [False, True])
def test_definitions_of_twsearch(zero_based: bool) -> None:
    definition = {key: FACES[key] for key in ("name", "orbits", "moves")}
    theirs, ours = read(tws_of(definition, zero_based)), read(FACES)
    for alg in ("U L' F2", "F R U2"):
        moved = [p.format_pieces(p.apply_alg(p.solved, p.parse_alg(alg))) for p in (theirs, ours)]
        assert moved[0]["CORNERS"] == moved[1]["CORNERS"]
    assert theirs.parse_alg("Up") == theirs.parse_alg("U")
    assert theirs.apply_alg(theirs.solved, theirs.parse_alg("Twice")) == theirs.apply_alg(
        theirs.solved, theirs.parse_alg("L U L' U'")
    )


def test_the_example_of_twsearch_s_own_notes() -> None:
    """ "For move 13425,01201 we convert to state 13425,02011" (ksolveformat.txt of github.com/cubing/twsearch)."""
    text = "Name x\nSet A 5 3\nSolved\nA\n1 2 3 4 5\nEnd\nMove M\nA\n1 3 4 2 5\n0 1 2 0 1\nEnd\n"
    puzzle = read(text)
    pieces = puzzle.format_pieces(puzzle.apply_alg(puzzle.solved, ["M"]))["A"]
    assert (pieces["pieces"], pieces["orientation"]) == ([0, 2, 3, 1, 4], [0, 2, 0, 1, 1])


def test_pieces_of_twsearch_have_the_numbers_of_their_slots() -> None:
    """Where the solved state has them in another order, as that of its TopSpin."""
    text = "Name x\nSet A 4 1\nSolved\nA\n4 3 2 1\nEnd\nMove M\nA\n2 1 3 4\nEnd\nMove R\nA\n2 3 4 1\nEnd\n"
    puzzle = puzzle_from_definition(read_any_definition(text, "x"))
    assert puzzle.state_count == 24
    assert puzzle.format_state(puzzle.solved) == {"pieces": {"A": {"pieces": [0, 1, 2, 3], "orientation": [0] * 4}}}
    after = puzzle.format_state(puzzle.apply_alg(puzzle.solved, ["R"]))
    assert after["pieces"]["A"]["pieces"] == [1, 2, 3, 0]


def test_twsearch_s_identical_pieces_and_wildcards() -> None:
    text = (
        "Name x\nSet A 4 2\nSet B 4 1\nSolved\nA\n1 1 2 2\n? ? 0 0\nEnd\nMove M\nA\n2 3 4 1\n1 0 0 1\nB\n2 3 4 1\nEnd\n"
    )
    puzzle = read(text)
    pattern = puzzle.definition.default_pattern["A"]
    assert (pattern.pieces, pattern.orientation_mod) == ([0, 0, 1, 1], [1, 1, 0, 0])
    assert not puzzle.all_different


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("", "expected KPuzzle JSON"),
        (5, "expected KPuzzle JSON"),
        ("hello", "expected KPuzzle JSON"),
        ("{", "begins like JSON"),
        ("[" * 50 + "]" * 50, "inside one another"),
        ("(" * 3000, "inside one another"),
        ("(1,2)" * 300_000, "characters; at most"),
        ("(0,1)", "counted from 1"),
        ("(1,2,1)", "each point once"),
        ("(1,99999)", "at most 8192"),
        ("G:=Group();", "move nothing"),
        ("G:=(;", "a bracket is not closed"),
        ([], "expected generators"),
        ([[0, 0]], "each integer from 0 to 1 once"),
        ([[0, 1], [1, 0, 2]], "each integer from 0 to 1 once"),
        ({"a": [1.0, 0.0]}, "each integer"),
        ({"a": [True, False]}, "each integer"),
        ({"actions": [[1, 0]], "action_names": ["a", "b"]}, "expected 1 names"),
        ({"": [1, 0]}, "a move's name has 1 to 32"),
        ({"": [1, 0], "2": [1, 0]}, "a move's name has 1 to 32"),
        ({"generators": {"a": [1, 0]}, "central_state": [1]}, "a list of 2 colours"),
        ({f"m{k}": [1, 0] for k in range(500)}, "at most 200"),
        ([list(range(9999))], "1 to 8192"),
        ([[0, 1, 2]], "move nothing"),
        ("Name x\nSet A 3\nSolved\nEnd", "line 2: expected Set NAME"),
        ("Name x\nSet A 3 1\nSolved\nA\n1 2 3", "ends before End"),
        ("Name x\nSet A 3 1\nSolved\nA\n1 2\nEnd", "rows of 3 numbers"),
        ("Name x\nSet A 3 1\nMove M\nA\n1 1 2\nEnd", "each of the 3 numbers"),
        ("Name x\nSet A 3 1\nMove M\nA\n1 ? 2\nEnd", "cannot have [?]"),
        ("Name x\nSet A 3 1\nMove M\nB\n1 3 2\nEnd", "is not a set"),
        ("Name x\nSet A 3 1\nBlock A 1 2", "not supported"),
        ("Name x\nSet A 3 1\nIllegal A 4 2", "no position 4"),
        ("Name x\nSet A 3 1\nIllegal A 1 x", "expected Illegal SET"),
        ("Name x\nSet A 3 1\nFoo", "unknown command"),
        ("Name x\nSet A 99999 1\nMove M\nA\n1\nEnd", "rows of 99999"),
        ("Name x\nSet A 600 1", "512 or less"),
    ],
)
def test_invalid_definitions_are_reported(given: object, why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        read(given)


@pytest.mark.parametrize("name", [None, "", "a b", "x" * 41, "tiles:3x3", "@", "../../etc/passwd", "3\u0000"])
def test_invalid_names(name: str | None) -> None:
    with pytest.raises(InvalidRequest, match="needs a name"):
        read_any_definition([[1, 0]], name)


def test_definitions_that_would_take_long_are_refused() -> None:
    """By their sizes, before anything is computed."""
    value = deepcopy(CUBE)
    corners = value["moves"]["U"]["CORNERS"]
    wide = {f"w{number}": "(U)999" * 160 for number in range(100)}
    long_chain = {f"c{number}": f"c{number - 1} U" if number else "U R" for number in range(199, -1, -1)}
    many = {f"m{number}": {"CORNERS": corners} for number in range(201)}
    large = [{"orbitName": f"O{number}", "numPieces": 4, "numOrientations": 99} for number in range(21)]
    rotated = [1, 2, 3, 4, 5, 6, 7, 0]
    eights = {
        f"m{number}": {"CORNERS": {"permutation": Random(number).sample(rotated, 8), "orientationDelta": [0] * 8}}
        for number in range(150)
    }
    for changed, why in (
        ({"derivedMoves": wide}, "characters together"),
        ({"derivedMoves": long_chain}, "each derived from the next"),
        ({"moves": many}, "200 or fewer"),
        ({"moves": eights, "derivedMoves": {}}, "moves with the powers of each; at most 256"),
        ({"orbits": large}, "at most 8192"),
        ({"orbits": large[:6]}, "at most 2304"),
    ):
        with pytest.raises(InvalidRequest, match=why):
            read(value | changed)


LITERALS: list[Any] = [None, True, -1, 0, 1.5, 2**70, "", "x", "\u0000", [], {}, [[]], [0] * 600, {"a": 1}, "9" * 5000]


def mutated(value: Any, random: Random) -> Any:
    """A copy with one place changed: replaced, removed, duplicated, or swapped with its neighbour."""
    value = deepcopy(value)
    at = value
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return value
        key = random.choice(keys)
        if isinstance(at[key], dict | list) and at[key] and random.random() < 0.8:
            at = at[key]
            continue
        kind = random.randrange(4)
        if kind == 0:
            at[key] = random.choice(LITERALS)
        elif kind == 1:
            del at[key]
        elif kind == 2 and isinstance(at, list):
            at.append(at[key])
        else:
            other = random.choice(keys)
            at[key], at[other] = at[other], at[key]
        return value


def test_mutated_definitions_are_read_or_refused() -> None:
    """Each gives a puzzle whose moves can be undone, or a clear error; nothing else is raised."""
    random = Random(SEED)
    generators = {"generators": {"L": [1, 2, 3, 4, 0], "X": [1, 0, 2, 3, 4]}, "central_state": [0, 1, 1, 2, 2]}
    values = [CUBE, generators, read(GAP_CUBE).definition.model_dump(mode="json", by_alias=True)]
    outcomes = {"read": 0, "refused": 0, "refused without a word": 60}
    for number in range(20_000 if TEST_ALL else 300):
        value = values[number % 3]
        for _ in range(random.randrange(1, 4)):
            value = mutated(value, random)
        outcomes[_outcome(value)] += 1
    texts = [GAP_CUBE, tws_of(FACES, False), json.dumps(generators)]
    for number in range(20_000 if TEST_ALL else 300):
        letters = list(texts[number % 3])
        for _ in range(random.randrange(1, 5)):
            at = random.randrange(len(letters))
            letters[at : at + random.randrange(3)] = random.choice(
                ["", "(", ")", ",", "9", "\n", "End", "?", "{", "\u0000"]
            )
        outcomes[_outcome("".join(letters))] += 1
    assert outcomes["refused without a word"] == 60
    assert min(outcomes.values()) > 50


def _outcome(value: Any) -> str:
    try:
        puzzle = read(value)
    except InvalidRequest as error:
        return "refused" if error.faults and all(fault.message for fault in error.faults) else "refused without a word"
    for move in puzzle.moves[:5]:
        after = puzzle.turned(puzzle.solved, move)
        assert puzzle.turned(after, puzzle.inverse(move)) == puzzle.solved
    return "read"


@pytest.mark.parametrize("step", [1, 2])
def test_a_move_of_a_puzzle_that_is_held_is_one_turn_and_a_rotation(step: int) -> None:
    """Six beads in a ring, and swaps that x carries into one another: a swap and x, made twice, are two swaps."""
    shifted = [[(i + by) % 6 for i in range(6)] for by in range(6)]
    swaps = {}
    for i in range(6):
        row = list(range(6))
        row[i], row[(i + step) % 6] = row[(i + step) % 6], row[i]
        swaps["ABCDEF"[i]] = row
    turns = {tuple(row[i] for i in rotation) for row in swaps.values() for rotation in shifted}
    puzzle = puzzle_from_definition(read_any_definition({"name": "ring", "generators": swaps | {"x": shifted[1]}}))
    for name in puzzle.move_sets:
        for move in puzzle.move_set(name).moves:
            assert tuple(puzzle.contents(puzzle.turned(puzzle.solved, move))) in turns, (name, move)


def test_generators_with_names_of_rotations_are_moves_unless_they_carry_moves() -> None:
    """The x of L, R and X swaps two pieces; it was taken for a rotation, and the others reach 9 states."""
    ring = list(range(9))
    given = {"l": ring[1:] + ring[:1], "r": ring[-1:] + ring[:-1], "x": [1, 0, *ring[2:]]}
    puzzle = puzzle_from_definition(read_any_definition(given, "lrx"))
    assert {"l", "r", "x"} <= set(puzzle.move_set(None).moves)
    assert puzzle.group(puzzle.move_set(None)).order == factorial(9)


def test_faults_are_said_without_the_words_of_the_schema_library() -> None:
    given = deepcopy(CUBE)
    given["moves"] = {}
    given["orbits"][0]["numPieces"] = 10**9
    with pytest.raises(InvalidRequest) as caught:
        read_any_definition(given, "x")
    told = {fault.where: fault.message for fault in caught.value.faults}
    assert told["/moves"] == "expected 1 or more, found 0"
    assert told["/orbits/0/numPieces"] == "expected 512 or less, found 1000000000"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("U:=(1,2,3); U:=(1,2);", "U: there are two generators of this name"),
        ("U:=(1,2,3); R:=(1,2", "R:=(1,2: a bracket is not closed"),
        ("U:=(1,99999999999);", "there is a point 99999999999; at most"),
        ('{"a": [1, 0], "a": [0, 1]}', "the name 'a' is there twice in one object"),
        ('{"a": [1, 0],}', "this begins like JSON, but cannot be read"),
    ],
)
def test_slips_in_a_file_are_named(text: str, told: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        read_any_definition(text, "slip")
    assert told in "; ".join(f"{fault.where}: {fault.message}" for fault in refused.value.faults)
