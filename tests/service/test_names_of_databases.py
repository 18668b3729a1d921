"""Every name of databases means the same in heuristics, in ``hstar database build`` and in ``POST /v1/databases``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from typer.testing import CliRunner

from hstar.cli import app
from hstar.databases import databases_named
from hstar.errors import FeatureError, InvalidExpression
from hstar.features import feature_docs
from hstar.heuristics import get_heuristic
from hstar.puzzles import MoveSet, Puzzle, get_puzzle, puzzle_names
from service.app import create_app
from store.database import make_engine, migrate
from store.settings import Settings
from tests.conftest import large_cubes_thorough
from tests.service.problems import faults

ROOT = Path(__file__).parents[2]
#: texts that no puzzle has, or only some
OTHERS = ["cosets", " cosets ", "cosets+corners/2", "cosets+EDGES/9", "corners:99", "wings/5", "9-9", "blocks:0", "?"]


def texts(puzzle: Puzzle) -> list[str]:
    """The databases that the pages, the puzzle's list of features, its named heuristics and ``auto`` name."""
    written = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    written += feature_docs(puzzle)
    written += [named.expression for named in puzzle.heuristics]
    written += [choice.heuristic or "" for moves in puzzle.move_sets.values() for choice in puzzle.auto(moves)]
    return sorted({*OTHERS, *(text for one in written for text in re.findall(r'pdb\("([^"]+)"', one) if text != "...")})


def of_the_library(puzzle: Puzzle, moves: MoveSet, text: str) -> tuple[bool, str]:
    """Whether there are such databases; what they are, or why there are none."""
    try:
        return True, databases_named(puzzle, moves, text).identity
    except FeatureError as error:
        return False, error.message


def of_a_heuristic(puzzle: Puzzle, moves: MoveSet, text: str) -> tuple[bool, str]:
    try:
        (feature,) = get_heuristic(f'pdb("{text}")', puzzle, moves).expression.features
    except InvalidExpression as error:
        return False, error.expected
    return True, feature.databases.identity  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """Of an application that queues everything; nobody works here, so that nothing is built."""
    home = tmp_path_factory.mktemp("names")
    settings = Settings(var=home, broker_url="redis://127.0.0.1:1/0", max_queued=10**6, cap_memory_mib=10**6)
    migrate.upgrade(make_engine(settings.database_url))
    made = create_app(settings)
    yield made.test_client()
    made.extensions["hstar"].sessions.close()


@pytest.mark.parametrize(
    "name", [*large_cubes_thorough(puzzle_names()), "tiles:3x4", "tiles:5x5", "pancake:6", "lrx:7", "topspin:8"]
)
def test_every_door_takes_the_same_names(name: str, client: FlaskClient) -> None:
    puzzle = get_puzzle(name)
    accepted = refused = 0
    for text in texts(puzzle):
        for moves in puzzle.move_sets.values():
            assert of_a_heuristic(puzzle, moves, text) == of_the_library(puzzle, moves, text), text
        exists, meant = of_the_library(puzzle, puzzle.move_set(None), text)
        answer = client.post("/v1/databases", json={"puzzle": name, "pattern": text})
        # Those that are not built in a moment are too large for it.
        done = CliRunner().invoke(app, ["database", "build", name, text, "--limit-memory-mib", "1"])
        if exists:
            assert answer.status_code == 202, (text, answer.text)
            assert done.exit_code == 0 or "building it takes" in done.output, (text, done.output)
        else:
            assert faults(answer) == {"/pattern": meant}
            assert done.exit_code == 2
            assert meant in " ".join(done.output.split())
        accepted, refused = accepted + exists, refused + (not exists)
    assert accepted
    assert refused
