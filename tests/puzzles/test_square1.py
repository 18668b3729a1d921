"""The Square-1, compared with one that is written here: layers of twelve names, of which a corner takes two."""

from __future__ import annotations

from itertools import combinations, islice
from random import Random

import pytest

import hstar
from hstar import algs
from hstar.errors import InvalidAlg, InvalidState
from hstar.pictures import draw
from hstar.puzzles import get_puzzle, random_state
from hstar.puzzles.square1 import Square1
from hstar.search import SolveRequest, prepare, solve
from hstar.search.anytime.shapes import ways_of
from hstar.search.perft import count_states, perft
from hstar.verification import Verification, VerificationRequest, verify
from tests.conftest import SEED, TEST_ALL

Layer = tuple[str, ...]
Plain = tuple[Layer, Layer, bool]

SOLVED: Plain = (tuple("AAbCCdEEfGGh"), tuple("iJJkLLmNNoPP"), False)
#: its slots are named so that both halves of a corner have one name
NAMES = [*SOLVED[0], *SOLVED[1]]


def square() -> Square1:
    puzzle = get_puzzle("square1")
    assert isinstance(puzzle, Square1)
    return puzzle


def plain(state: bytes) -> Plain:
    names = [NAMES[piece] for piece in state[:24]]
    return tuple(names[:12]), tuple(names[12:]), bool(state[24])


def after(state: Plain, move: str) -> Plain | None:
    """None if a corner would be cut: its name is on both sides of the cut."""
    top, bottom, over = state
    if move == "/":
        if any(layer[at - 1] == layer[at] for layer in (top, bottom) for at in (0, 6)):
            return None
        return top[:6] + bottom[:6], top[6:] + bottom[6:], not over
    back = "'" in move
    count = int(move[1:].strip("'") or 1) * (-1 if back else 1)
    layer = top if move[0] == "U" else bottom
    turned = layer[-count:] + layer[:-count]
    return (turned, bottom, over) if move[0] == "U" else (top, turned, over)


def ball(start: Plain, moves: tuple[str, ...], most: int) -> dict[Plain, int]:
    """The distances of all states within so many moves."""
    found, todo = {start: 0}, [start]
    for state in todo:
        if found[state] < most:
            for move in moves:
                there = after(state, move)
                if there is not None and there not in found:
                    found[there] = found[state] + 1
                    todo.append(there)
    return found


def layers_of(found: dict[Plain, int]) -> list[int]:
    return [sum(distance == depth for distance in found.values()) for depth in range(1 + max(found.values()))]


# -- counts -----------------------------------------------------------------------------------------------------------


def _shape(state: Plain) -> tuple[Layer, bool]:
    """Of each slot whether an edge, or which half of a corner, is in it; and the parity of the pieces' order."""
    kinds, order = list[str](), list[str]()
    for layer in state[:2]:
        for at, name in enumerate(layer):
            first = name.islower() or layer[(at + 1) % 12] == name
            kinds.append("e" if name.islower() else "1" if first else "2")
            order += [name] if first else []
    return tuple(kinds), sum(a > b for a, b in combinations(order, 2)) % 2 == 1


def test_every_shape_is_reached_evenly_and_oddly_and_states_are_as_many_as_is_known() -> None:
    """19,305 pairs of layers as they are turned, 3,678 of which can be cut, are 170 shapes; with 8! corners, 8! edges
    and two ways of the equator 62,768,369,664,000 states."""
    found, todo = {_shape(SOLVED)}, [SOLVED]
    for state in todo:
        for move in ("U", "D", "/"):
            there = after(state, move)
            if there is not None and (shape := _shape(there)) not in found:
                found.add(shape)
                todo.append(there)
    shapes = {kinds for kinds, _ in found}
    assert len(found) == 2 * len(shapes) == 2 * 19_305
    cut = [kinds for kinds in shapes if "2" not in (kinds[0], kinds[6], kinds[12], kinds[18])]
    assert len(cut) == 3_678
    turned = {tuple(min(layer[n:] + layer[:n] for n in range(12)) for layer in (s[:12], s[12:])) for s in cut}
    assert len(turned) == 170
    own = square().move_set("all")
    ways = ways_of(square(), own)
    assert ways is not None
    assert len(ways.shapes.after) == len(shapes)
    inside = [one.group(one.move_set("all")).order for one in (ways.short, ways.whole) if one is not None]
    assert inside == [40_320**2, 2 * 40_320**2]  # short loops make even ones
    assert square().state_count == len(shapes) * inside[1] == 62_768_369_664_000


