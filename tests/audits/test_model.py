"""Models of puzzles: right ones pass under any names and numbers; every wrong one is refused, with a witness."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from hstar.audits.model import ModelAuditRequest, audit, read
from hstar.audits.model.schema import ModelAudit
from hstar.errors import InvalidRequest
from hstar.groups.permutations import cycle_type, inverse, order, then, word
from hstar.puzzles import get_puzzle
from hstar.puzzles.master_pyraminx.geometry import FACELETS as PYRAMINX
from hstar.puzzles.megaminx import FACES, NEIGHBOURS
from hstar.puzzles.megaminx.geometry import FACELETS as MEGAMINX
from hstar.puzzles.permutation import PermutationPuzzle
from tests.command_line import run as hstar
from tests.conftest import TEST_ALL

Turns = dict[str, list[int]]


def facelet_model(name: str, moves: str) -> Turns:
    """The turns over the facelets in the order of `format_state`, computed without the audit's code."""
    puzzle = get_puzzle(name)
    assert isinstance(puzzle, PermutationPuzzle)
    places = [
        (face, i) for face, row in puzzle.format_state(puzzle.solved)["facelets"].items() for i in range(len(row))
    ]
    index = {place: number for number, place in enumerate(places)}
    return {move: _follow(puzzle, move, places, index) for move in puzzle.move_set(moves).moves}


def _follow(
    puzzle: PermutationPuzzle, move: str, places: list[tuple[str, int]], index: dict[tuple[str, int], int]
) -> list[int]:
    """Where each facelet of a turn comes from, computed from the slots' faces, on which their facelets lie."""
    by_slot = slot_places(puzzle)
    p = list(range(len(places)))
    for dst, src, values in puzzle.touched(move):
        twist = values[0] % puzzle.orientations[dst]
        count = len(by_slot[src])
        for j in range(count):
            p[index[by_slot[dst][(j + twist) % count]]] = index[by_slot[src][j]]
    return p


def slot_places(puzzle: PermutationPuzzle) -> list[list[tuple[str, int]]]:
    """The places of each slot's facelets in the lists of `format_state`, from the tables of `format_state`."""
    # the Megaminx lists a face's centre first
    faces, skipped = (MEGAMINX, 1) if puzzle.name == "megaminx" else (PYRAMINX, 0)
    return [
        [(face, skipped + faces[face].index((slot, j))) for j, face in enumerate(shown)]
        for slot, shown in enumerate(puzzle.slot_faces)
    ]


MODELS = [("megaminx", "cw"), ("megaminx", "single"), ("master_pyraminx", "cw12"), ("master_pyraminx", "layers32")]
RIGHT = {(name, moves): facelet_model(name, moves) for name, moves in MODELS}
INVERSE = {
    (name, moves): {move: list(inverse(tuple(p))) for move, p in RIGHT[name, moves].items()} for name, moves in MODELS
}


def verdict(name: str, turns: Turns, **fields: object) -> ModelAudit:
    return audit(ModelAuditRequest.model_validate({"puzzle": name, "turns": turns} | fields))


def renumbered(turns: Turns, numbers: list[int]) -> Turns:
    """The same turns over other slots: slot i becomes slot numbers[i]."""
    made = {}
    for name, p in turns.items():
        q = [0] * len(p)
        for slot, source in enumerate(p):
            q[numbers[slot]] = numbers[source]
        made[name] = q
    return made


def without_centres(turns: Turns) -> Turns:
    """The 120 facelets of the Megaminx that move."""
    kept = [slot for slot in range(132) if any(p[slot] != slot for p in turns.values())]
    return {name: [kept.index(p[slot]) for slot in kept] for name, p in turns.items()}


