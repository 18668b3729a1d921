"""Pictures show the state, for every puzzle that can be drawn, and are well-formed with any text on them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hstar.errors import InvalidAlg, InvalidRequest
from hstar.pictures import MAX_STEPS, can_draw, draw, draw_path, state_at
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.painter import PALETTE
from hstar.svg import readable_on
from tests.pictures.reading import SVG, facelet_polygons, facelets, state

ROOT = Path(__file__).resolve().parents[2]

PUZZLES = ("megaminx", "master_pyraminx", "8-puzzle", "15-puzzle", "tiles:2x7", "tiles:8x8", "tiles:1x5", "tiles:5x1")


@settings(max_examples=60)
@given(st.sampled_from(PUZZLES), st.integers(0, 60), st.integers(0, 2**63 - 1))
def test_picture_facelets_pieces_and_alg_are_consistent(name: str, k: int, seed: int) -> None:
    puzzle = get_puzzle(name)
    scramble = make_scramble(puzzle, k, seed)
    by_alg = puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(puzzle.format_alg(scramble.alg)))
    for given_as in scramble.state:
        assert puzzle.parse_state({given_as: scramble.state[given_as]}) == by_alg
    assert state(ET.fromstring(draw(puzzle, by_alg)), puzzle) == by_alg
    back = puzzle.apply_alg(by_alg, puzzle.inverse_alg(scramble.alg))
    assert back == puzzle.solved


@pytest.mark.parametrize("name", ["megaminx", "master_pyraminx"])
def test_texts_and_data_attributes_describe_the_picture(name: str) -> None:
    puzzle = get_puzzle(name)
    shown = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 25, 4).alg)
    picture = ET.fromstring(draw(puzzle, shown))
    described = picture.findtext(f"{SVG}desc") or ""
    for face, colours in facelets(picture).items():
        (line,) = [line for line in described.splitlines() if line.startswith(f"{face} (")]
        assert line.split(": ")[1].rstrip(".").replace(" / ", " ").split() == colours
    assert {p.attrib["data-colour"] for p in picture.iter(f"{SVG}polygon") if "data-colour" in p.attrib} == set(
        puzzle.format_state(puzzle.solved)["facelets"]
    )


def test_a_picture_announces_itself() -> None:
    puzzle = get_puzzle("8-puzzle")
    picture = ET.fromstring(draw(puzzle, puzzle.solved, title="Board A"))
    title, description = picture[0], picture[1]
    assert (title.tag, title.text) == (f"{SVG}title", "Board A")
    assert description.tag == f"{SVG}desc"
    assert "1 2 3 / 8 blank 4 / 7 6 5" in (description.text or "")
    assert picture.attrib["role"] == "img"
    assert picture.attrib["aria-labelledby"] == title.attrib["id"]
    assert picture.attrib["aria-describedby"] == description.attrib["id"]
    assert picture[2].attrib["fill"] != "none", "a background, so that the picture stands on any page"


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["faces", "facelets", "none"]))
def test_no_text_breaks_the_picture(title: str, caption: str, labels: str) -> None:
    puzzle = get_puzzle("megaminx")
    names = {"U": caption, "F": "<script>alert(1)</script>", "L": "\"&'", "R": "\x00\x1f\ud800\uffff"}
    drawn = draw(puzzle, puzzle.solved, title=title, caption=caption, labels=labels, names=names)  # type: ignore[arg-type]
    picture = ET.fromstring(drawn)
    assert {e.tag.removeprefix(SVG) for e in picture.iter()} <= {"svg", "title", "desc", "rect", "g", "polygon", "text"}
    assert "<script" not in drawn
    drawn.encode()


def test_labels_are_of_faces_of_facelets_or_none() -> None:
    for name, faces, count in (("megaminx", 12, 132), ("master_pyraminx", 4, 64)):
        puzzle = get_puzzle(name)
        texts = {
            labels: [t.text for t in ET.fromstring(draw(puzzle, puzzle.solved, labels=labels)).iter(f"{SVG}text")]
            for labels in ("faces", "facelets", "none")
        }
        corners = 6 if name == "master_pyraminx" else 0
        assert {labels: len(t) for labels, t in texts.items()} == {
            "faces": faces + corners, "facelets": count + corners, "none": 0,
        }  # fmt: skip
    named = draw(get_puzzle("megaminx"), get_puzzle("megaminx").solved, names={"U": "top"})
    assert ">top<" in named
    assert ">U<" not in named


@pytest.mark.parametrize(("name", "file"), [("megaminx", "megaminx"), ("master_pyraminx", "master-pyraminx")])
def test_the_order_of_facelets_in_the_documents_is_that_of_lists(name: str, file: str) -> None:
    puzzle = get_puzzle(name)
    drawn = draw(puzzle, puzzle.solved, labels="numbers")
    assert (ROOT / "docs" / "pictures" / f"facelets-{file}.svg").read_text(encoding="utf-8") == drawn
    for polygons in facelet_polygons(ET.fromstring(drawn)).values():
        assert [polygon.get("data-facelet") for polygon in polygons] == [str(i) for i in range(len(polygons))]
    written = [element.text for element in ET.fromstring(drawn).iter(f"{SVG}text")]
    count = 11 if name == "megaminx" else 16
    faces = 12 if name == "megaminx" else 4
    assert [written.count(str(i)) for i in range(1, count)] == [faces] * (count - 1)


def test_labels_can_be_read_on_every_colour() -> None:
    """WCAG 2.2, 1.4.3: the contrast of text is at least 4.5 to 1, or 3 to 1 for large text."""

    def luminance(colour: str) -> float:
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for colour, fill in PALETTE.items():
        bright, dark = sorted((luminance(fill), luminance(readable_on(fill))), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.4, colour
    assert len(set(PALETTE.values())) == len(PALETTE)


def test_the_same_state_gives_the_same_text_in_every_process() -> None:
    command = [sys.executable, "-m", "hstar.cli", "picture", "megaminx", "--k", "12", "--seed", "3"]
    drawn = {
        subprocess.run(command, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed}).stdout
        for seed in ("1", "2")
    }
    puzzle = get_puzzle("megaminx")
    shown = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 12, 3).alg)
    assert drawn == {draw(puzzle, shown).encode()}


@pytest.mark.parametrize(
    ("name", "alg"), [("8-puzzle", "U L D R R U"), ("megaminx", "U F2 DR'"), ("master_pyraminx", "U 2R D' 3u")]
)
def test_a_path_shows_every_state_on_the_way(name: str, alg: str) -> None:
    puzzle = get_puzzle(name)
    moves = puzzle.parse_alg(alg)
    picture = ET.fromstring(draw_path(puzzle, puzzle.solved, moves))
    steps = [g for g in picture.iter(f"{SVG}g") if "data-step" in g.attrib]
    assert [int(g.attrib["data-step"]) for g in steps] == list(range(len(moves) + 1))
    for step, drawn in enumerate(steps):
        assert state(drawn, puzzle) == state_at(puzzle, puzzle.solved, moves, step)
    captions = [t.text for t in picture.findall(f"{SVG}text")]
    assert captions == ["start", *(f"{i}. {move}" for i, move in enumerate(moves, start=1))]
    # The pictures lie side by side, within the page and not on one another.
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    places = [tuple(map(float, g.attrib["transform"].split(")")[0].removeprefix("translate(").split())) for g in steps]
    assert len(set(places)) == len(places)
    assert all(0 <= x < width and 0 <= y < height for x, y in places)


def test_a_step_outside_the_solution_and_an_impossible_path_are_refused() -> None:
    puzzle = get_puzzle("8-puzzle")
    assert state_at(puzzle, puzzle.solved, ["U"], 0) == puzzle.solved
    for step in (-1, 2):
        with pytest.raises(InvalidRequest, match="expected 0 to 1"):
            state_at(puzzle, puzzle.solved, ["U"], step)
    with pytest.raises(InvalidAlg, match="move 1"):
        draw_path(puzzle, puzzle.solved, ["U", "U"])
    with pytest.raises(InvalidRequest, match="at most"):
        draw_path(puzzle, puzzle.solved, ["U", "D"] * MAX_STEPS)


def test_all_puzzles_can_be_drawn() -> None:
    assert all(can_draw(get_puzzle(name)) for name in PUZZLES)