@pytest.mark.parametrize(("moves", "most"), [("all", 5), ("single", 8), ("U3 U6 U3' D6 /", 10), ("U U' D6 /", 9)])
def test_counts_of_states_are_those_of_plain_layers(moves: str, most: int) -> None:
    own = square().move_set(moves)
    wanted = layers_of(ball(SOLVED, own.moves, most))
    assert count_states(square(), own, most) == wanted
    assert list(islice(perft(square(), own, 10**6), 4)) == wanted[:4]


def test_moves_are_those_of_plain_layers() -> None:
    for seed in range(200 if TEST_ALL else 20):
        state = random_state(square(), seed)
        assert square().parse_state(square().format_state(state)) == state
        for number, move in enumerate(square().moves):
            there, wanted = square().apply(state, move), after(plain(state), move)
            assert (None if there is None else plain(there)) == wanted
            assert square().kernel.apply(state, number) == there


def test_random_states_have_each_shape_about_as_often() -> None:
    states = [random_state(square(), seed) for seed in range(600)]
    can = sum(square().apply(state, "/") is not None for state in states)
    assert 70 <= can <= 160  # 3,678 of 19,305 are 114
    assert 240 <= sum(state[24] for state in states) <= 360
    assert len(set(states)) == 600


# -- notation ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(1,0)/(-3,6)/", "(1,0) / (-3,6) /"), ("/ ( 3 , -3 )", "/ (3,-3)"), ("U D2' / U7", "(1,-2) / (-5,0)"),
        ("(0,-1) (2,0)", "(0,-1) (2,0)"), ("(6,-6)", "(6,6)"), ("(11,-11)", "(-1,1)"), ("(0,0) /", "/"),
        ("[(1,0): /]", "(1,0) / (-1,0)"), ("[/, (3,0)]2", "/ (3,0) / (-3,0) / (3,0) / (-3,0)"),
        ("((1,0) /)'", "/ (-1,0)"), ("(1,0) ^(/ (0,3)) // comment", "(1,-3) /"),
    ],
)  # fmt: skip
def test_algs_are_read_and_shown_as_the_world_cube_association_writes_them(text: str, shown: str) -> None:
    moves = square().parse_alg(text)
    assert square().format_alg(moves) == shown
    assert square().parse_alg(shown) == moves


def test_every_alg_is_read_as_it_is_shown() -> None:
    random = Random(SEED)
    for _ in range(200):
        moves = tuple(random.choices(square().moves, k=random.randrange(12)))
        assert square().parse_alg(square().format_alg(moves)) == moves
        words = square().written(moves)
        for at, word in enumerate(words):  # a word stands at the last of its moves
            assert (word == "") == (moves[at][0] == "U" and moves[at + 1 : at + 2] != () and moves[at + 1][0] == "D")


@pytest.mark.parametrize("notation", [None, "wca"])
def test_a_claimed_solution_is_read_and_told_in_tuples(notation: str | None) -> None:
    def told(solution: str) -> Verification:
        claim = {"puzzle": "square1", "alg": "(1,0) / (3,-1)", "solution": solution, "notation": notation}
        return verify(VerificationRequest.model_validate(claim))

    right = told("(-3,1) / (-1,0)")
    assert (right.valid, right.solution) == (True, ["(-3,0)", "(0,1)", "/", "(-1,0)"])
    wrong = told("(-3,2) / (-1,0)")
    assert (wrong.valid, wrong.first_wrong, wrong.solution) == (False, 2, ["(-3,0)", "(0,2)"])