@pytest.mark.parametrize("which", MODELS)
def test_the_right_model_is_the_same(which: tuple[str, str]) -> None:
    found = verdict(which[0], RIGHT[which])
    assert found.verdict == "same"
    assert found.labels == {move: move for move in RIGHT[which]}
    assert found.facelets is not None
    assert len({facelet for facelet in found.facelets if facelet}) == (120 if which[0] == "megaminx" else 64)


def test_with_and_without_centres() -> None:
    turns = RIGHT["megaminx", "cw"]
    assert len(turns["U"]) == 132
    assert verdict("megaminx", turns).verdict == verdict("megaminx", without_centres(turns)).verdict == "same"


@pytest.mark.parametrize("which", MODELS)
def test_a_mirror_image_is_recognised_by_our_names(which: tuple[str, str]) -> None:
    assert verdict(which[0], INVERSE[which]).verdict == "mirrored"
    renamed = {f"turn{i}": p for i, p in enumerate(INVERSE[which].values())}
    if which == ("megaminx", "cw"):  # without meaningful names a reflection is just a relabelling
        found = verdict("megaminx", renamed)
        assert found.verdict == "same"
        anchors = dict(zip(renamed, INVERSE[which], strict=True))
        assert verdict("megaminx", renamed, anchors=anchors).verdict == "mirrored"


@settings(max_examples=500 if TEST_ALL else 25)
@given(which=st.sampled_from(MODELS), seed=st.integers(0, 2**32), names=st.sampled_from(["ours", "shuffled", "own"]))
def test_no_relabelling_is_ever_called_wrong(which: tuple[str, str], seed: int, names: str) -> None:
    rng = random.Random(seed)
    numbers = list(range(len(next(iter(RIGHT[which].values())))))
    rng.shuffle(numbers)
    turns = list(renumbered(RIGHT[which], numbers).items())
    rng.shuffle(turns)
    if names == "shuffled":
        said = [name for name, _ in turns]
        rng.shuffle(said)
        turns = [(said[i], p) for i, (_, p) in enumerate(turns)]
    elif names == "own":
        turns = [(f"face {i}", p) for i, (_, p) in enumerate(turns)]
    found = verdict(which[0], dict(turns))
    if names == "ours":
        assert found.verdict == "same"
    assert found.verdict in ("same", "mirrored")
    check_labels(which[0], dict(turns), found)


def check_labels(name: str, turns: Turns, found: ModelAudit) -> None:
    """Second witness: under the labels, sequences of turns have the same cycles as on the puzzle's states."""
    puzzle = get_puzzle(name)
    assert found.labels is not None
    rng = random.Random(1)
    for _ in range(4):
        said = [rng.choice(list(turns)) for _ in range(3)]
        state = puzzle.solved
        repeats = 0
        while True:
            state = puzzle.apply_alg(state, [found.labels[n] for n in said])
            repeats += 1
            if state == puzzle.solved:
                break
        size = len(next(iter(turns.values())))
        assert order(cycle_type(word([tuple(turns[n]) for n in said], size))) == repeats


def swap_two(p: list[int], rng: random.Random) -> list[int]:
    a, b = rng.sample(range(len(p)), 2)
    q = list(p)
    q[a], q[b] = q[b], q[a]
    return q


def turn_three(p: list[int], rng: random.Random) -> list[int]:
    a, b, c = rng.sample(range(len(p)), 3)
    q = list(p)
    q[a], q[b], q[c] = q[b], q[c], q[a]
    return q


def other_way(p: list[int], rng: random.Random) -> list[int]:
    return list(inverse(tuple(p)))


def twice(p: list[int], rng: random.Random) -> list[int]:
    return list(then(tuple(p), tuple(p)))


def nothing(p: list[int], rng: random.Random) -> list[int]:
    return list(range(len(p)))


