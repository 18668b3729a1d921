"""The language of algs and every event of the World Cube Association, compared with cubing.js.

``python -m tests.notation.test_cubing 1000 [event ...]`` compares as many scrambles of each event. They are those of
cubing.js, but for `made`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hstar.errors import InvalidAlg
from hstar.puzzles import DefinedPuzzle, get_puzzle, puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.notation import parse, show, written_out
from tests.conftest import SEED, TEST_ALL
from tools import web

HERE = Path(__file__).parent
#: the puzzle of each event that cubing.js has scrambles of
EVENTS = {
    "222": "2x2x2", "333": "3x3x3", "333bf": "3x3x3", "555": "5x5x5", "666": "6x6x6", "777": "7x7x7",
    "minx": "megaminx", "pyram": "pyraminx", "skewb": "skewb", "444": "4x4x4",
    "clock": "clock", "sq1": "square1",
}  # fmt: skip
#: moves that cubing.js reads too, of each puzzle
WORDS = {
    "2x2x2": "U D L' R2 F B x y' z2",
    "3x3x3": "U D L' R2 F B M E' S2 r Lw u' Fw2 d b x y' z2 2R Rv Uv'",
    "4x4x4": "U D L' R2 F B r Lw u' Fw2 3Dw 3b' 2R 2L' 2-3F m x y' z2 Lv",
    "5x5x5": "U D L' R2 F B r Lw u' 3Fw2 3d 2R 3L' 4B 2-3F 2-4u M E' S2 m x y' z2",
    "6x6x6": "U D' L2 R F B Rw 3Lw' 3u2 2F 3B 4L 5D' 2-3R 2-5u 4r m x y' z2",
    "7x7x7": "U D' L2 R F B Rw 3Lw' 3u2 2F 3B 4L 5D' 2-3R 2-6u 5r M S' m x y' z2",
    "megaminx": "U R' F2 BL2' D B 2U 2R' 3F u r' 2-3L Uv Fv2' y R++ D--",
    "pyraminx": "U L' R B u l' r b D F' BR BL 2u Uv Lv' Rv y",
    "skewb": "R U' L B x y' z F D UL' UR Rv",
    "kilominx": "U R' F2 BL2' D B Uv Fv2' R++ D--",
    "fto": "U F' R L' BL D' BR B 2U 2F' 2BL Uv Fv' Rv BLv",
    "clock": "UR3+ DR5- DL6+ UL1- U1+ R2- D4+ L0+ ALL5+ F2- B3+ BUL2- BR4+ URw2+ DLw3- MUL1+ MDL5- y2 z x2 UR DL",
}


def ask(**questions: Any) -> dict[str, Any]:
    """What cubing.js says; skips where it cannot be installed."""
    try:
        web.install()
    except web.CannotBuildError as fault:
        pytest.skip(str(fault))
    done = subprocess.run(
        ["node", str(HERE / "cubing.mjs")],
        cwd=web.WEB,
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def written(random: Random, name: str, depth: int = 2) -> str:
    """A random alg of the whole language."""

    def some(depth: int) -> str:
        return " ".join(unit(depth) for _ in range(random.randrange(1, 4)))

    def unit(depth: int) -> str:
        kind = random.choice("mmmmgcjpn" if depth else "mmmmmpn")
        amount = random.choice(["", "", "2", "'", "3'"])
        if kind == "g":
            return f"({some(depth - 1)}){amount}"
        if kind == "c":
            return f"[{some(depth - 1)}, {some(depth - 1)}]{amount}"
        if kind == "j":
            return f"[{some(depth - 1)}: {some(depth - 1)}]{amount}"
        return {"p": ".", "n": "// a comment: (R, [U\n"}.get(kind) or random.choice(WORDS[name].split())

    return some(depth)


def of_444(random: Random) -> str:
    """44 to 48 moves, as a scramble of the 4x4x4 has; none turns the face of the one before it."""
    moves: list[str] = []
    for _ in range(random.randrange(44, 49)):
        face = random.choice([face for face in "UDLRFB" if not moves or face != moves[-1][0]])
        moves.append(face + random.choice(["", "w"] if face in "URF" else [""]) + random.choice(["", "'", "2"]))
    return " ".join(moves)


def of_sq1(random: Random) -> str:
    """11 to 14 slashes with turns of both layers between them."""
    # Whether a piece begins there, in each twelfth of a layer, clockwise from the cut; a slash swaps the first halves.
    top, bottom = [True, False, True] * 4, [True, True, False] * 4
    alg = ""
    for _ in range(random.randrange(11, 15)):
        turns = [
            (a, b)
            for a in range(-5, 7)
            for b in range(-5, 7)
            if (a, b) != (0, 0) and top[-a] and top[6 - a] and bottom[-b] and bottom[6 - b]
        ]
        a, b = random.choice(turns)
        top, bottom = top[-a:] + top[:-a], bottom[-b:] + bottom[:-b]
        top[:6], bottom[:6] = bottom[:6], top[:6]
        alg += f"({a}, {b}) / "
    return alg.strip()


#: random scrambles of events of which cubing.js makes one a second, or fewer
MADE = {"444": of_444, "sq1": of_sq1}


def scrambles(counts: dict[str, int]) -> dict[str, list[str]]:
    """As many scrambles of each event."""
    random = Random(SEED)
    found = ask(scrambles=[(event, count) for event, count in counts.items() if event not in MADE])
    return found | {event: [MADE[event](random) for _ in range(counts[event])] for event in MADE if event in counts}


def compared(algs: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """Puzzle, scramble, and the moves as which it is read."""
    found = []
    for event, ours in algs.items():
        puzzle = get_puzzle(EVENTS[event])
        found += [(puzzle.name, alg, puzzle.format_alg(puzzle.parse_alg(alg))) for alg in ours]
    return found


def test_scrambles_and_whole_algs_lead_where_cubing_js_says() -> None:
    rows = compared(scrambles(dict.fromkeys(EVENTS, 20 if TEST_ALL else 2)))
    random = Random(SEED)
    for name in WORDS:
        puzzle = get_puzzle(name)
        for _ in range(100 if TEST_ALL else 6):
            alg = written(random, name)
            rows.append((name, alg, puzzle.format_alg(puzzle.parse_alg(alg))))
    # cubing.js knows no wide moves of an octahedron.
    rows = [(name, alg, re.sub(r"(\w)w", r"(\1 2\1)", ours) if name == "fto" else ours) for name, alg, ours in rows]
    answers = ask(same=rows)["same"]
    assert [(row, answer) for row, answer in zip(rows, answers, strict=True) if answer is not True] == []
    assert len(rows) >= 70


#: moves of puzzles whose definitions are taken from cubing.js as they are
POSTED = {
    "2x2x2": "U D L' R2 F B x y' z2",
    "3x3x3": "U D L' R2 F B M E' S2 r Lw u' x y' z2 Rv",
    "4x4x4": "U D L' R2 F B Rw 3Fw2 2R 2-3L x y' z2",
    "5x5x5": "U D L' R2 F B Rw 3Fw2 2R 2-3L 3D x y' z2",
    "skewb": "U R' B D L UR' Dv Rv'",
    "megaminx": "U R' F2 BL2' D 2U 2R' Uv Fv2'",
    "gigaminx": "U R' F2 BL2' 2U 3R' Uv Fv2'",
    "fto": "U F' R BL 2F' 2D Fv Rv'",
    "redi_cube": "F UR' D B L x y'",
    "clock": "UR3+ DR5+ UL4- U1+ R2- ALL5+ y2",
}


def test_posted_definitions_of_cubing_js_are_turned_as_there() -> None:
    random, rows = Random(SEED), []
    for name, definition in ask(definitions=list(POSTED))["definitions"].items():
        puzzle = puzzle_from_definition(read_any_definition(definition, "posted"))
        assert puzzle.hold is not None
        for _ in range(50 if TEST_ALL else 4):
            alg = " ".join(random.choices(POSTED[name].split(), k=12))
            rows.append((name, alg, _for_cubing(puzzle, puzzle.parse_alg(alg))))
        # Rotations are no moves, and what is solved but rotated is solved.
        for rotation in puzzle.rotations:
            assert puzzle.parse_alg(rotation) == ()
    answers = ask(same=rows)["same"]
    assert [(row, answer) for row, answer in zip(rows, answers, strict=True) if answer is not True] == []


def _for_cubing(puzzle: DefinedPuzzle, moves: Sequence[str]) -> str:
    """Moves with the rotations that bring back what is held, ``D-y`` and ``(D+Lv)2``, as cubing.js reads them."""
    found = []
    for move in moves:
        read = puzzle.names.read(move)
        if read is None:  # a wheel of a Clock
            found.append(move)
            continue
        name, count = read
        amount = f"{abs(count)}'" if count < 0 else str(count)
        for sign, prime in (("-", "'"), ("+", "")):
            turn, _, rotation = name.partition(sign)
            if rotation:
                found.append(f"({turn} {rotation}{prime}){amount}")
                break
        else:
            found.append(f"({name}){amount}")
    return " ".join(found)


def test_a_clock_is_read_as_cubing_js_reads_it() -> None:
    asked = ask(definitions=["clock"], scrambles=[("clock", 50 if TEST_ALL else 5)])
    puzzle = puzzle_from_definition(read_any_definition(asked["definitions"]["clock"], "posted"))
    rows = [("clock", alg, _for_cubing(puzzle, puzzle.parse_alg(alg))) for alg in asked["clock"]]
    assert all(answer is True for answer in ask(same=rows)["same"])


def test_states_of_a_square_1_are_those_of_cubing_js() -> None:
    square = get_puzzle("square1")
    algs = [*ask(scrambles=[("sq1", 1)])["sq1"], *scrambles({"sq1": 200 if TEST_ALL else 5})["sq1"]]
    for alg, theirs in zip(algs, ask(patterns=[["square1", alg] for alg in algs])["patterns"], strict=True):
        ours = square.apply_alg(square.solved, square.parse_alg(alg))
        assert square.parse_state(theirs) == ours
        assert square.format_kpattern(ours)["patternData"] == theirs


def test_a_square_1_is_read_with_its_corners() -> None:
    definition = ask(definitions=["square1"])["definitions"]["square1"]
    posted = puzzle_from_definition(read_any_definition(definition, "posted"))
    assert posted.forbidden["_SLASH_"].keys() == {0, 6, 12, 18}


def test_algs_are_printed_as_cubing_js_prints_them() -> None:
    random = Random(SEED)
    texts = [written(random, random.choice(list(WORDS))) for _ in range(500 if TEST_ALL else 60)]
    texts += ["[R,U]2'", "^(R U) F", "[[R: U], (F)2]'", "( R U )", "// x", "(R // x\n)2 U", "[R U:F]", "R ."]
    for text, theirs in zip(texts, ask(printed=texts)["printed"], strict=True):
        assert theirs is not None, text
        # A new line is a part of an alg there, and white space here.
        ours, again = show(parse(text)), show(parse(theirs))
        assert ours == again, text
        assert parse(ours) == parse(text)
        assert written_out(ours) == written_out(text)


@pytest.mark.parametrize("text", ["(R", "R)", "[R, U", "[R U]", "R, U", "R: U", "/* a", "(R]", "[R)", "[R, U, F]"])
def test_what_is_not_closed_is_refused_by_both(text: str) -> None:
    with pytest.raises(InvalidAlg) as refused:
        parse(text)
    assert refused.value.faults


def test_block_comments_and_groups_beside_what_cubing_js_reads() -> None:
    cube = get_puzzle("3x3x3")
    assert cube.parse_alg("R/* a ( b */ U // c\nF") == ("R", "U", "F")
    assert cube.parse_alg("^(R U) F ^(D) B") == ("F", "B", "D'", "U'", "R'")
    assert cube.parse_alg("... R .") == ("R",)
    assert cube.parse_alg("(R U)0") == ()


def main() -> None:
    for event in sys.argv[2:] or EVENTS:
        rows = compared(scrambles({event: int(sys.argv[1])}))
        same = ask(same=rows)["same"]
        if event == "sq1":
            square = get_puzzle("square1")
            theirs = ask(patterns=[("square1", alg) for _, alg, _ in rows])["patterns"]
            found = [square.apply_alg(square.solved, square.parse_alg(alg)) for _, alg, _ in rows]
            assert [square.parse_state(pattern) for pattern in theirs] == found
        print(f"{event}: {sum(answer is True for answer in same)} of {len(rows)} lead where cubing.js says", flush=True)


if __name__ == "__main__":
    main()
