"""The sets of instances, as data: where each comes from, what others reached on it, and how it is asked and replayed.

A set is a file ``NAME.csv`` with a column ``id``. Files of the competitions have no licence that lets them be in the
project; the user gives their folder. A state of a competition has ``new[i] = old[row[i]]`` for each generator of the
``NAME.json`` beside it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.published.replay import Rows, cube, globe, replayed, slid, turned_over, wreath

__all__ = ["OURS", "SETS", "Instance", "PublishedSet", "sample"]

#: the samples that are in the project
OURS = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Instance:
    """One start.

    :param asked: the members of a solve request that say what is to be solved
    :param definition: that of the puzzle that ``asked`` names, if it has to be added
    :param published: lengths of others by name
    :param replays: whether moves solve it
    :param spelled: the moves as the competition writes them
    """

    id: str
    asked: dict[str, Any]
    published: dict[str, int]
    replays: Callable[[Sequence[str]], bool]
    definition: dict[str, Any] | None = None
    kind: str = ""
    spelled: Callable[[Sequence[str]], list[str]] = list


@dataclass(frozen=True)
class PublishedSet:
    """
    :param read: an instance from a row of its file and the folder of the file
    :param source: and licence; ``None`` as licence: not in the project
    :param means: moves for each instance of the whole set by others, where the file has no lengths of single instances
    """

    name: str
    title: str
    read: Callable[[Mapping[str, str], Path], Instance]
    source: str
    licence: str | None = None
    means: dict[str, float] = field(default_factory=dict)

    def instances(self, folder: Path) -> list[Instance]:
        """All of them, in the order of the file.

        :raises FileNotFoundError: there is no such file
        :raises ValueError: a row cannot be read; has its place
        """
        path, found = folder / f"{self.name}.csv", []
        with path.open(newline="", encoding="utf-8") as file:
            lines = (line for line in file if not line.startswith("#"))
            for number, row in enumerate(csv.DictReader(lines), start=2):
                try:
                    found.append(self.read(row, folder))
                except (KeyError, ValueError) as error:
                    raise ValueError(f"{path}, line {number}: {error!r:.200}") from None
        return found


def sample(instances: Sequence[Instance], count: int) -> list[Instance]:
    """So many of them, spread evenly over kinds and published lengths; all if there are fewer."""
    order = sorted(instances, key=lambda one: (one.kind, *sorted(one.published.values())))
    count = min(count, len(order))
    return [order[(2 * i + 1) * len(order) // (2 * count)] for i in range(count)]


def _lengths(row: Mapping[str, str], **columns: str) -> dict[str, int]:
    return {name: int(row[column]) for name, column in columns.items() if row.get(column)}


def _tiles(size: int) -> Callable[[Mapping[str, str], Path], Instance]:
    goal = [*range(1, size * size), 0]

    def read(row: Mapping[str, str], folder: Path) -> Instance:
        board = next(list(map(int, text.split())) for name, text in row.items() if name.startswith("board"))
        asked = {"puzzle": f"tiles:{size}x{size}", "goal": goal, "state": board}
        published = _lengths(row, optimum="optimum", DeepCubeA="deepcubea_length")
        return Instance(row["id"], asked, published, lambda moves: slid(board, size, moves) == goal)

    return read


def _cube3(row: Mapping[str, str], folder: Path) -> Instance:
    rows, scramble = cube(3), row["scramble (quarter turns)"].split()
    # R is r0; L turns against r2.
    layers = {"F": "f0", "B": "-f2", "R": "r0", "L": "-r2", "D": "d0", "U": "-d2"}

    def written(moves: Sequence[str]) -> list[str]:
        own = [layers[move[0]] for move in moves]
        back = [turn.removeprefix("-") if turn.startswith("-") else f"-{turn}" for turn in own]
        return [b if move.endswith("'") else o for move, o, b in zip(moves, own, back, strict=True)]

    solved = list(range(54))
    start = replayed(rows, solved, written(scramble))
    return Instance(
        row["id"],
        {"puzzle": "3x3x3", "moves": "single", "alg": " ".join(scramble)},
        _lengths(row, optimum="optimum (quarter turns)", DeepCubeA="deepcubea_length"),
        lambda moves: (
            all(len(move) == 1 or move[1:] == "'" for move in moves) and replayed(rows, start, written(moves)) == solved
        ),
    )


def _pancake(row: Mapping[str, str], folder: Path) -> Instance:
    stack = list(map(int, row["stack (top first)"].split()))
    return Instance(
        row["id"],
        {"puzzle": f"pancake:{len(stack)}", "state": {"PIECES": {"pieces": stack, "orientation": [0] * len(stack)}}},
        _lengths(row, **{"gap bound": "gap bound"}),
        lambda moves: turned_over(stack, moves) == sorted(stack),
        kind=f"{len(stack):03}",
        spelled=lambda moves: [f"R{move[1:]}" for move in moves],
    )


def _contest(name: str, **columns: str) -> Callable[[Mapping[str, str], Path], Instance]:
    def read(row: Mapping[str, str], folder: Path) -> Instance:
        value = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        state = list(map(int, row["state"].split()))
        return _posted(row["id"], f"published-{name}", value["generators"], value["central_state"], state,
                       _lengths(row, **columns))  # fmt: skip

    return read


def _santa(row: Mapping[str, str], folder: Path) -> Instance:
    kind, _, size = row["puzzle_type"].partition("_")
    m, n = map(int, size.split("/")[:2])
    rows = cube(m) if kind == "cube" else globe(m, n) if kind == "globe" else wreath(m)
    both = dict(rows)
    for move, own in rows.items():
        back = both[f"-{move}"] = [0] * len(own)
        for at, origin in enumerate(own):
            back[origin] = at
    start, goal = (row[column].split(";") for column in ("initial_state", "solution_state"))
    if len(set(goal)) == len(goal):  # such points are known by their numbers
        number = {letter: str(i) for i, letter in enumerate(goal)}
        start, goal = [number[letter] for letter in start], [number[letter] for letter in goal]
    looks = {letter: i for i, letter in enumerate(sorted(set(goal)))}
    code = sum((i + 1) * looks[letter] for i, letter in enumerate(goal))
    name = f"santa-{kind}-{size.replace('/', '-')}-{code}"
    return _posted(row["id"], name, both, goal, start, _lengths(row, winner="winning_length"), row["puzzle_type"])


def _posted(
    number: str, name: str, rows: Rows, goal: list[Any], start: list[Any], published: dict[str, int], kind: str = ""
) -> Instance:
    """An instance of a puzzle of generators."""
    return Instance(
        number,
        {"puzzle": name, "state": {"points": [*map(str, start)]}},
        published,
        lambda moves: set(rows).issuperset(moves) and replayed(rows, start, moves) == goal,
        {"name": name, "generators": rows, "central_state": goal},
        kind,
    )


_DEEPCUBEA = "github.com/forestagostinelli/DeepCubeA"
_CAYLEYPY = "the CayleyPy contests on Kaggle, 2025"

SETS = {
    one.name: one
    for one in (
        PublishedSet("tiles15", "15-puzzle", _tiles(4), _DEEPCUBEA, "MIT"),
        PublishedSet("tiles24", "24-puzzle", _tiles(5), _DEEPCUBEA, "MIT"),
        PublishedSet("tiles35", "35-puzzle", _tiles(6), _DEEPCUBEA, "MIT"),
        PublishedSet("tiles48", "48-puzzle", _tiles(7), _DEEPCUBEA, "MIT"),
        PublishedSet("cube3-quarter-turns", "3x3x3, quarter turns", _cube3, _DEEPCUBEA, "MIT"),
        PublishedSet("jewel", "Christopher's Jewel", _contest("jewel"), _CAYLEYPY, means={"eight teams": 16.49}),
        PublishedSet("megaminx", "Megaminx, quarter turns", _contest("megaminx"), _CAYLEYPY,
                     means={"a team": 68.5, "Rokicki": 93.5}),
        PublishedSet("cube4", "4x4x4", _contest("cube4", published="published_length"), _CAYLEYPY),
        PublishedSet("pancake", "pancakes", _pancake, _CAYLEYPY),
        PublishedSet("santa2023", "Santa 2023", _santa, "Santa 2023 on Kaggle"),
    )
}  # fmt: skip
