"""What is printed reads back to the same moves, for every name that a definition of any format may have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hstar
from hstar.errors import InvalidAlg, InvalidRequest
from hstar.grading import grade, read_assignment, read_submission
from hstar.puzzles import DefinedPuzzle, get_puzzle, puzzle_from_definition
from hstar.puzzles.added import Folder, full_name, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.notation import MoveNames, Said, parse, show, written_out
from hstar.verification import VerificationRequest, verify
from tests.conftest import SEED, TEST_ALL

#: names that look like counts, moves of other names, notations, options, syntax, or values
HOSTILE = (
    "g1", "g2", "g12", "1", "2", "12", "0", "U", "U2", "U22", "U12", "f", "f2", "f12", "-f", "-f0", "f0", "+", "-", "=",
    "=1", "@x", '"', '"a"', "`", "$x", "\\", "\\n", "#", "#a", "{", "}", "{a}", "/", "//", "*", ";", "|", "&", "<b>",
    "^", "~", ".", "..", "a.b", "?", "%20", "é", "²", "x²", "x", "v", "Uv", "2U", "R++", "D--", "U1", "all", "single",
    "like-U", "Name", "Move", "End", "k", "seed", "null", "__proto__", "nan", "1e3", "-1", "0x1", "U_", "M_U", "i",
)  # fmt: skip
SIGNS = 'abUv012-+=."^²'


def names(random: Random, count: int, fits: Callable[[str], bool]) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        made = "".join(random.choices(SIGNS, k=random.randrange(1, 5)))
        name = random.choice([random.choice(HOSTILE), made, *(f"{own}{random.choice(SIGNS)}" for own in found)])
        found |= {name: None} if fits(name) else {}
    return list(found)


def shuffled(random: Random, size: int) -> list[int]:
    """A permutation that moves something: a cycle of three or more, or any."""
    while (made := random.sample(range(size), size)) == list(range(size)):
        pass
    return made


def kpuzzle(random: Random) -> dict[str, Any]:
    orbits = [
        (f"O{number}", random.randrange(2, 5), random.choice([1, 2, 3, 5])) for number in range(random.choice([1, 2]))
    ]
    value: dict[str, Any] = {
        "orbits": [{"orbitName": name, "numPieces": n, "numOrientations": t} for name, n, t in orbits],
        "defaultPattern": {},
        "moves": {},
    }
    for name, n, _ in orbits:
        pieces = random.choice([list(range(n)), [i // 2 for i in range(n)]])
        value["defaultPattern"][name] = {"pieces": pieces, "orientation": [0] * n}
    for move in names(random, random.randrange(1, 5), lambda _: True):
        value["moves"][move] = {
            name: {"permutation": shuffled(random, n), "orientationDelta": [random.randrange(t) for _ in range(n)]}
            for name, n, t in orbits
        }
    first = next(iter(value["moves"]))
    if random.random() < 0.3:
        value["derivedMoves"] = dict.fromkeys(
            names(random, 1, lambda own: own not in value["moves"]), f"{first} {first}"
        )
    if random.random() < 0.3:
        value["hstar"] = {"moveSets": {random.choice([first, f"{first} ", "all", "U R"]): {"moves": [first]}}}
    return value


def generators(random: Random) -> object:
    size = random.randrange(3, 7)
    moves = {name: shuffled(random, size) for name in names(random, random.randrange(1, 5), lambda own: own != "name")}
    if random.random() < 0.3:
        return list(moves.values())
    return {"generators": moves} | ({"central_state": [i // 2 for i in range(size)]} if random.random() < 0.3 else {})


def tws(random: Random) -> str:
    size, turned = random.randrange(2, 5), random.choice([1, 2, 3])
    lines = ["Name p", f"Set O {size} {turned}"]
    for name in names(random, random.randrange(1, 4), lambda own: "#" not in own):
        moved = " ".join(str(i + 1) for i in shuffled(random, size))
        lines += [f"Move {name}", "O", moved, " ".join(str(random.randrange(turned)) for _ in range(size)), "End"]
    return "\n".join(lines)


def gap(random: Random) -> str:
    def cycles() -> str:
        return f"({','.join(str(i + 1) for i in random.sample(range(6), random.randrange(2, 6)))})"

    own = names(random, 2, lambda name: name.isascii() and name.replace(".", "a").isidentifier() and name != "M_U")
    named = [f"{name}:={cycles()};" for name in own if random.random() < 0.7]
    return "\n".join(
        [*named, f"G:=Group({cycles()},{cycles()});" if random.random() < 0.5 else f"{cycles()}; {cycles()};"]
    )


FORMATS: Mapping[str, Callable[[Random], object]] = {
    "kpuzzle": kpuzzle,
    "generators": generators,
    "tws": tws,
    "gap": gap,
}


def puzzles(kind: str, count: int) -> Iterator[tuple[DefinedPuzzle, Random]]:
    for number in range(count):
        random = Random(f"{SEED} {kind} {number}")
        value = FORMATS[kind](random)
        faults: list[str] = []
        try:
            yield puzzle_from_definition(read_any_definition(value, "p")), random
        except InvalidRequest as error:
            faults = [fault.message for fault in error.faults]
        # Some derived moves do nothing; names are never the reason.
        assert set(faults) <= {"this move moves nothing", "this move has no visible effect"}


@pytest.mark.parametrize("kind", FORMATS)
def test_moves_algs_and_move_sets_are_read_back(kind: str) -> None:
    tried = 0
    for puzzle, random in puzzles(kind, 1000 if TEST_ALL else 150):
        tried += 1
        assert len(set(puzzle.moves)) == len(puzzle.moves)
        for move in puzzle.moves:
            assert puzzle.parse_alg(move) == puzzle.parse_move(move) == (move,)
            assert puzzle.inverse(move) in puzzle.moves
        alg = random.choices(puzzle.moves, k=random.randrange(12))
        assert puzzle.parse_alg(puzzle.format_alg(alg)) == tuple(alg)
        assert puzzle.parse_alg(f"( {puzzle.format_alg(alg)} )2") == tuple(alg) * 2
        for name, own in puzzle.move_sets.items():
            assert puzzle.move_set(name) is own
        chosen = random.sample(puzzle.moves, random.randrange(1, 1 + min(3, len(puzzle.moves))))
        if len(" ".join(chosen)) < 60:
            own = puzzle.move_set(", ".join(chosen) + ",")
            assert set(own.moves) == set(chosen)
            assert puzzle.move_set(own.name).moves == own.moves
    assert tried > 100


@pytest.mark.parametrize("kind", FORMATS)
def test_every_answer_of_the_library_is_read_back(kind: str, tmp_path: Any) -> None:
    folder = Folder(tmp_path)
    tried = 0
    with looking_in(folder):
        for puzzle, random in puzzles(kind, 600 if TEST_ALL else 12):
            folder.add(puzzle.definition)
            check_answers(full_name(puzzle.definition), random)
            tried += 1
    assert tried > 4


def check_answers(name: str, random: Random) -> None:
    puzzle = get_puzzle(name)
    moves = random.choice(list(puzzle.move_sets))
    start = hstar.puzzle(name).scramble(k=random.randrange(2, 9), seed=random.randrange(99), moves=moves)
    solved = hstar.solve(start, moves=moves, algorithm="breadth_first")
    assert solved.moves is not None
    assert solved.proven
    printed = str(solved).splitlines()[0] if solved.moves else ""
    state = start.to_dict()
    verdict = verify(VerificationRequest(puzzle=name, state=state, moves=moves, solution=printed))
    assert (verdict.valid, verdict.length, verdict.excess) == (True, solved.length, 0), (puzzle.moves, printed, verdict)
    assert verdict.solution == list(solved.moves)
    # A scramble, and its alg as a start.
    made = hstar.puzzles.make_scramble(puzzle, 5, random.randrange(99), moves)
    text = puzzle.format_alg(made.alg)
    assert puzzle.parse_alg(text) == tuple(made.alg)
    assert (hstar.puzzle(name).solved @ text).to_dict() == made.state
    shorter = hstar.shorten(name, text, moves=moves, limits={"expanded": 200})
    assert shorter.moves is not None
    assert len(shorter.moves) <= 5
    assert hstar.puzzle(name).solved @ " ".join(shorter.moves) == hstar.puzzle(name).solved @ text
    # An assignment that instructors write, and a submission as a table.
    assigned = {"title": "t", "puzzle": name, "moves": moves, "instances": [{"name": "one", "alg": text}]}
    rubric = [{"kind": "valid", "points": 1}, {"kind": "optimal", "points": 1}]
    best = hstar.solve(name, alg=text, moves=moves, algorithm="breadth_first")
    assert best.moves is not None
    row = {"scramble": text, "solution": " ".join(best.moves)}
    grading = grade(
        read_assignment(json.dumps(assigned | {"rubric": rubric})), read_submission(json.dumps([row]).encode())
    )
    assert grading.score == grading.max_score == 2, grading


NAMES = st.sets(st.text(alphabet="gfU12.-", min_size=1, max_size=4), min_size=1, max_size=6)


@given(NAMES, st.integers(-999, 999).filter(bool), st.data())
def test_reading_is_the_inverse_of_writing(known: set[str], count: int, data: st.DataObject) -> None:
    names = MoveNames(known)
    name = data.draw(st.sampled_from(sorted(known)))
    written = names.write(name, count)
    assert names.read(written) == (name, count)
    text = f"{written} {written} ({written} {written})2'"
    assert show(parse(text, names), names) == text
    once, back = Said(written), Said(written, back=True)
    assert written_out(text, names) == [once, once, back, back, back, back]


def ring(*names: str, size: int = 7) -> DefinedPuzzle:
    """Moves of rings of different places, each of order ``size``."""
    count = len(names) * size
    moves = {}
    for number, name in enumerate(names):
        first = number * size
        turned = [*range(first + 1, first + size), first]
        moves[name] = [*range(first), *turned, *range(first + size, count)]
    return puzzle_from_definition(read_any_definition(moves, "p"))


def test_names_that_end_with_a_digit() -> None:
    puzzle = ring("g1", "g2")
    assert puzzle.parse_alg("(g1)2'") == ("(g1)2'",)
    assert puzzle.parse_alg("(g1)3(g2)' g1'") == ("(g1)3", "g2'", "g1'")
    assert puzzle.parse_alg("(g1 g2)2 ((g1)2 g2')2") == ("g1", "g2", "g1", "g2", "(g1)2", "g2'", "(g1)2", "g2'")
    assert puzzle.parse_alg("( g1 )2") == ("g1", "g1")
    assert ring("R").parse_alg("(R)2") == ("R", "R")
    assert puzzle.parse_alg("(g1 (g2)2)2' [g1, g2]") == (
        "(g2)2'", "g1'", "(g2)2'", "g1'", "g1", "g2", "g1'", "g2'",
    )  # fmt: skip
    for wrong in ("g12", "(g1", "g1)", "(g3)2", "g", "(g1)7", "[g1 g2]", "[g1, g2", "g1, g2"):
        with pytest.raises(InvalidAlg) as refused:
            puzzle.parse_alg(wrong)
        assert refused.value.faults, wrong


def test_longest_names_are_read_first() -> None:
    puzzle = ring("f", "f2", "f22")
    text = "f f2 f2' f22 (f)2 (f)2' (f2)2' f3"
    assert puzzle.parse_alg(text) == tuple(text.split())
    assert ring("U1", "1").parse_alg("U1 1") == ("U1", "1")  # which on a Master Pyraminx are one move
    assert ring(".", "a").parse_alg(". .2 a") == (".", ".2", "a")


def test_an_optimum_is_verified_as_one(tmp_path: Any) -> None:
    with looking_in(folder := Folder(tmp_path)):
        folder.add(ring("g1", "U1", "1").definition)
        solved = hstar.solve("p", alg="(g1)5 U1 1", algorithm="breadth_first")
        assert solved.moves is not None
        solution = " ".join(solved.moves)
        assert "(g1)2" in solution.split()
        for written in (solution, solution.replace("U1' 1'", "(U1)' (1)'")):
            verdict = verify(VerificationRequest(puzzle="p", alg="(g1)5 U1 1", solution=written))
            assert (verdict.valid, verdict.length, verdict.excess) == (True, 3, 0)


def test_verification_reads_what_solve_reads() -> None:
    """Groups, and rotations of the whole puzzle, which change the meaning of later tokens."""
    puzzle = get_puzzle("megaminx")
    for alg in ("(R U)2 F", "Uv R F Rv2' U"):
        (text,) = [" ".join(puzzle.inverse_alg(puzzle.parse_alg(alg)))]
        verdict = verify(VerificationRequest(puzzle="megaminx", alg=text, solution=alg, moves="all"))
        assert verdict.valid, verdict.reason
    verdict = verify(VerificationRequest(puzzle="megaminx", alg="R", solution="R' (U", moves="all"))
    assert (verdict.valid, verdict.first_wrong) == (False, 2)


@pytest.mark.parametrize(
    "name", ["U'", "a b", "(a)", "a,b", "[x]", "a:b", "U\u2019", "U\n", "", "a" * 33, "\x00", "U\u200b"]
)
def test_names_that_algs_cannot_have_are_refused_by_name(name: str) -> None:
    value = {
        "orbits": [{"orbitName": "O", "numPieces": 3, "numOrientations": 1}],
        "defaultPattern": {"O": {"pieces": [0, 1, 2], "orientation": [0, 0, 0]}},
        "moves": {name: {"O": {"permutation": [1, 2, 0], "orientationDelta": [0, 0, 0]}}},
    }
    with pytest.raises(InvalidRequest) as refused:
        read_any_definition(value, "p")
    (fault,) = refused.value.faults
    assert fault.where == f"/moves/{name:.32}"
    assert "a move's name has" in fault.message


def test_powers_that_a_definition_names() -> None:
    """``U2`` is dropped where it is the square of ``U``; so is ``U2'``, but not ``U22``, which is not read as that."""
    fifth = [1, 2, 3, 4, 0]
    square, back, fourth = [2, 3, 4, 0, 1], [3, 4, 0, 1, 2], [4, 0, 1, 2, 3]
    for moves in ({"U": fifth, "U2": square, "U2'": back}, {"U2'": back, "U2": square, "U": fifth}):
        assert set(puzzle_from_definition(read_any_definition(moves, "p")).moves) == {"U", "U2", "U2'", "U'"}
    puzzle = puzzle_from_definition(read_any_definition({"U": fifth, "U22": fourth, "U2": square}, "p"))
    assert puzzle.apply_alg(puzzle.solved, ["U22"]) == puzzle.apply_alg(puzzle.solved, puzzle.parse_alg("U U U U"))


def test_generators_without_names_replace_none() -> None:
    puzzle = puzzle_from_definition(read_any_definition("g2:=(1,2,3);\n(1,2);\n(3,4);", "p"))
    assert set(puzzle.moves) == {"g2", "g2'", "g3", "g4"}
