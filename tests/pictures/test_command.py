"""``hstar picture``: the requested state, on standard output or in a file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PIL import Image
from typer.testing import CliRunner

from hstar.cli import app
from hstar.puzzles import get_puzzle, make_scramble
from hstar.svg import BACKGROUND
from tests.pictures.reading import SVG, state

BOARD = "2 8 3 / 1 6 4 / 0 7 5"


def picture(*arguments: str) -> ET.Element:
    result = CliRunner().invoke(app, ["picture", *arguments])
    assert result.exit_code == 0, result.output
    return ET.fromstring(result.stdout)


def test_each_way_to_give_the_state() -> None:
    megaminx, board = get_puzzle("megaminx"), get_puzzle("8-puzzle")
    assert state(picture("megaminx"), megaminx) == megaminx.solved
    by_alg = megaminx.apply_alg(megaminx.solved, ["U", "BR2'"])
    assert state(picture("megaminx", "--alg", "white blue2'"), megaminx) == by_alg
    scrambled = make_scramble(megaminx, 7, 3, "all")
    drawn = picture("megaminx", "--k", "7", "--seed", "3", "--scramble-moves", "all")
    assert state(drawn, megaminx) == megaminx.parse_state(scrambled.state)
    assert state(picture("8-puzzle", "--state", BOARD), board) == board.parse_state(BOARD)
    goal = "1 2 3 / 4 5 6 / 7 8 0"
    assert state(picture("8-puzzle", "--goal", goal), get_puzzle("8-puzzle", [1, 2, 3, 4, 5, 6, 7, 8, 0]))


def test_a_path_a_caption_and_facelets() -> None:
    steps = picture("8-puzzle", "--state", BOARD, "--path", "U R").findall(f"{SVG}g")
    assert [step.attrib["data-step"] for step in steps] == ["0", "1", "2"]
    texts = [t.text for t in picture("megaminx", "--facelets", "--caption", "k < 3 & more").iter(f"{SVG}text")]
    assert len(texts) == 132 + 1
    assert texts[-1] == "k < 3 & more"


def test_a_file_is_written(tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    result = CliRunner().invoke(app, ["picture", "15-puzzle", "--alg", "R D", "--output", str(file)])
    assert (result.exit_code, result.stdout) == (0, "")
    board = get_puzzle("15-puzzle")
    assert state(ET.parse(file).getroot(), board) == board.apply_alg(board.solved, ["R", "D"])


@pytest.mark.parametrize("puzzle", ["megaminx", "master_pyraminx", "15-puzzle", "2x2x2"])
def test_a_png_has_the_size_of_the_picture_and_no_background(tmp_path: Path, puzzle: str) -> None:
    drawn = picture(puzzle, "--k", "5", "--transparent")
    assert not [box for box in drawn.findall(f"{SVG}rect") if box.attrib["fill"] == BACKGROUND]
    file = tmp_path / "state.png"
    run = CliRunner()
    made = run.invoke(app, ["picture", puzzle, "--k", "5", "--transparent", "--output", str(file)])
    assert made.exit_code == 0, made.output
    with Image.open(file) as opened:
        image = opened.convert("RGBA")
        size = tuple(round(2 * float(drawn.attrib[name])) for name in ("width", "height"))
        assert all(abs(one - other) <= 1 for one, other in zip(image.size, size, strict=True))
        assert image.getpixel((0, 0)) == (255, 255, 255, 0)
        pixels = image.tobytes()
    fills = {e.attrib["fill"] for e in drawn.iter() if e.attrib.get("fill", "none") != "none"}
    shown = {pixels[i : i + 4] for i in range(0, len(pixels), 4)}
    assert {bytes.fromhex(fill[1:] + "ff") for fill in fills} <= shown
    first = file.read_bytes()
    run.invoke(app, ["picture", puzzle, "--k", "5", "--transparent", "--output", str(file)])
    assert file.read_bytes() == first
    run.invoke(app, ["picture", puzzle, "--path", "R", "--output", str(tmp_path / "way.pdf")])
    assert (tmp_path / "way.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["megaminx", "--alg", "U", "--k", "3"], "--alg and --k: give only one of them"),
        (["megaminx", "--alg", "R++ X"], "move 2"),
        (["8-puzzle", "--path", "U U"], "move 1"),
        (["megaminx", "--output", "/nowhere/at/all.svg"], "--output"),
        (["cube"], "there is no puzzle 'cube'"),
    ],
)
def test_pictures_that_cannot_be_drawn_are_refused(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["picture", *arguments])
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
