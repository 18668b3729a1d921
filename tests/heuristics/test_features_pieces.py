"""Exact distances of single pieces, compared with searches that follow one piece through turns of the whole puzzle."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hstar.errors import InvalidExpression
from hstar.features import make_feature
from hstar.features.base import MaximumFeature, TableFeature
from hstar.features.tables import empty_table
from hstar.heuristics import get_heuristic
from hstar.puzzles import get_puzzle, make_scramble
from hstar.puzzles.permutation import PermutationPuzzle

MOVE_SETS = [
    *(("megaminx", name) for name in ("ccw", "all")),
    *(("master_pyraminx", name) for name in ("cw12", "layers32", "physical24")),
]
Place = tuple[int, int]  # slot and value
FAR = 10**6


def permutation_puzzle(name: str) -> PermutationPuzzle:
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    return puzzle


@cache
def alone(name: str, moves: str) -> dict[Place, set[Place]]:
    """The places of a single piece, and the places to which one move takes it from each: found by turning whole
    puzzles, one for each place of each piece, and locating the piece."""
    puzzle = permutation_puzzle(name)
    graph: dict[Place, set[Place]] = {}
    for orbit in puzzle.orbits:
        for home in orbit.slots:
            shown = {(home, puzzle.solved[home]): puzzle.solved}
            queue = list(shown)
            for place in queue:
                state = shown[place]
                graph[place] = set()
                for move in puzzle.moves:
                    after = puzzle.turned(state, move)
                    piece = puzzle.solved[home] // orbit.orientations
                    there = next((s, after[s]) for s in orbit.slots if after[s] // orbit.orientations == piece)
                    if there not in shown:
                        shown[there] = after
                        queue.append(there)
                    if move in puzzle.move_sets[moves].moves:
                        graph[place].add(there)
    return graph


def fewest(graph: dict[Place, set[Place]], homes: set[Place]) -> dict[Place, int]:
    """Moves from each place to the nearest of ``homes``, by relaxing all edges until nothing changes."""
    found = {place: 0 if place in homes else FAR for place in graph}
    changed = True
    while changed:
        changed = False
        for place, reached in graph.items():
            least = min((found[after] + 1 for after in reached), default=FAR)
            if least < found[place]:
                found[place] = least
                changed = True
    return found


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_every_piece_in_every_place(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    graph = alone(name, moves)
    expected = fewest(graph, {(slot, value) for slot, value in enumerate(puzzle.solved)})
    reachable = {place for place in expected if expected[place] < FAR}
    seen = 0
    for orbit in puzzle.orbits:
        for prefix, kind in (("", TableFeature), ("max_", MaximumFeature)):
            feature = make_feature(puzzle, f"{prefix}{orbit.one}_moves", (moves,))
            assert isinstance(feature, kind)
            table = feature.table
            assert not table[[s for s in range(len(puzzle.solved)) if s not in orbit.slots]].any()
            for slot in orbit.slots:
                for value in range(orbit.pieces * orbit.orientations):
                    if (slot, value) in reachable:
                        assert table[slot, value] == expected[slot, value]
                        seen += 1
                    else:
                        assert table[slot, value] == 0
            greatest = max(expected[place] for place in reachable if place[0] in orbit.slots)
            assert feature.high == (greatest if prefix else greatest * orbit.pieces)
    assert seen == 2 * len(reachable)
    # S3's move set keeps tips and axials at their corners; the others can bring every piece home from everywhere
    assert (len(reachable) < len(graph)) == (moves in ("cw12", "physical24"))


@pytest.mark.parametrize(("name", "moves"), [("megaminx", "ccw"), ("master_pyraminx", "cw12")])
def test_every_facelet_in_every_place(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    graph = alone(name, moves)
    expected = np.zeros_like(empty_table(puzzle))
    first = {slot: orbit.first for orbit in puzzle.orbits for slot in orbit.slots}

    def face(place: Place, facelet: int) -> str:
        """The face on which a piece's facelet lies, after the module docstring of permutation.py."""
        shown = puzzle.slot_faces[place[0]]
        return shown[(facelet + place[1] % puzzle.orientations[place[0]]) % len(shown)]

    def colour(place: Place, facelet: int) -> str:
        home = first[place[0]] + place[1] // puzzle.orientations[place[0]]
        return puzzle.slot_faces[home][facelet]

    for facelet in range(3):
        places = {place for place in graph if facelet < len(puzzle.slot_faces[place[0]])}
        homes = {place for place in places if face(place, facelet) == colour(place, facelet)}
        for place, moves_home in fewest({p: graph[p] for p in places}, homes).items():
            expected[place] += moves_home if moves_home < FAR else 0
    feature = make_feature(puzzle, "facelet_moves", (moves,))
    assert isinstance(feature, TableFeature)
    assert (feature.table == expected).all()
    # 0 exactly if every facelet has its face's colour
    misplaced = make_feature(puzzle, "misplaced_facelets", ())
    assert isinstance(misplaced, TableFeature)
    assert all((feature.table[place] > 0) == (misplaced.table[place] > 0) for place in graph)


