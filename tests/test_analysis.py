"""Analyses: along a line, by f-layers, of counts and traces; compared with whole spaces and with plain Python."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from hstar import search
from hstar.analysis import AnalysisRequest, analyse, prepare, traces
from hstar.errors import InvalidRequest
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle
from hstar.search import Control, reference
from hstar.search.control import Stopped
from hstar.verification.conventions import TIES
from tests.conftest import instances

HEURISTICS = ("misplaced_tiles", "manhattan", "manhattan * 1.5", "manhattan / 2")


def ask(**given: Any) -> AnalysisRequest:
    return AnalysisRequest.model_validate(given)


def distances(name: str) -> dict[bytes, int]:
    """The true distance of every state, by breadth-first search from the goal over moves that can be undone."""
    puzzle = get_puzzle(name)
    found = {puzzle.solved: 0}
    layer = [puzzle.solved]
    while layer:
        layer = [after for state in layer for _, after in puzzle.successors(state, puzzle.move_set(None).moves)]
        layer = list({state: None for state in layer if state not in found})
        far = max(found.values()) + 1
        found.update(dict.fromkeys(layer, far))
    return found


def test_every_distance_of_a_line_is_true() -> None:
    truth = distances("tiles:2x3")
    puzzle = get_puzzle("tiles:2x3")
    rng = random.Random(27)
    for number in instances(range(60), 8):
        state = start = rng.choice(list(truth))
        line = []
        for _ in range(12):
            move, state = rng.choice(list(puzzle.successors(state, puzzle.move_set(None).moves)))
            line.append(move)
        found = analyse(ask(puzzle="tiles:2x3", state=list(start), line=" ".join(line), heuristic="manhattan * 1.4"))
        h = get_heuristic("manhattan * 1.4", puzzle, puzzle.move_set(None))
        here = start
        for position, made in zip(found.line, [None, *line], strict=True):
            here = here if made is None else puzzle.apply_alg(here, [made])
            assert (position.move, position.distance) == (made, truth[here])
            assert position.h == h(here)
            assert bytes(position.state["tiles"]) == here
        first = next((n for n, at in enumerate(found.line) if at.h > (at.distance or 0) + 1e-9), None)
        assert found.overestimates == first
        assert (found.length, found.optimality) == (truth[start], "proven"), number


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_layers_are_those_of_plain_python(heuristic: str) -> None:
    puzzle = get_puzzle("8-puzzle")
    for seed in instances(range(20), 3):
        request = ask(puzzle="8-puzzle", scramble={"k": 16, "seed": seed}, heuristic=heuristic)
        found = analyse(request)
        start = prepare(request).state
        moves = puzzle.move_set(None)
        h = get_heuristic(heuristic, puzzle, moves)
        fs: list[float] = []

        def watch(state: bytes, parent: bytes | None, move: str | None, g: int, h: float, fs: list[float] = fs) -> None:
            fs.append(g + h)

        reference.astar(puzzle, start, moves.moves, h, watch=watch)
        assert {layer.f: layer.expanded for layer in found.search.layers} == Counter(fs)
        assert found.search.counters.expanded == len(fs)


def test_a_search_that_stops_says_in_which_layer() -> None:
    found = analyse(
        ask(
            puzzle="15-puzzle",
            scramble={"k": 200, "seed": 1},
            heuristic="misplaced_tiles",
            line="",
            limits={"expanded": 5000},
        )
    )
    assert (found.search.outcome, found.search.limit, found.search.length) == ("limit_reached", "expanded", None)
    assert sum(layer.expanded for layer in found.search.layers) == found.search.counters.expanded == 5000
    (start,) = found.line
    assert start.distance is None
    assert start.lower_bound is not None
    assert start.lower_bound <= 200


def test_the_optimum_is_written_in_ones_own_names() -> None:
    puzzle = get_puzzle("megaminx")
    own = {face["name"]: f"side{number}" for number, face in enumerate(puzzle.describe()["faces"])}
    labels = {
        "neighbours": {own[f["name"]]: [own[n] for n in f["neighbours"]] for f in puzzle.describe()["faces"]},
        "anchors": {name: face for face, name in own.items()},
    }
    start = {"puzzle": "megaminx", "moves": "ccw"}
    plain = analyse(ask(**start, alg="U U F"))
    named = analyse(ask(**start, alg=f"{own['U']} {own['U']} {own['F']}", labels=labels))
    colours = analyse(ask(**start, alg="U U F", notation="colours"))
    turned = analyse(ask(**start, alg="U U F", notation="colours", line="F' white'"))
    assert plain.solution == ["F'", "U'", "U'"]
    assert named.solution == [f"{own['F']}'", f"{own['U']}'", f"{own['U']}'"]
    assert [at.move for at in named.line] == [at.move for at in plain.line]
    assert [at.written for at in named.line][1:] == named.solution
    assert colours.solution == ["green'", "white'", "white'"]
    # A turn by hand is written in our names.
    assert [at.move for at in turned.line] == [None, "F'", "U'"]


def test_a_true_trace_has_no_faults_and_its_layers_are_ours() -> None:
    puzzle = get_puzzle("8-puzzle")
    moves = puzzle.move_set(None)
    h = get_heuristic("manhattan", puzzle, moves)
    start = prepare(ask(puzzle="8-puzzle", scramble={"k": 14, "seed": 3})).state
    paths = {start: ""}
    lines = ["g;h;f;moves"]

    def watch(state: bytes, parent: bytes | None, move: str | None, g: int, value: float) -> None:
        if parent is not None:
            paths[state] = f"{paths[parent]} {move}".strip()
        lines.append(f"{g};{value:g};{g + value:g};{paths[state]}")

    ended = reference.astar(puzzle, start, moves.moves, h, watch=watch)
    given = {"puzzle": "8-puzzle", "scramble": {"k": 14, "seed": 3}, "heuristic": "manhattan"}
    found = analyse(ask(**given, trace="\n".join(lines)))
    assert found.trace is not None
    assert (found.trace.faults, found.trace.rows, found.trace.checked) == ([], ended.expanded, ended.expanded)
    assert all(layer.expanded == layer.own for layer in found.search.layers)
    assert [(one.what, one.claimed, one.judged.judgement) for one in found.counting] == [
        ("expanded", ended.expanded, "true")
    ]
    # One wrong value is found in its row.
    lines[2] = lines[2].replace(";", ";1", 1)
    wrong = analyse(ask(**given, trace="\n".join(lines))).trace
    assert wrong is not None
    assert {(fault.row, fault.kind) for fault in wrong.faults} >= {(2, "f"), (2, "h")}


@pytest.mark.parametrize(
    ("text", "rows", "columns"),
    [
        ("g,h\n0,3\n1,2\n", [(0, 3), (1, 2)], {"g": "g", "h": "h"}),
        ("Tiefe;Heuristik\n0;2,5\n", [(0, 2.5)], {"Tiefe": "g", "Heuristik": "h"}),
        ("0 3\n1 2\n", [(0, 3), (1, 2)], {"0": "g", "1": "h"}),
        ("5\t0\t5\n4\t1\t5\n", [(0, 5), (1, 4)], {"1": "g", "0": "h", "2": "f"}),
        ('[{"g": 0, "h": 3, "move": "U"}]', [(0, 3)], {"g": "g", "h": "h"}),
        ('{"g": 0, "h": 3}\n{"g": 1, "h": 2}\n', [(0, 3), (1, 2)], {"g": "g", "h": "h"}),
        ('{"nodes": [{"depth": 0, "heuristic": 3}]}', [(0, 3)], {"depth": "g", "heuristic": "h"}),
    ],
)
def test_traces_are_read_as_people_write_them(
    text: str, rows: list[tuple[float, float]], columns: dict[str, str]
) -> None:
    found = traces.read(text)
    assert [(row.g, row.h) for row in found.rows] == rows
    assert found.columns == columns


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no rows"),
        ("colour,sound\nred,loud\n", "needs a column g"),
        ("g,h\nx,y\n", "not a number"),
        ("[1, 2]", "object"),
    ],
)
def test_a_trace_that_cannot_be_read_says_why(text: str, says: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        traces.read(text)
    (fault,) = caught.value.faults
    assert fault.where == "/trace"
    assert says in fault.message


def test_a_count_of_a_long_search_stands_among_those_of_the_service() -> None:
    """Too long for every convention in Python: the three ways to break ties are there, and said in words."""
    given: dict[str, Any] = {"puzzle": "8-puzzle", "scramble": {"k": 40, "seed": 2}, "heuristic": "zero"}
    counts = [
        search.solve(
            search.prepare(search.SolveRequest.model_validate({**given, "tie_breaking": ties}))
        ).counters.expanded
        for ties in ("low_h", "lifo", "fifo")
    ]
    (found,) = analyse(ask(**given, counts={"expanded": max(counts) + 7})).counting
    assert found.judged.judgement == "possible"
    assert [one.count for one in found.spread] == sorted(set(counts))
    assert found.nearest is not None
    assert found.nearest_count == max(counts)
    assert found.nearest.ties == ("low_h", "lifo", "fifo")[counts.index(max(counts))]
    assert f"ties broken {TIES[found.nearest.ties]}" in str(found.nearest_in_words)
    assert f"{counts[1]:,} with ties latest first" in found.judged.reason
    assert "lifo" not in found.judged.reason


def test_a_line_that_cannot_be_followed_names_its_move() -> None:
    with pytest.raises(InvalidRequest, match="the line cannot be followed") as caught:
        prepare(ask(puzzle="megaminx", alg="U", line="F X"))
    assert caught.value.faults[0].where.startswith("/line")


def test_it_can_be_stopped() -> None:
    control = Control()
    control.cancel()
    with pytest.raises(Stopped):
        analyse(ask(puzzle="8-puzzle", alg="U L"), control)
