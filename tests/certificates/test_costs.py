"""Certificates where moves have costs: what they prove is what Dijkstra's algorithm finds, and nothing dearer."""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hstar.certificates import proofs, tables
from hstar.certificates.proofs import can_certify, write
from hstar.search import SolveRequest, prepare, solve
from tests.certificates.checkers import Verdict, first_forked, second
from tests.certificates.container import Claimed, Move, State, put_together, taken_apart
from tests.certificates.made import with_nodes
from tests.certificates.mutations import UP
from tests.conftest import SEED, instances
from tests.hostile.comparison import Compared, Tally
from tests.hostile.definitions import random_space, random_tokens

HALF_TURNS_COST_2 = "U U2:2 U' R R2:2 R' F F2:2 F' D D2:2 D'"
#: real ones: (what is asked, the cost, what the proof is by)
ANSWERS: dict[str, tuple[dict[str, Any], int, str]] = {
    "half turns cost 2": ({"puzzle": "3x3x3", "alg": "R U2 F D2", "moves": HALF_TURNS_COST_2}, 6, proofs.KEPT),
    "by IDA* with databases": (
        {"puzzle": "3x3x3", "alg": "R U2 F", "moves": HALF_TURNS_COST_2, "algorithm": "ida_star",
         "heuristic": 'pdb("CORNERS:3")'}, 4, "the states of A* with",
    ),
    "8-puzzle": (
        {"puzzle": "8-puzzle", "state": "2 8 3 / 1 6 4 / 7 0 5", "moves": "U:3 D:9 L R:4", "heuristic": "manhattan"},
        20, proofs.KEPT,
    ),
    "8-puzzle, costs above a byte": (
        {"puzzle": "8-puzzle", "state": "2 8 3 / 1 6 4 / 7 0 5", "moves": "U:200 D:255 L:90 R:4"},
        749, "the states of A* with manhattan",
    ),
    "a bound": (
        {"puzzle": "8-puzzle", "random": 1, "moves": "U:3 D:9 L R:4", "limits": {"expanded": 90}},
        43, "the states of A* with manhattan",
    ),
}  # fmt: skip


def checked(data: bytes, folder: Path) -> tuple[Verdict, Verdict]:
    file = folder / "file.hcert"
    file.write_bytes(data)
    return first_forked(file), second(file)


def accepted(data: bytes, folder: Path) -> bool:
    """What both checkers say, which is the same."""
    one, two = checked(data, folder)
    assert {one.status, two.status} <= {0, 1}, (one, two)
    assert one.proven == two.proven, (one, two)
    return one.proven


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_have_certificates(name: str, tmp_path: Path) -> None:
    asked, cost, by = ANSWERS[name]
    problem = prepare(SolveRequest.model_validate(asked), costs=True)
    can_certify(problem)
    destination, result = io.BytesIO(), solve(problem, keep=True)
    written = write(problem, result, destination)
    assert by in written.by
    assert written.claim.startswith(f"no solution costs less than {result.lower_bound}")
    assert result.lower_bound == cost
    one, two = checked(destination.getvalue(), tmp_path)
    assert one.proven, one.said
    assert two.proven, two.said
    assert f"no solution costs less than {result.lower_bound}" in one.said
    claimed = Claimed.of(taken_apart(destination.getvalue()))
    assert claimed.costs == problem.moves.costs
    assert claimed.bound == cost
    assert claimed.kind == 2 or claimed.length == cost