def test_what_s2_took_for_seven() -> None:
    """A facelet on the opposite face is 7 counter-clockwise turns from home on an edge, but 3 on a corner."""
    puzzle = permutation_puzzle("megaminx")
    graph = alone("megaminx", "ccw")
    opposite = {"U": "D", "F": "B", "L": "DR", "R": "DL", "BL": "FR", "BR": "FL"}
    opposite |= {far: near for near, far in opposite.items()}
    for orbit, turns in zip(puzzle.orbits, (3, 7), strict=True):
        piece = {p: reached for p, reached in graph.items() if p[0] in orbit.slots and p[1] // orbit.orientations == 0}
        colour = puzzle.slot_faces[orbit.first][0]
        lies = {(slot, value): puzzle.slot_faces[slot][value] for slot, value in piece}  # piece 0, facelet 0
        found = fewest(piece, {place for place in piece if lies[place] == colour})
        assert {found[place] for place in piece if lies[place] == opposite[colour]} == {turns}


algs = st.lists(st.integers(0, 47), max_size=60)


@given(algs, st.sampled_from(MOVE_SETS))
def test_sums_and_maxima_of_whole_puzzles(alg: list[int], chosen: tuple[str, str]) -> None:
    name, moves = chosen
    puzzle = permutation_puzzle(name)
    state = puzzle.apply_alg(puzzle.solved, [puzzle.moves[i % len(puzzle.moves)] for i in alg])
    for orbit in puzzle.orbits:
        total = get_heuristic(f'{orbit.one}_moves("{moves}")', puzzle)
        greatest = get_heuristic(f'max_{orbit.one}_moves("{moves}")', puzzle)
        (feature,) = total.expression.features
        assert isinstance(feature, TableFeature)
        each = [int(feature.table[slot, state[slot]]) for slot in orbit.slots]
        assert total(state) == total.kernel.evaluate(state) == sum(each)
        assert greatest(state) == greatest.kernel.evaluate(state) == max(each)


#: how much one move of a set can lower each feature: the number of pieces of the orbit that it touches
TOUCHED = {
    ("megaminx", "ccw"): {"corner": 5, "edge": 5},
    ("megaminx", "all"): {"corner": 5, "edge": 5},
    ("master_pyraminx", "cw12"): {"tip": 1, "axial": 1, "edge": 3, "wing": 3, "centre": 3},
    ("master_pyraminx", "layers32"): {"tip": 3, "axial": 3, "edge": 3, "wing": 6, "centre": 3},
    ("master_pyraminx", "physical24"): {"tip": 1, "axial": 1, "edge": 3, "wing": 6, "centre": 3},
}


@pytest.mark.parametrize(("name", "moves"), MOVE_SETS)
def test_a_move_brings_each_piece_it_touches_one_nearer(name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    chosen = puzzle.move_sets[moves].moves
    for piece, touched in TOUCHED[name, moves].items():
        assert make_feature(puzzle, f"{piece}_moves", (moves,)).change(chosen)[0] == touched
        assert make_feature(puzzle, f"max_{piece}_moves", (moves,)).change(chosen)[0] == 1


NAMED = [
    ("piece-moves", "megaminx", "ccw"),
    ("piece-moves-any", "megaminx", "all"),
    ("piece-moves-any", "megaminx", "cw"),
    ("farthest-piece", "megaminx", "ccw"),
    ("facelet-moves", "megaminx", "ccw"),
    ("piece-moves", "master_pyraminx", "layers32"),
    ("piece-moves", "master_pyraminx", "physical24"),
    ("layer-moves", "master_pyraminx", "cw12"),
]


@pytest.mark.parametrize(("text", "name", "moves"), NAMED)
def test_named_heuristics_are_proven_and_stay_below_true_distances(text: str, name: str, moves: str) -> None:
    puzzle = permutation_puzzle(name)
    heuristic = get_heuristic(text, puzzle)
    chosen = puzzle.move_sets[moves]
    assert heuristic.verdicts(chosen).consistent == "proven"
    distance, layer = {puzzle.solved: 0}, [puzzle.solved]
    for depth in (1, 2):
        layer = sorted(
            {puzzle.turned(s, puzzle.inverse(m)) for s in layer for m in chosen.moves} - distance.keys()
        )  # fmt: skip
        distance |= dict.fromkeys(layer, depth)
    assert all(heuristic(state) <= d for state, d in distance.items())
    assert any(heuristic(state) == 2 for state in layer)
    random = Random(text + moves)
    for _ in range(20):
        state = puzzle.apply_alg(puzzle.solved, make_scramble(puzzle, 40, random.getrandbits(60)).alg)
        before = heuristic(state)
        assert before == heuristic.kernel.evaluate(state)
        assert all(before <= 1 + heuristic(after) for _, after in puzzle.successors(state, chosen.moves))


VERDICTS = {
    ("piece-moves", "megaminx"): {"cw": "refuted", "ccw": "proven", "single": "refuted", "all": "refuted"},
    ("piece-moves-any", "megaminx"): {"cw": "proven", "ccw": "proven", "single": "proven", "all": "proven"},
    ("farthest-piece", "megaminx"): {"cw": "refuted", "ccw": "proven", "single": "refuted", "all": "refuted"},
    ("facelet-moves", "megaminx"): {"cw": "refuted", "ccw": "proven", "single": "refuted", "all": "refuted"},
    ("max(corner_moves // 5, edge_moves // 5)", "megaminx"): {
        "cw": "refuted", "ccw": "proven", "single": "refuted", "all": "refuted",
    },
    ('ceil(edge_moves("single") / 5)', "megaminx"): {
        "cw": "proven", "ccw": "proven", "single": "proven", "all": "refuted",
    },
    ("piece-moves", "master_pyraminx"): {
        "cw12": "proven", "ccw12": "proven", "layers32": "proven", "physical24": "proven",
    },
    ("layer-moves", "master_pyraminx"): {
        "cw12": "proven", "ccw12": "refuted", "layers32": "refuted", "physical24": "refuted",
    },
}  # fmt: skip


@pytest.mark.parametrize(("text", "name"), VERDICTS)
def test_verdicts_by_move_set(text: str, name: str) -> None:
    puzzle = permutation_puzzle(name)
    heuristic = get_heuristic(text, puzzle)
    verdicts = {m.name: heuristic.verdicts(m) for m in puzzle.move_sets.values()}
    assert {m: v.admissible for m, v in verdicts.items()} == VERDICTS[text, name]
    for verdict in verdicts.values():
        if verdict.counterexample is not None:
            state = puzzle.apply_alg(puzzle.solved, verdict.counterexample)
            assert heuristic(state) > len(verdict.counterexample)


def test_a_piece_that_never_comes_home_counts_nothing() -> None:
    puzzle = permutation_puzzle("master_pyraminx")
    state = puzzle.apply_alg(puzzle.solved, ["D"])
    assert get_heuristic('tip_moves("cw12")', puzzle)(state) == 0
    assert get_heuristic("tip_moves", puzzle)(state) == 3


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        ('corner_moves("turns")', "megaminx", 'one of "cw", "ccw", "single", "all"'),
        ("corner_moves(1)", "megaminx", "corner_moves or corner_moves"),
        ('max_edge_moves("cw", "ccw")', "megaminx", "max_edge_moves or max_edge_moves"),
        ('facelet_moves("cw")', "master_pyraminx", 'one of "cw12"'),
        ("wing_moves", "megaminx", "corner_moves, max_corner_moves"),
        ("max_facelet_moves", "megaminx", "facelet_moves"),
        ("corner_moves", "8-puzzle", "one of manhattan"),
    ],
)
def test_refusals(text: str, name: str, says: str) -> None:
    with pytest.raises(InvalidExpression) as caught:
        get_heuristic(text, get_puzzle(name))
    assert says in caught.value.expected
