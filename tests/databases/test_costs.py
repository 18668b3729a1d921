"""What is known of databases before they are built, and how a build is ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hstar.databases import Databases, databases_named, forget, watching
from hstar.databases.files import directory
from hstar.heuristics import Heuristic, get_heuristic
from hstar.heuristics import forget as forget_heuristics
from hstar.polling import polling
from hstar.puzzles import get_puzzle

#: small ones of each kind
KINDS = [
    ("megaminx", "ccw", "corners:2"),
    ("pyraminx", None, "EDGES+CORNERS"),
    ("master_pyraminx", "layers32", "axials:2+edges:1"),
    ("8-puzzle", None, "4-4"),
    ("tiles:5x5", None, "blocks:3"),
]


class Enough(Exception):
    pass


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HSTAR_DATABASES", str(tmp_path / "tables"))
    forget_heuristics()
    yield
    forget_heuristics()


def made(kind: tuple[str, str | None, str]) -> Databases:
    name, moves, text = kind
    puzzle = get_puzzle(name)
    return databases_named(puzzle, puzzle.move_set(moves), text)


def heuristic(kind: tuple[str, str | None, str]) -> Heuristic:
    name, moves, text = kind
    puzzle = get_puzzle(name)
    return get_heuristic(f'max(pdb("{text}"), 1)', puzzle, puzzle.move_set(moves))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind[0]} {kind[2]}")
def test_costs_are_known_before_and_nothing_is_left_to_build_after(kind: tuple[str, str | None, str]) -> None:
    databases, known = made(kind), heuristic(kind)
    assert (databases.kept, known.kept) == (False, False)
    assert 0 < databases.build_seconds == known.build_seconds < 60
    assert databases.build_bytes >= databases.states // 4
    assert databases.identity
    assert not directory().exists()  # nothing was built to know that
    databases.load()
    assert (databases.kept, databases.build_seconds) == (True, 0)
    size = sum(table.data.nbytes for table in databases.tables)
    assert size <= databases.bytes * 1.5
    # Another process finds the files.
    forget_heuristics()
    assert made(kind) is not databases
    assert (made(kind).kept, heuristic(kind).kept, heuristic(kind).build_seconds) == (True, True, 0)
    next(directory().glob("*.pdb")).unlink()
    assert not made(kind).kept


@pytest.mark.parametrize("asked_by", [watching, polling])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind[0]} {kind[2]}")
def test_a_stopped_build_leaves_nothing_and_can_be_repeated(
    kind: tuple[str, str | None, str], asked_by: object
) -> None:
    def stop(*_progress: object) -> None:
        raise Enough

    with asked_by(stop), pytest.raises(Enough):  # type: ignore[operator]
        made(kind).load()
    assert not [*directory().glob("*.pdb"), *directory().glob("*.part")]
    databases = made(kind)
    databases.load()
    assert databases.kept
    assert databases.value(databases.puzzle.solved) == 0


def test_a_large_build_ends_while_it_runs() -> None:
    """It would take seconds; the watcher ends it at its third question."""
    told = []

    def watch(what: str, _done: int, _total: int) -> None:
        told.append(what)
        if told.count(what) == 3:
            raise Enough

    databases = made(("megaminx", "all", "corners:4"))
    with watching(watch), pytest.raises(Enough):
        databases.load()
    assert not list(directory().glob("*.p*"))
    assert not databases.kept


def test_what_is_forgotten_is_opened_again() -> None:
    kind = KINDS[0]
    first = made(kind)
    first.load()
    forget()
    assert made(kind) is not first