@pytest.mark.parametrize(
    ("asked", "databases"),
    [
        ({"puzzle": "8-puzzle", "random": 1, "moves": "U:3 D:4 L R:4", "heuristic": 'pdb("4-4")'}, "4-4"),
        ({"puzzle": "pyraminx", "alg": "U L R' B", "moves": "U U' L L':3 R:2 R' B B':4", "heuristic": "zero"}, "5, 9"),
    ],
    ids=["a board", "pieces"],
)  # fmt: skip
def test_databases_have_costs(
    asked: dict[str, Any], databases: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the file are filled by costs, and leave subtrees to search; no entry of them can be larger."""
    for name in ("MOST_AGAIN", "MOST_OF_BALLS", "FEW_OF_BALLS"):
        monkeypatch.setattr(proofs, name, 20)
    monkeypatch.setattr(tables, "FEW_ENTRIES", tables.MOST_ENTRIES)
    problem = prepare(SolveRequest.model_validate(asked | {"algorithm": "ida_star"}), costs=True)
    destination = io.BytesIO()
    written = write(problem, solve(problem, keep=True), destination)
    assert written.searched
    assert f"databases of {databases} pieces" in written.by
    assert accepted(destination.getvalue(), tmp_path)
    assert accepted(with_nodes(destination.getvalue()), tmp_path)
    sections = taken_apart(destination.getvalue())
    heuristic = bytearray(sections["HEUR"])
    lowest = heuristic.index(1, 200)
    heuristic[lowest] = max(problem.moves.costs) + 1
    assert not accepted(put_together(list((sections | {"HEUR": bytes(heuristic)}).items())), tmp_path)


def test_two_moves_are_searched_where_the_same_one_costs_more(tmp_path: Path) -> None:
    """R U U costs 4, and R U2 costs 5: a search that left out U U would not find it."""
    asked = {"puzzle": "3x3x3", "alg": "U2 R'", "moves": "U U2:3 R:2 R'", "heuristic": "zero"}
    problem = prepare(SolveRequest.model_validate(asked), costs=True)
    destination = io.BytesIO()
    write(problem, solve(problem, keep=True), destination)
    sections = taken_apart(destination.getvalue())
    head = sections["CLAM"][:-11]
    assert sections["CLAM"][-11:] == struct.pack("<II", 4, 3) + bytes(map(problem.moves.moves.index, ("R", "U", "U")))
    solution = bytes(map(problem.moves.moves.index, ("R", "U2")))
    for claim, true in (
        (sections["CLAM"], True),
        (head + struct.pack("<II", 5, 2) + solution, False),
        (head + struct.pack("<II", 4, 2) + solution, False),
    ):
        parts = {"PUZL": sections["PUZL"], "CLAM": claim, "TREE": b"", "ROOT": b""}
        assert accepted(put_together(list(parts.items())), tmp_path) == true


def dijkstra(claimed: Claimed, root: State, back: bool) -> tuple[dict[State, int], dict[State, tuple[int, State]]]:
    """What each state costs from the root, or to it; and the move to it from the state before, or from it to that."""
    least, parent, queue = {root: 0}, dict[State, tuple[int, State]](), [(0, root)]
    while queue:
        g, state = heappop(queue)
        for move, after in (
            (before(claimed.moves, state) if back else claimed.after(state)) if g == least[state] else ()
        ):
            its_g = g + claimed.costs[move]
            if its_g < least.get(after, its_g + 1):
                least[after], parent[after] = its_g, (move, state)
                heappush(queue, (its_g, after))
    return least, parent


def before(moves: Sequence[Move], state: State) -> list[tuple[int, State]]:
    """(move, state before it) for each move, none of which has a condition."""
    found = []
    for move in moves:
        held = list(state)
        for dst, src, table in move.touches:
            held[src] = table.index(state[dst])
        found.append((move.number, tuple(held)))
    return found


def tree(root: State, least: dict[State, int], parent: dict[State, tuple[int, State]], most: int) -> bytes:
    """The states at most so far from the root."""
    children: dict[State, list[tuple[int, State]]] = {}
    for after, (move, state) in parent.items():
        if least[after] <= most:
            children.setdefault(state, []).append((move, after))

    def code(state: State) -> bytes:
        return b"".join(bytes([move]) + code(after) + bytes([UP]) for move, after in children.get(state, ()))

    return code(root)


@pytest.mark.parametrize("number", instances(range(300), few=6))
def test_random_definitions(number: int, tmp_path: Path) -> None:
    """The proof of an answer, and proofs written here: some states near the start and near the goal, and searches
    between them, of the true cost, of one less, and of one more, which is refused."""
    random = Random(f"{SEED} {number}")
    space = random_space(random, 120)
    tokens = random_tokens(random, space)
    compared = Compared(random, Tally(), space)
    with compared.found_by_name():
        costs = [random.randint(1, 9) for _ in tokens]
        moves = " ".join(f"{token}:{cost}" for token, cost in zip(tokens, costs, strict=True))
        truth = space.distances(tokens, costs=costs)
        state = random.choice(sorted(truth))
        asked = {"puzzle": "random", "state": space.as_json(state), "moves": moves}
        algorithm = random.choice(["astar", "ida_star", "auto"])
        problem = prepare(SolveRequest.model_validate(asked | {"algorithm": algorithm}), costs=True)
        destination = io.BytesIO()
        write(problem, solve(problem, keep=True), destination)
    sections = taken_apart(destination.getvalue())
    claimed = Claimed.of(sections)
    assert claimed.bound == claimed.length == truth[state]
    assert accepted(destination.getvalue(), tmp_path)
    if truth[state] == 0:
        return
    forward, backward = dijkstra(claimed, claimed.start, back=False), dijkstra(claimed, claimed.goal, back=True)
    assert forward[0][claimed.goal] == truth[state]
    assert backward[0][claimed.start] == truth[state]
    head = {tag: sections[tag] for tag in ("PUZL",)}
    with_costs = any(cost > 1 for cost in costs)
    start = bytes([2]) + struct.pack(f"<{len(claimed.start)}H", *claimed.start)
    two = 2 * sum(costs) // len(costs)  # what two moves cost
    near = random.randint(0, min(truth[state] // 2, two))
    far = max(truth[state] - near - random.randint(1, two), 0)
    trees = {
        "TREE": tree(claimed.start, *forward, min(far, truth[state] - 1)),
        "BACK": struct.pack("<H" if with_costs else "<B", near) + tree(claimed.goal, *backward, near),
    }
    for bound, true in ((truth[state], True), (truth[state] - 1, True), (truth[state] + 1, False)):
        claim = {"CLAM": start + struct.pack("<I", bound)}
        for parts in (trees, {"TREE": trees["TREE"]}):
            data = put_together(list((head | claim | parts | {"ROOT": b""}).items()))
            assert accepted(data, tmp_path) == true, (bound, near, far)
    claim = {"CLAM": start + struct.pack("<I", truth[state])}
    parts = head | claim | trees | {"ROOT": b""}
    assert accepted(with_nodes(put_together(list(parts.items()))), tmp_path)
    if near > 0:  # what lacks a state, or says that it has those one farther away
        farther = struct.pack("<H" if with_costs else "<B", max(backward[0].values())) + trees["BACK"][1 + with_costs :]
        complete = len(trees["BACK"]) - 1 - with_costs == 2 * (len(backward[0]) - 1)
        assert accepted(put_together(list((parts | {"BACK": farther}).items())), tmp_path) == complete