def conjugated(p: list[int], rng: random.Random) -> list[int]:
    """The same cycles at other places: order, number and cycle type stay right."""
    moved = [i for i in range(len(p)) if p[i] != i]
    still = [i for i in range(len(p)) if p[i] == i]
    a, b = rng.choice(moved), rng.choice(still) if still else rng.choice(moved)
    c = rng.choice([i for i in moved if i not in (a, b)])
    numbers = list(range(len(p)))
    numbers[a], numbers[b], numbers[c] = numbers[b], numbers[c], numbers[a]
    return renumbered({"": p}, numbers)[""]


MUTATIONS: list[Callable[[list[int], random.Random], list[int]]] = [
    swap_two, turn_three, other_way, twice, nothing, conjugated,
]  # fmt: skip


@settings(max_examples=1000 if TEST_ALL else 50)
@given(
    which=st.sampled_from(MODELS),
    mutate=st.sampled_from(MUTATIONS),
    seed=st.integers(0, 2**32),
    own_names=st.booleans(),
)
def test_every_mutation_is_caught(
    which: tuple[str, str], mutate: Callable[[list[int], random.Random], list[int]], seed: int, own_names: bool
) -> None:
    rng = random.Random(seed)
    right = RIGHT[which]
    name = rng.choice(list(right))
    changed = mutate(right[name], rng)
    if changed == right[name] or conserved(right, name, changed):
        return
    turns = dict(right) | {name: changed}
    numbers = list(range(len(changed)))
    rng.shuffle(numbers)
    turns = renumbered(turns, numbers)
    if own_names:
        turns = {f"t{i}": p for i, p in enumerate(turns.values())}
    found = verdict(which[0], turns)
    assert found.verdict == "wrong", (which, mutate.__name__, name)
    assert found.reasons
    if found.scramble is not None:  # the witness, replayed
        size = len(changed)
        theirs = word([tuple(turns[n]) for n in found.scramble.alg], size)
        assert order(cycle_type(theirs)) == found.scramble.theirs_order
        puzzle = get_puzzle(which[0])
        state, repeats = puzzle.apply_alg(puzzle.solved, found.scramble.ours), 1
        while state != puzzle.solved:
            state, repeats = puzzle.apply_alg(state, found.scramble.ours), repeats + 1
        assert repeats == found.scramble.ours_order


def conserved(right: Turns, name: str, changed: list[int]) -> bool:
    """Whether the change is only a relabelling, of facelets that no other turn moves or that do not move."""
    others = [p for n, p in right.items() if n != name]
    free = {slot for slot in range(len(changed)) if all(p[slot] == slot for p in others)}
    differs = {slot for slot in range(len(changed)) if changed[slot] != right[name][slot]}
    if not differs <= free:
        return False
    return cycle_type(tuple(changed)) == cycle_type(tuple(right[name]))


def test_five_models_five_verdicts_with_witnesses() -> None:
    """Faults of real student programs, each as a mutation of a right model."""
    right = RIGHT["megaminx", "cw"]
    joined = dict(right)
    joined["F"] = list(right["F"])
    a, b = [i for i in range(132) if right["F"][i] != i][:2]
    joined["F"][a], joined["F"][b] = joined["F"][b], joined["F"][a]
    found = verdict("megaminx", joined)
    assert found.verdict == "wrong"
    turn = next(reason for reason in found.reasons if reason.kind == "turn")
    assert set(turn.slots) == {a, b}
    assert turn.turns == ["F"]
    assert f"p[{a}] = {joined['F'][a]} should be {right['F'][a]}" in turn.message
    ten = {name: list(p) for name, p in right.items()}
    still = next(i for i in range(132) if all(p[i] == i for p in right.values()))
    other = next(i for i in range(still + 1, 132) if all(p[i] == i for p in right.values()))
    ten["U"][still], ten["U"][other] = other, still
    found = verdict("megaminx", ten)
    assert found.verdict == "wrong"
    assert found.reasons[0].kind == "facelets"
    assert any("U has order 10" in reason.message for reason in found.reasons)
    assert verdict("megaminx", {name: list(inverse(tuple(p))) for name, p in right.items()}).verdict == "mirrored"
    numbers = list(range(131, -1, -1))
    assert verdict("megaminx", renumbered(right, numbers)).verdict == "same"
    assert verdict("megaminx", right).verdict == "same"


