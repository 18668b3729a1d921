"""First solutions one orbit after another, of puzzles that are made here from their geometry or their groups.

Every solution is replayed on the points of the definition, which know no pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import factorial
from pathlib import Path
from random import Random

import pytest

from hstar.groups.permutation_group import group_order
from hstar.puzzles import get_puzzle, puzzle_from_definition, random_state
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.base import State
from hstar.puzzles.formats import read_any_definition
from hstar.puzzles.permutation import PermutationPuzzle
from hstar.puzzles.symmetry import symmetries
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import Control, plans, prepare, solve
from hstar.search.anytime import alike
from hstar.search.anytime.orbit_by_orbit import OrbitByOrbit, OrbitSettings
from hstar.search.anytime.orbit_by_orbit.stages import Cycled, Listed
from hstar.search.control import Stopped
from hstar.search.methods import constructive
from tests.conftest import TEST_ALL

Rows = dict[str, list[int]]


def dodecahedron(name: str) -> Rows:
    """Face turns of a dodecahedron as permutations of points, corners first.

    Of a Pentultimate a turn takes half of the corners, and of the centres; of a Pyraminx Crystal the corners of the
    face, its edges and those that leave it.
    """
    model = get_puzzle("megaminx")
    assert isinstance(model, PermutationPuzzle)
    near = model.face_neighbours
    faces = list(near)
    sides = [(slot, facelet) for slot in range(20) for facelet in range(3)]
    edges = [(a, b) for a in faces for b in near[a]]
    rows: Rows = {}
    for symmetry, shift in product(symmetries(model, model.move_set(None)), range(3)):
        # Turning every corner commutes with all moves, so the corners of a symmetry are known up to that.
        images = [image - image % 3 + (image + shift) % 3 for image in map(int, symmetry.images[0])]
        seen = {
            (model.slot_faces[slot][facelet], model.slot_faces[sides[image][0]][sides[image][1]])
            for (slot, facelet), image in zip(sides, images, strict=True)
        }
        if len(seen) > 12:
            continue
        moved = dict(seen)
        for face in faces:
            around = near[face]
            if [moved[side] for side in around] != [*around[1:], around[0]]:
                continue
            cap = {face, *around}
            if name == "pentultimate":
                turned = [len(cap & set(model.slot_faces[slot])) >= 2 for slot, _ in sides]
                others = [faces.index(moved[f]) if f in cap else i for i, f in enumerate(faces)]
            else:
                turned = [face in model.slot_faces[slot] for slot, _ in sides]
                others = [edges.index((moved[a], moved[b])) if {a, b} <= cap else i for i, (a, b) in enumerate(edges)]
            rows[face] = [images[i] if turned[i] else i for i in range(60)] + [60 + other for other in others]
    assert len(rows) == 12
    return rows


def discs() -> Rows:
    """Two moves of 7 points, on which they make the 168 permutations of PSL(2, 7), and of 11 others."""
    plane = {"a": [1, 2, 3, 4, 5, 6, 0], "b": [0, 2, 1, 6, 4, 5, 3]}
    assert group_order(list(plane.values())) == 168
    random = Random(4)
    return {name: [*row, *(7 + i for i in random.sample(range(11), 11))] for name, row in plane.items()}


def blocks() -> Rows:
    """Seven blocks of four points each that move and turn as tetrahedra do, in twelve ways."""
    even = [p for p in product(range(4), repeat=4) if len(set(p)) == 4 and _even(p)]
    random, rows = Random(1), {}
    for name in ("a", "b", "c"):
        order, turned = random.sample(range(7), 7), [random.choice(even) for _ in range(7)]
        rows[name] = [4 * order[i] + turned[i][k] for i in range(7) for k in range(4)]
    return rows


def _even(p: tuple[int, ...]) -> bool:
    return sum(p[i] > p[j] for j in range(len(p)) for i in range(j)) % 2 == 0


def rows_of(name: str) -> Rows:
    if name in ("pentultimate", "crystal"):
        return dodecahedron(name)
    return discs() if name == "discs" else blocks()


#: the slots of each part and the places of each slot, and the most moves of a solution
EXPECTED = {
    "pentultimate": ([(12, 1), (20, 3)], 400),
    "crystal": ([(20, 3), (30, 2)], 2_800),
    "discs": ([(7, 1), (11, 1)], 3_000),
    "blocks": ([(7, 4)], 6_000),
}


def posted(name: str) -> PermutationPuzzle:
    return puzzle_from_definition(read_any_definition({"generators": rows_of(name)}, name))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Folder]:
    with looking_in(Folder(tmp_path)):
        yield Folder(tmp_path)


@pytest.mark.parametrize("name", EXPECTED)
def test_random_states_are_solved(name: str) -> None:
    puzzle, rows = posted(name), rows_of(name)
    parts, most = EXPECTED[name]
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    assert sorted((part.slots, part.size) for part in ways.group.parts) == parts
    for seed in range(30 if TEST_ALL else 4):
        state = random_state(puzzle, seed)
        alg = ways.solve(state)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved
        assert len(alg) <= most
        points = [int(point) for point in puzzle.format_state(state)["points"]]
        for move in alg:
            points = _turned(rows, points, move)
        assert points == sorted(points)


def _turned(rows: Rows, points: list[int], move: str) -> list[int]:
    """The points after a move: a generator, its power or the inverse of these, as the names of moves say."""
    name = move.rstrip("'0123456789").strip("()")
    row, times = rows[name], int("".join(c for c in move[len(name) :] if c.isdigit()) or 1)
    for _ in range(times):
        if move.endswith("'"):
            after = list(points)
            for i, source in enumerate(row):
                after[source] = points[i]
            points = after
        else:
            points = [points[source] for source in row]
    return points


def test_parts_without_cycles_of_three_are_listed_and_come_first() -> None:
    puzzle = posted("discs")
    first, second = OrbitByOrbit(puzzle, puzzle.move_set(None)).stages.all
    assert isinstance(first, Listed)
    assert len(first.known) == 168
    assert isinstance(second, Cycled)


@pytest.mark.parametrize("name", ["pentultimate", "crystal"])
def test_cycles_do_what_they_say(name: str) -> None:
    """They take one place to the next, and touch three slots of their part and none of those before."""
    puzzle = posted(name)
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    random, before = Random(3), list[Cycled]()
    for stage in ways.stages.all:
        assert isinstance(stage, Cycled)
        part = stage.part
        for _ in range(20):
            slots = random.sample(range(part.slots), 3)
            a, b, c = (slot * part.size + random.randrange(part.size) for slot in slots)
            if stage.far[(a * part.number + b) * part.number + c] < 0:
                continue
            element = stage.cycle(a, b, c)
            own = part.of(element.images)
            assert (own[a], own[b], own[c]) == (b, c, a)
            assert {i // part.size for i, image in enumerate(own.tolist()) if i != image} == set(slots)
            assert (ways.group.do(element.word) == element.images).all()
            for earlier in before:
                assert (earlier.part.of(element.images) == range(earlier.part.number)).all()
        before.append(stage)


def test_a_part_that_follows_from_another_needs_no_words() -> None:
    """Eight pieces, and eight that the same moves permute alike."""
    rows = {"a": [1, 2, 3, 4, 0, 5, 6, 7], "b": [0, 1, 2, 3, 5, 6, 7, 4]}
    other = Random(2).sample(range(8), 8)
    copies = {name: [other[row[other.index(i)]] for i in range(8)] for name, row in rows.items()}
    definition = {
        "name": "linked",
        "orbits": [{"orbitName": name, "numPieces": 8, "numOrientations": 1} for name in "PQ"],
        "defaultPattern": {name: {"pieces": list(range(8)), "orientation": [0] * 8} for name in "PQ"},
        "moves": {
            name: {
                orbit: {"permutation": both[name], "orientationDelta": [0] * 8}
                for orbit, both in (("P", rows), ("Q", copies))
            }
            for name in rows
        },
    }
    puzzle = puzzle_from_definition(read_any_definition(definition, "linked"))
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    assert (len(ways.group.parts), len(ways.stages.all)) == (2, 1)
    for seed in range(5):
        state = random_state(puzzle, seed)
        alg = ways.solve(state)
        assert alg is not None
        assert puzzle.apply_alg(state, alg) == puzzle.solved


def test_what_no_moves_reach_is_not_solved() -> None:
    """One corner turned, and two centres swapped."""
    puzzle = posted("pentultimate")
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None))
    corner = next(orbit for orbit in puzzle.orbits if orbit.orientations == 3)
    centre = next(orbit for orbit in puzzle.orbits if orbit.orientations == 1)
    turned, swapped = list(puzzle.contents(puzzle.solved)), list(puzzle.contents(puzzle.solved))
    turned[corner.first] += 1
    one, two = centre.first, centre.first + 1
    swapped[one], swapped[two] = swapped[two], swapped[one]
    assert ways.solve(puzzle.state_of(turned)) is None
    assert ways.solve(puzzle.state_of(swapped)) is None


@pytest.mark.parametrize("name", ["pentultimate", *(["crystal", "discs"] if TEST_ALL else [])])
def test_every_definition_has_its_answer(folder: Folder, name: str) -> None:
    folder.add(read_any_definition({"generators": rows_of(name)}, name))
    asked = {"puzzle": name, "random": 1, "algorithm": "anytime", "limits": {"expanded": 1_000}}
    found = solve(prepare(SolveRequest.model_validate(asked)))
    assert found.status == "solved"
    again = solve(prepare(SolveRequest.model_validate(asked)))
    assert (again.solution, again.counters) == (found.solution, found.counters)


@pytest.mark.parametrize("colours", [[0, 0, 1, 1, 2, 2, 2, *[3] * 4, *[4] * 4, *[5] * 3], [*range(7), *[7] * 10, 8]])
def test_pieces_that_look_alike_are_told_apart(colours: list[int]) -> None:
    """Also where few of the ways to tell them apart can be reached: 168 of 5,040 of the first seven."""
    puzzle = puzzle_from_definition(read_any_definition({"generators": discs(), "central_state": colours}, "coloured"))
    assert puzzle.twin is not None
    ways = OrbitByOrbit(puzzle.twin, puzzle.twin.move_set(None))
    for seed in range(30 if TEST_ALL else 5):
        state = random_state(puzzle, seed)
        alg = ways.solve_alike(puzzle, state)
        assert alg is not None
        points = [int(point) for point in puzzle.format_state(state)["points"]]
        for move in alg:
            points = _turned(discs(), points, move)
        assert points == colours


def test_a_state_that_words_do_not_solve_has_no_answer() -> None:
    """Seven points that are not listed and have no cycles of three, beside eleven that have."""
    puzzle = posted("discs")
    ways = OrbitByOrbit(puzzle, puzzle.move_set(None), OrbitSettings(listed=1, tries=3))
    assert ways.stages.solved == [1]
    assert [ways.solve(random_state(puzzle, seed)) for seed in range(4)] == [None] * 4


def test_a_piece_that_only_turns_is_solved_by_the_words_before_the_others() -> None:
    """Of two pieces with four orientations one shows only two, and the other does not turn. Two other pieces look
    alike, so that a first word may leave it half a turn away."""
    definition = {
        "name": "turning",
        "orbits": [
            {"orbitName": "P", "numPieces": 5, "numOrientations": 1},
            {"orbitName": "Q", "numPieces": 2, "numOrientations": 4},
        ],
        "defaultPattern": {
            "P": {"pieces": [0, 0, 1, 2, 3], "orientation": [0] * 5},
            "Q": {"pieces": [0, 1], "orientation": [0, 0], "orientationMod": [2, 0]},
        },
        "moves": {
            "a": {
                "P": {"permutation": [1, 2, 3, 4, 0], "orientationDelta": [0] * 5},
                "Q": {"permutation": [0, 1], "orientationDelta": [0, 0]},
            },
            "b": {
                "P": {"permutation": [1, 0, 2, 3, 4], "orientationDelta": [0] * 5},
                "Q": {"permutation": [0, 1], "orientationDelta": [1, 0]},
            },
        },
    }
    puzzle = puzzle_from_definition(read_any_definition(definition, "turning"))
    assert puzzle.twin is not None
    found = {1: 0, 60: 0}
    for tries, seed in product(found, range(8)):
        ways = OrbitByOrbit(puzzle.twin, puzzle.twin.move_set(None), OrbitSettings(tries=tries))
        state = random_state(puzzle, seed)
        if (alg := ways.solve_alike(puzzle, state)) is not None:
            assert puzzle.apply_alg(state, alg) == puzzle.solved
            found[tries] += 1
    assert found[1] < found[60] == 8


def test_words_that_tell_pieces_apart_are_an_answer(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are offered before any other words are looked for, and replayed once."""
    control, before, replayed = Control(), list[object](), list[Sequence[str]]()
    replay = PermutationPuzzle.apply_alg

    def noted(puzzle: PermutationPuzzle, state: State, alg: Sequence[str]) -> State:
        replayed.append(tuple(alg))
        return replay(puzzle, state, alg)

    def none(*_: object) -> None:
        before.append(control.best)
        raise Stopped

    monkeypatch.setattr(alike, "told_apart", lambda *_: None)
    monkeypatch.setattr(constructive, "chains_of", none)
    rows = {"generators": discs(), "central_state": [*range(7), *[7] * 10, 8]}
    folder.add(read_any_definition(rows, "coloured"))
    asked = {"puzzle": "coloured", "random": 1, "algorithm": "constructive", "limits": {"expanded": 1_000}}
    problem = prepare(SolveRequest.model_validate(asked))
    monkeypatch.setattr(PermutationPuzzle, "apply_alg", noted)
    found = solve(problem, control)
    assert found.status == "solved"
    assert before[0] is not None
    assert replayed.count(tuple(found.solution or ())) == 1


