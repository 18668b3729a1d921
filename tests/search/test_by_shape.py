"""Puzzles with forbidden moves, solved by way of their shapes (`hstar.search.anytime.shapes`)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import hstar
from bench.definitions.replay import read
from hstar.errors import InvalidRequest
from hstar.puzzles import DefinedPuzzle, added_puzzle, get_puzzle, puzzle_from_definition
from hstar.puzzles.formats import read_any_definition
from hstar.search.anytime.shapes import shortened, ways_of
from hstar.search.anytime.shapes.graph import Shapes
from tests.conftest import SEED, TEST_ALL


def layers(size: int, half: int, wide: list[int], more: str = "") -> str:
    """Two layers of so many slots, and a slash that exchanges their first halves while no second half of a wide piece
    is at a cut. Wide pieces begin in these slots; in the file pieces and slots count from 1."""
    slots = list(range(2 * size))
    rest = [piece for piece in slots if piece - 1 not in wide]
    solved = [rest.index(piece) + 1 if piece in rest else len(rest) + 1 for piece in slots]
    turns = {
        "U": [size - 1, *slots[: size - 1], *slots[size:]],
        "D": [*slots[:size], 2 * size - 1, *slots[size:-1]],
        "S": [*slots[size : size + half], *slots[half:size], *slots[:half], *slots[size + half :]],
    }
    lines = ["Name two", f"Set SLICE {2 * size} 1", "Set MIDDLE 1 2", "Solved", "SLICE", " ".join(map(str, solved))]
    lines += ["MIDDLE", "1", "End"]
    for name, source in turns.items():
        over = ["MIDDLE", "1", "1"] if name == "S" else []
        lines += [f"Move {name}", "SLICE", " ".join(str(slot + 1) for slot in source), *over, "End"]
    cuts = (0, half, size, size + half)
    return "\n".join([*lines, *(f"Illegal SLICE {cut + 1} {len(rest) + 1}" for cut in cuts if wide), more, ""])


def walked(puzzle: DefinedPuzzle, random: Random, steps: int = 300) -> bytes:
    state = puzzle.solved
    for _ in range(steps):
        state = puzzle.turned(state, random.choice(puzzle.legal(state, puzzle.moves)))
    return state


#: a Square-1 as others write it, a layer whose turn has 14 powers, and pieces of which four look alike
WRITTEN = {
    "square-1": layers(12, 6, [0, 3, 6, 9, 13, 16, 19, 22]),
    "fourteen": layers(14, 7, [1, 8, 14]),
    "six": layers(6, 3, [1, 7]),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_random_state_is_solved_by_way_of_its_shape_alone(name: str, tmp_path: Path) -> None:
    definition = read_any_definition(WRITTEN[name], name)
    puzzle, random = added_puzzle(definition), Random(SEED)
    (tmp_path / "own.tws").write_text(WRITTEN[name])
    own = read(tmp_path / "own.tws")
    for _ in range(10 if TEST_ALL else 2):
        start = walked(puzzle, random)
        at, plan = hstar.State(hstar.Puzzle(puzzle), start), [{"method": "by_shape"}]
        found = hstar.solve(at, plan=plan, limits={"expanded": 2_000})
        assert found.moves is not None
        assert own.replays(puzzle.format_pieces(start), found.moves)


def test_a_replay_that_knows_what_is_forbidden_rejects_it(tmp_path: Path) -> None:
    (tmp_path / "own.tws").write_text(WRITTEN["six"])
    own, puzzle = read(tmp_path / "own.tws"), puzzle_from_definition(read_any_definition(WRITTEN["six"], "six"))
    random = Random(SEED)
    for _ in range(30):
        state = walked(puzzle, random, 40)
        held = {name: (part["pieces"], part["orientation"]) for name, part in puzzle.format_pieces(state).items()}
        assert [own.forbids(held, move) for move in puzzle.moves] == [
            puzzle.apply(state, move) is None for move in puzzle.moves
        ]


def test_powers_of_a_move_are_moves_of_their_own_where_it_is_forbidden() -> None:
    puzzle = puzzle_from_definition(read_any_definition(WRITTEN["fourteen"], "fourteen"))
    assert sum(move[0] == "U" for move in puzzle.moves) == 13
    # Second halves are in slots 2 and 9, the cuts at 0 and 7.
    assert set(puzzle.moves) - {*puzzle.legal(puzzle.solved, puzzle.moves)} == {"U5", "U2'", "D6", "D'"}


def test_loops_and_ways_are_made_of_moves_that_can_be_made_and_are_complete() -> None:
    puzzle = puzzle_from_definition(read_any_definition(WRITTEN["six"], "six"))
    own = puzzle.move_set("all")
    shapes, ways = Shapes(puzzle, own), ways_of(puzzle, own)
    assert ways is not None
    assert ways.whole is not None
    seen, todo = {puzzle.solved}, [puzzle.solved]
    for state in todo:
        for move in puzzle.legal(state, puzzle.moves):
            if (after := puzzle.turned(state, move)) not in seen:
                seen.add(after)
                todo.append(after)
        if len(todo) > 5_000:
            break
    numbers = {shapes.number(state) for state in seen}
    assert numbers == set(range(len(shapes.after)))
    for shape in range(0, len(shapes.after), 7):
        state = puzzle.apply_alg(puzzle.solved, shapes.named(shapes.path(shape)))
        assert shapes.number(state) == shape
        for number, name in enumerate(shapes.names):
            assert (puzzle.apply(state, name) is None) == (shapes.after[shape, number] < 0)
        slash = [[int(name == "S") for name in shapes.names]] * len(shapes.after)
        found = shapes.ways(shape, np.array(slash, dtype=np.int8))
        assert [len(way) for way in found] == sorted(_distances(shapes, shape))
        assert len(found[0]) == shapes.depth[shape]
        for way in found:
            assert shapes.number(puzzle.apply_alg(state, shapes.named(way))) == 0
    for word in ways.whole.words.values():
        after = puzzle.apply_alg(puzzle.solved, shapes.named(word))
        assert shapes.number(after) == 0
    counted = len(shapes.after) * ways.whole.group(ways.whole.move_set("all")).order
    assert len(seen) == counted or (len(seen) > 5_000 and counted >= len(seen))


@pytest.mark.parametrize(("name", "sizes"), [("square-1", [8, 8, 1]), ("fourteen", [22, 3, 1]), ("six", [8, 2, 1])])
def test_what_decides_another_slot_stands_for_it(name: str, sizes: list[int]) -> None:
    """A wide piece has two slots, and loops solve it by one of them."""
    puzzle = puzzle_from_definition(read_any_definition(WRITTEN[name], name))
    ways = ways_of(puzzle, puzzle.move_set("all"))
    assert ways is not None
    assert ways.whole is not None
    assert [part.pieces for part in ways.whole.orbits] == sizes


def test_a_last_loop_that_makes_nothing_new_is_no_short_one() -> None:
    def move(first: list[int], second: list[int]) -> dict[str, Any]:
        rows = {"FIRST": first, "SECOND": second}
        return {name: {"permutation": row, "orientationDelta": [0] * len(row)} for name, row in rows.items()}

    definition = {
        "name": "locked",
        "orbits": [
            {"orbitName": name, "numPieces": n, "numOrientations": 1} for name, n in (("FIRST", 3), ("SECOND", 2))
        ],
        "defaultPattern": {
            "FIRST": {"pieces": [0, 1, 2], "orientation": [0, 0, 0]},
            "SECOND": {"pieces": [0, 1], "orientation": [0, 0]},
        },
        "moves": {"U": move([2, 0, 1], [0, 1]), "T": move([0, 1, 2], [1, 0])},
        "hstar": {"forbidden": {"T": {"SECOND": {"0": [0]}}}},
    }
    puzzle = puzzle_from_definition(read_any_definition(definition, "locked"))
    ways = ways_of(puzzle, puzzle.move_set("all"))
    assert ways is not None
    assert ways.short is not None
    assert ways.short.words == {"L1": (0,), "L1'": (1,)}


def _distances(shapes: Shapes, shape: int) -> list[int]:
    """How many moves are between two shapes at least, with an even and with an odd number of slashes."""
    found, todo = {(shape, 0): 0}, [(shape, 0)]
    for one, odd in todo:
        for name, there in zip(shapes.names, shapes.after[one].tolist(), strict=True):
            after = (there, odd ^ (name == "S"))
            if there >= 0 and after not in found:
                found[after] = found[one, odd] + 1
                todo.append(after)
    return [found[0, odd] for odd in (0, 1) if (0, odd) in found]


def test_too_many_shapes_and_moves_without_inverses_have_no_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = puzzle_from_definition(read_any_definition(WRITTEN["fourteen"], "fourteen"))
    assert ways_of(puzzle, puzzle.move_set("all")) is not None
    assert ways_of(puzzle, puzzle.move_set("U U3' D D' S")) is None
    monkeypatch.setattr("hstar.search.anytime.shapes.graph.MOST_ENTRIES", 1_000)
    ways_of.cache_clear()
    assert ways_of(puzzle, puzzle.move_set("all")) is None
    ways_of.cache_clear()


def test_the_next_step_begins_if_there_is_no_time_for_shapes() -> None:
    puzzle = added_puzzle(read_any_definition(WRITTEN["square-1"], "square-1"))
    start = hstar.State(hstar.Puzzle(puzzle), puzzle.apply_alg(puzzle.solved, ["U3", "D2"]))
    ways_of.cache_clear()
    found = hstar.solve(start, plan=[{"method": "by_shape", "seconds": 0.002}, {"method": "breadth_first"}])
    assert (found.length, found.proven) == (2, True)


def test_shorter_algs_lead_to_the_same_state_by_moves_that_can_be_made() -> None:
    random = Random(SEED)
    for name in ("square-1", "six"):
        puzzle = puzzle_from_definition(read_any_definition(WRITTEN[name], name))
        for _ in range(10):
            start, alg = walked(puzzle, random, 30), list[str]()
            state = start
            for _ in range(20):
                alg.append(random.choice(puzzle.legal(state, puzzle.moves)))
                state = puzzle.turned(state, alg[-1])
            short = shortened(puzzle, puzzle.move_set("all"), start, alg)
            assert puzzle.apply_alg(start, short) == state
            assert len(short) < len(alg)
            assert shortened(puzzle, puzzle.move_set("all"), start, [*alg, *puzzle.inverse_alg(alg)]) == ()


# -- the Square-1 of cubing.js ---------------------------------------------------------------------------------------


def cubing_square1(orientations: int = 9) -> dict[str, Any]:
    still = list(range(24))

    def move(permutation: list[int], over: int = 0) -> dict[str, Any]:
        return {
            "WEDGES": {"permutation": permutation, "orientationDelta": [0] * 24},
            "EQUATOR": {"permutation": [0, 1], "orientationDelta": [0, over]},
        }

    return {
        "name": "Square-1",
        "orbits": [
            {"orbitName": "WEDGES", "numPieces": 24, "numOrientations": orientations},
            {"orbitName": "EQUATOR", "numPieces": 2, "numOrientations": 6},
        ],
        "defaultPattern": {
            "WEDGES": {"pieces": still, "orientation": [0] * 24},
            "EQUATOR": {"pieces": [0, 1], "orientation": [0, 0]},
        },
        "moves": {
            "U_SQ_": move([11, *still[:11], *still[12:]]),
            "D_SQ_": move([*still[:12], 23, *still[12:23]]),
            "_SLASH_": move([*still[:6], *still[12:18], *still[6:12], *still[18:]], 3),
        },
    }


def test_the_square_1_of_cubing_js_has_the_moves_of_the_built_in_one(tmp_path: Path) -> None:
    posted = added_puzzle(read_any_definition(cubing_square1(), "posted"))
    square, random = get_puzzle("square1"), Random(SEED)
    assert isinstance(posted, DefinedPuzzle)
    one, other = posted.solved, square.solved
    for _ in range(5):
        for _ in range(60):
            legal = posted.legal(one, posted.moves)
            theirs = [move.replace("_SQ_", "").replace("_SLASH_", "/") for move in legal]
            assert theirs == square.legal(other, square.moves)
            number = random.randrange(len(legal))
            one, other = posted.turned(one, legal[number]), square.apply_alg(other, [theirs[number]])
        assert [value // 9 for value in posted.contents(one)[:24]] == [*other[:24]]
    (tmp_path / "square1.json").write_text(json.dumps(cubing_square1()))
    found = hstar.solve(hstar.State(hstar.Puzzle(posted), one), algorithm="anytime", limits={"expanded": 2_000})
    assert found.moves is not None
    assert read(tmp_path / "square1.json").replays(posted.format_pieces(one), found.moves)


def test_other_puzzles_with_a_slash_say_themselves_when_it_is_forbidden() -> None:
    with pytest.raises(InvalidRequest, match="cannot be made in every state"):
        read_any_definition(cubing_square1(orientations=1), "posted")
    said = cubing_square1() | {"hstar": {"forbidden": {"_SLASH_": {"WEDGES": {"3": [5]}}}}}
    assert puzzle_from_definition(read_any_definition(said, "posted")).forbidden == {"_SLASH_": {3: frozenset({5})}}