def test_a_turn_that_is_no_permutation() -> None:
    turns = {name: list(p) for name, p in RIGHT["megaminx", "cw"].items()}
    turns["L"][3] = turns["L"][4]
    turns["R"] = turns["R"][:-1]
    turns["B"][0] = 500
    found = verdict("megaminx", turns)
    assert found.verdict == "wrong"
    assert {reason.turns[0] for reason in found.reasons} == {"L", "R", "B"}
    assert all(reason.kind == "permutation" for reason in found.reasons)


def test_too_few_turns() -> None:
    turns = dict(list(RIGHT["megaminx", "cw"].items())[:11])
    found = verdict("megaminx", turns)
    assert found.verdict == "wrong"
    assert found.reasons[0].message == "there are 11 turns; move sets of Megaminx have 12, 24, 48"
    assert verdict("megaminx", {}).verdict == "wrong"


def test_two_wrong_turns_are_still_explained() -> None:
    rng = random.Random(5)
    turns = {name: list(p) for name, p in RIGHT["megaminx", "cw"].items()}
    for name in ("U", "DR"):
        turns[name] = conjugated(turns[name], rng)
    found = verdict("megaminx", turns)
    assert found.verdict == "wrong"
    kinds = [reason.kind for reason in found.reasons]
    assert "pieces" in kinds or "commutator" in kinds
    parted = [reason for reason in found.reasons if reason.kind == "pieces"]
    assert {turn for reason in parted for turn in reason.turns}


def test_which_results_the_error_touches() -> None:
    """A wrong model whose solution still solves the puzzle, as in real student programs."""
    right = RIGHT["megaminx", "cw"]
    turns = {name: list(p) for name, p in right.items()}
    turns["F"] = swap_two(turns["F"], random.Random(3))
    undo = {name: [name] * 4 for name in turns}
    results = [
        {"alg": ["U", "R"], "solution": [*undo["R"], *undo["U"]]},
        {"alg": ["F"], "solution": undo["F"]},
        {"alg": ["U"], "solution": []},
    ]
    found = verdict("megaminx", turns, results=results)
    assert [claim.touched for claim in found.claims] == [False, True, False]
    assert [claim.solves_ours for claim in found.claims] == [True, True, False]
    assert found.claims[0].reason == "the error does not affect it"
    with pytest.raises(InvalidRequest, match="the model has not"):
        verdict("megaminx", turns, results=[{"alg": ["nonsense"], "solution": []}])


def test_tables_of_neighbours() -> None:
    table = {face: list(around) for face, around in NEIGHBOURS.items()}
    assert audit(ModelAuditRequest(puzzle="megaminx", neighbours=table)).verdict == "same"
    backwards = {face: around[::-1] for face, around in table.items()}
    assert audit(ModelAuditRequest(puzzle="megaminx", neighbours=backwards)).verdict == "mirrored"
    table["U"][0], table["U"][1] = table["U"][1], table["U"][0]
    found = audit(ModelAuditRequest(puzzle="megaminx", neighbours=table))
    assert found.verdict == "wrong"
    assert any("every contradiction involves U" in reason.message for reason in found.reasons)


def printed(algs: list[str], turn: Callable[[str], str] = str) -> list[dict[str, object]]:
    puzzle = get_puzzle("megaminx")
    return [
        {"alg": alg, "state": {"facelets": puzzle.format_state(
            puzzle.apply_alg(puzzle.solved, [turn(move) for move in puzzle.parse_alg(alg)]))["facelets"]}}
        for alg in algs
    ]  # fmt: skip