def test_more_slots_than_a_9x9x9_has() -> None:
    """28 orbits of 20 pieces, each with two moves of its own; the state is replayed without hstar."""
    threes = [range(0, 18, 3), range(2, 20, 3)]
    moves, own = {}, [f"O{number}" for number in range(28)]
    for orbit, (number, firsts) in product(own, enumerate(threes)):
        row = list(range(20))
        for a in firsts:
            row[a : a + 3] = row[a + 1], row[a + 2], row[a]
        moves[f"{orbit}{'ab'[number]}"] = {orbit: {"permutation": row, "orientationDelta": [0] * 20}}
    definition = {
        "name": "wide",
        "orbits": [{"orbitName": name, "numPieces": 20, "numOrientations": 1} for name in own],
        "defaultPattern": {name: {"pieces": list(range(20)), "orientation": [0] * 20} for name in own},
        "moves": moves,
    }
    puzzle = puzzle_from_definition(read_any_definition(definition, "wide"))
    assert len(puzzle.orientations) == 560
    assert puzzle.group(puzzle.move_set(None)).order == (factorial(20) // 2) ** 28
    state = random_state(puzzle, 1)
    held = {name: content["pieces"] for name, content in puzzle.format_state(state)["pieces"].items()}
    alg = OrbitByOrbit(puzzle, puzzle.move_set(None)).solve(state)
    assert alg is not None
    for move in alg:
        name = move.rstrip("'")
        source = moves[name][name[:-1]]["permutation"]
        for _ in range(2 if move[-1] == "'" else 1):  # of order 3
            held[name[:-1]] = [held[name[:-1]][i] for i in source]
    assert all(pieces == list(range(20)) for pieces in held.values())


#: by move and orbit the permutation and the turns; 230,400 states, whose only words for RING are long powers of C
_FEW: dict[str, dict[str, tuple[list[int], list[int]]]] = {
    "A": {"PAIR": ([1, 0], [1, 1])},
    "B": {"PAIR": ([1, 0], [0, 1]), "THREE": ([1, 2, 0], [1, 3, 0])},
    "C": {
        "THREE": ([1, 2, 0], [1, 0, 0]),
        "RING": (
            [1, 23, 17, 3, 4, 5, 19, 6, 18, 9, 10, 16, 0, 8, 14, 13, 12, 11, 2, 15, 20, 21, 22, 7],
            [2, 1, 3, 1, 0, 0, 4, 0, 3, 1, 0, 0, 0, 3, *[0] * 10],
        ),
    },
    "D": {"PAIR": ([1, 0], [1, 0]), "THREE": ([2, 1, 0], [0, 0, 0])},
}


def test_few_states_are_searched_before_words_are_found(tmp_path: Path) -> None:
    orbits = {"PAIR": (2, 2), "THREE": (3, 4), "RING": (24, 5)}
    definition = {
        "name": "few",
        "orbits": [{"orbitName": o, "numPieces": n, "numOrientations": m} for o, (n, m) in orbits.items()],
        "defaultPattern": {o: {"pieces": list(range(n)), "orientation": [0] * n} for o, (n, _) in orbits.items()},
        "moves": {
            move: {o: {"permutation": places, "orientationDelta": turns} for o, (places, turns) in own.items()}
            for move, own in _FEW.items()
        },
    }
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition(definition, "few"))
        problem = prepare(SolveRequest(puzzle="few", random=69, algorithm="anytime", limits=LimitsIn(seconds=60)))
        result = solve(problem)
    assert (problem.puzzle.state_count, result.optimality) == (230_400, "proven")
    assert result.counters.expanded < 230_400
    assert result.solution is not None
    assert problem.puzzle.apply_alg(problem.start, result.solution) == problem.puzzle.solved
    assert plans.anytime(problem)[0].method == "bidirectional"
    cube = prepare(SolveRequest(puzzle="3x3x3", alg="", algorithm="anytime"))
    assert "bidirectional" not in [step.method for step in plans.anytime(cube)[:1]]