@pytest.mark.parametrize(("text", "why"), [
    ("(2,0) /", "move 2: / is not possible here: a corner of the upper layer is in the way"),
    ("(0,1) /", "a corner of the lower layer is in the way"),
    ("(2,1) /", "a corner of the upper and one of the lower layer is in the way"),
    ("(12,0)", "at most 11 twelfths"),
])  # fmt: skip
def test_what_cannot_be_made_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidAlg, match=why.replace("(", r"\(").replace(")", r"\)")):
        square().apply_alg(square().solved, square().parse_alg(text))


def test_halves_of_a_corner_that_are_apart_are_no_state() -> None:
    pieces = square().format_pieces(square().solved)
    pieces["WEDGES"]["pieces"][1:3] = [2, 1]
    with pytest.raises(InvalidState, match="the halves 0 and 1 of a corner are not side by side"):
        square().parse_state(pieces)


# -- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("moves", ["all", "single", "U3 U3' D6 /"])
def test_answers_are_never_shorter_or_longer_than_plain_distances(moves: str) -> None:
    own, random = square().move_set(moves), Random(f"{SEED} {moves}")
    found = ball(SOLVED, own.moves, {23: 4, 5: 7}.get(len(own.moves), 9))
    slots = {name: [slot for slot in range(24) if NAMES[slot] == name] for name in NAMES}
    for state in random.sample(sorted(found), 60 if TEST_ALL else 6):
        held, pieces = [*state[0], *state[1]], list[int]()
        for slot, name in enumerate(held):
            begin = slot - slot % 12
            second = name.isupper() and held[begin + (slot - 1) % 12] == name
            pieces.append(slots[name][second])
        start = bytes([*pieces, state[2]])
        assert plain(start) == state
        for algorithm in ("astar", "ida_star", "breadth_first", "bidirectional", "rbfs", "epea_star", "auto"):
            asked = {"puzzle": "square1", "state": square().format_state(start), "moves": moves, "algorithm": algorithm}
            limits = {"expanded": 1_000 if algorithm == "auto" else 200_000}
            result = solve(prepare(SolveRequest.model_validate(asked | {"limits": limits})))
            if result.optimality == "proven":
                assert result.length == found[state], algorithm
            assert result.lower_bound is None or result.lower_bound <= found[state]
            at: Plain | None = state
            for move in result.solution or ():
                at = None if at is None else after(at, move)
            assert result.solution is None or at == SOLVED
            assert algorithm in ("auto", "rbfs", "ida_star") or result.optimality == "proven"


def test_random_states_are_solved_and_reached() -> None:
    for seed in range(20 if TEST_ALL else 2):
        start = random_state(square(), seed)
        asked = {"puzzle": "square1", "random": seed, "algorithm": "anytime", "limits": {"expanded": 2_000}}
        result = solve(prepare(SolveRequest.model_validate(asked)))
        assert result.solution is not None
        assert result.optimality == "feasible"
        assert square().apply_alg(start, result.solution) == square().solved
        there = algs.random_scramble(square(), seed).alg
        assert square().apply_alg(square().solved, there) == start


def test_paths_between_two_states_of_any_shape() -> None:
    for seed in range(4 if TEST_ALL else 1):
        one, other = random_state(square(), seed), random_state(square(), seed + 100)
        states = {"state": square().format_state(one), "target": square().format_state(other)}
        asked = {"puzzle": "square1", "algorithm": "anytime", "limits": {"expanded": 2_000}, **states}
        result = solve(prepare(SolveRequest.model_validate(asked)))
        assert square().apply_alg(one, result.solution or ()) == other


def test_shorter_algs_can_be_made_where_the_long_ones_can() -> None:
    text = "(1,0) / (3,0) / (-3,0) (0,3) (0,-3) / / (3,0) / (2,0)"
    found = hstar.shorten("square1", text, limits={"seconds": 20, "expanded": 50_000})
    long = square().parse_alg(text)
    assert found.moves is not None
    assert len(found.moves) < len(long)
    there = square().apply_alg(square().solved, found.moves)
    assert there == square().apply_alg(square().solved, long)


def test_a_picture_has_each_piece_once() -> None:
    text = draw(square(), square().apply_alg(square().solved, square().parse_alg("(1,0) / (3,0) /")))
    assert text.count("data-piece=") == 16
    assert 'data-equator="0"' in text