def test_printed_states() -> None:
    puzzle = get_puzzle("megaminx")
    algs = ["", "U", "U F", "R BL DR", "U U F"]
    request = {"puzzle": "megaminx", "states": printed(algs)}
    assert audit(ModelAuditRequest.model_validate(request)).verdict == "same"
    request["states"] = printed(algs, puzzle.inverse)
    assert audit(ModelAuditRequest.model_validate(request)).verdict == "mirrored"
    states = printed(algs)
    states[2] = printed(["U R"])[0] | {"alg": "U F"}
    states[4] = {"alg": "U U F", "state": {"facelets": {face: [face] * 11 for face in FACES if face != "U"}}}
    found = audit(ModelAuditRequest.model_validate({"puzzle": "megaminx", "states": states}))
    assert found.verdict == "wrong"
    assert found.reasons[0].message.startswith("after U F: ")
    assert "should be" in found.reasons[0].message
    assert found.reasons[1].message.startswith("after U U F: the facelets")


def test_printed_states_of_a_board_with_the_blank_in_a_corner() -> None:
    puzzle = get_puzzle("15-puzzle")

    def verdict(alg: str, moves: str) -> ModelAudit:
        board = puzzle.format_state(puzzle.apply_alg(puzzle.solved, puzzle.parse_alg(moves)))
        states = [{"alg": "", "state": puzzle.format_state(puzzle.solved)}, {"alg": alg, "state": board}]
        return audit(ModelAuditRequest.model_validate({"puzzle": "15-puzzle", "states": states}))

    assert verdict("R D", "R D").verdict == "same"  # though their inverses cannot be made
    assert verdict("L U", "R D").verdict == "mirrored"  # ways of tiles
    wrong = verdict("L", "D")
    assert (wrong.verdict, wrong.reasons[0].message) == ("wrong", "after L: from solved these moves cannot be made")


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="not JSON"):
        read("{")
    both: dict[str, object] = {"puzzle": "megaminx", "turns": {"U": [0]}, "states": []}
    requests: list[dict[str, object]] = [{"puzzle": "megaminx"}, both, {"turns": {}}]
    for bad in requests:
        with pytest.raises(ValidationError):
            read(json.dumps(bad))
    with pytest.raises(InvalidRequest):
        verdict("8-puzzle", {"U": [1, 0]})
    with pytest.raises(InvalidRequest, match="anchors"):
        verdict("megaminx", RIGHT["megaminx", "cw"], anchors={"Q": "U"})


def test_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    turns = {f"t{i}": p for i, p in enumerate(RIGHT["megaminx", "cw"].values())}
    file.write_text(json.dumps({"puzzle": "megaminx", "turns": turns}))
    done = hstar("audit", "model", str(file), "--json")
    assert done.exit_code == 0, done.stderr
    answer = ModelAudit.model_validate(json.loads(done.stdout))
    assert (answer.verdict, set(answer.labels or {})) == ("same", set(turns))
    turns["t3"] = turns["t3"][::-1]
    file.write_text(json.dumps({"puzzle": "megaminx", "turns": turns}))
    done = hstar("audit", "model", str(file))
    assert done.exit_code == 1
    assert done.stdout.startswith("wrong: ")
    file.write_text("nonsense")
    assert hstar("audit", "model", str(file)).exit_code == 2
    assert hstar("audit", "model", str(tmp_path / "none")).exit_code == 2


def test_words_of_turns_follow_the_puzzle() -> None:
    """Compares our facelet permutations with the puzzle's states."""
    puzzle = get_puzzle("megaminx")
    turns = RIGHT["megaminx", "cw"]
    flat = [colour for row in puzzle.format_state(puzzle.solved)["facelets"].values() for colour in row]
    for said in product(("U", "F", "DR"), repeat=2):
        p = word([tuple(turns[n]) for n in said], 132)
        shown = puzzle.format_state(puzzle.apply_alg(puzzle.solved, said))["facelets"]
        assert [flat[i] for i in p] == [colour for row in shown.values() for colour in row]
