"""Certificates of every kind, for tests: of solves, and of wrong heuristics, models, solutions and states."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hstar.audits import heuristic, model
from hstar.audits.heuristic import HeuristicAuditRequest
from hstar.audits.model import ModelAuditRequest
from hstar.audits.model.turn_system import ours
from hstar.certificates import refutations, verdicts
from hstar.certificates.proofs import write
from hstar.certificates.refutations import Refutation
from hstar.errors import InvalidState
from hstar.heuristics.check import HeuristicCheckRequest, check
from hstar.puzzles import get_puzzle
from hstar.schema import SolveRequest
from hstar.search import prepare, solve
from hstar.verification import VerificationRequest, verify
from tests.certificates.checkers import first
from tests.certificates.container import put_together, taken_apart
from tests.certificates.mutations import UP
from tests.certificates.patterns import with_patterns

Make = Callable[[], Refutation]


def checked(puzzle: str, expression: str, moves: str | None = None) -> Make:
    """What a check finds wrong with a heuristic."""

    def make() -> Refutation:
        request = HeuristicCheckRequest(puzzle=puzzle, heuristic=expression, moves=moves)
        return verdicts.of_check(request, check(request))

    return make


def audited(puzzle: str, **asked: Any) -> Make:
    """What an audit finds wrong with a heuristic or with printed values."""

    def make() -> Refutation:
        request = HeuristicAuditRequest(puzzle=puzzle, **asked)
        return verdicts.of_heuristic_audit(request, heuristic.audit(request))

    return make


def verified(puzzle: str, **asked: Any) -> Make:
    """What is wrong with a claimed solution."""

    def make() -> Refutation:
        request = VerificationRequest(puzzle=puzzle, **asked)
        return verdicts.of_verification(request, verify(request))

    return make


def modelled(change: Callable[[dict[str, list[Any]]], Mapping[str, list[Any]]], puzzle: str = "megaminx") -> Make:
    """What is wrong with a changed model."""

    def make() -> Refutation:
        system = ours(get_puzzle(puzzle), get_puzzle(puzzle).move_sets["cw"].moves)
        turns = {name: list(turn) for name, turn in zip(system.names, system.turns, strict=True)}
        request = ModelAuditRequest(puzzle=puzzle, turns=dict(change(turns)))
        return verdicts.of_model_audit(request, model.audit(request))

    return make


def _swapped(turns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Two facelets of a turn are exchanged."""
    turn = turns["U"]
    one, other = [slot for slot, source in enumerate(turn) if slot != source][:2]
    turn[one], turn[other] = turn[other], turn[one]
    return turns


def _turned_back(turns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """One turn goes the other way round, which only several turns together show; the names tell nothing."""
    first = turns["U"]
    back = [0] * len(first)
    for slot, source in enumerate(first):
        back[source] = slot
    turns["U"] = back
    return {f"turn {number}": turn for number, turn in enumerate(turns.values())}


def printed(**asked: Any) -> Make:
    """A state that a program printed after an alg, and that is another."""

    def make() -> Refutation:
        request = ModelAuditRequest.model_validate({"puzzle": "8-puzzle", "states": [asked]})
        return verdicts.of_model_audit(request, model.audit(request))

    return make


def unsolvable(puzzle: str, state: object) -> Make:
    """A state that no moves lead from."""

    def make() -> Refutation:
        chosen = get_puzzle(puzzle)
        held = None
        try:
            chosen.parse_state(state)
        except InvalidState as error:
            held = error.held
        assert held is not None
        return refutations.unsolvable(chosen, chosen.move_set(None), held)

    return make


def _broken(puzzle: str, orbit: str, change: Callable[[list[int], list[int]], None]) -> Make:
    pieces = get_puzzle(puzzle).format_state(get_puzzle(puzzle).solved)["pieces"]
    change(pieces[orbit]["pieces"], pieces[orbit]["orientation"])
    return unsolvable(puzzle, {"pieces": pieces})


def _twist(pieces: list[int], turned: list[int]) -> None:
    turned[0] = (turned[0] + 1) % 3


def _flip(pieces: list[int], turned: list[int]) -> None:
    turned[3] ^= 1


def _swap(pieces: list[int], turned: list[int]) -> None:
    pieces[1], pieces[2] = pieces[2], pieces[1]


def _twice(pieces: list[int], turned: list[int]) -> None:
    pieces[1] = pieces[2]


REFUTATIONS: dict[str, Make] = {
    "megaminx: s2-face-distance": checked("megaminx", "s2-face-distance", "ccw"),
    "megaminx: faces out of place": checked("megaminx", "faces_out_of_place", "ccw"),
    "8-puzzle: twice manhattan": checked("8-puzzle", "manhattan * 2"),
    "8-puzzle: a feature without a table": checked("8-puzzle", "manhattan + 3 * linear_conflict"),
    "8-puzzle: a steep move": checked("8-puzzle", "manhattan if misplaced_tiles > 3 else 0"),
    "3x3x3: a maximum": checked("3x3x3", "max_corner_moves * 2 // 1 if corner_moves > 3 else 0"),
    "pyraminx: every operator": checked(
        "pyraminx", "max(-edge_moves, abs(1 - ceil(edge_moves / 3)) + floor(edge_moves // 0.5) * 1.5) "
        "if edge_moves != 2 and not (edge_moves >= 3 or edge_moves < 1) "
        "else min(edge_moves + 1, 9) * (2 <= edge_moves)",
    ),
    "megaminx: an audit": audited("megaminx", heuristic="ceil(misplaced_facelets / 5)", moves="ccw", radius=2),
    "megaminx: printed values": audited(
        "megaminx", moves="ccw", values=[{"alg": "U", "h": 1}, {"alg": "U U F", "h": 4}]
    ),
    "8-puzzle: does not solve": verified("8-puzzle", state="2 8 3 / 1 6 4 / 0 7 5", solution="U R U L D R"),
    "8-puzzle: cannot be made": verified("8-puzzle", state="1 2 3 / 8 4 5 / 7 6 0", solution="R U"),
    "megaminx: too long": verified("megaminx", alg="U F", moves="ccw", solution="F' U' U' U' U' U' U'"),
    "a model with two facelets exchanged": modelled(_swapped),
    "a model without names, a turn backwards": modelled(_turned_back),
    "a model with a turn that loses facelets": modelled(lambda turns: turns | {"U": [0] * len(turns["U"])}),
    "a model that lacks a turn": modelled(lambda turns: dict(list(turns.items())[:-1])),
    "a model that prints a wrong state": printed(alg="U L", state="1 2 3 / 8 0 4 / 7 6 5"),
    "8-puzzle: two tiles exchanged": unsolvable("8-puzzle", [2, 1, 3, 8, 0, 4, 7, 6, 5]),
    "15-puzzle: two tiles exchanged": unsolvable("15-puzzle", [0, 2, 1, *range(3, 16)]),
    "3x3x3: a corner turned": _broken("3x3x3", "CORNERS", _twist),
    "3x3x3: an edge flipped": _broken("3x3x3", "EDGES", _flip),
    "3x3x3: two edges exchanged": _broken("3x3x3", "EDGES", _swap),
    "megaminx: two edges exchanged": _broken("megaminx", "edges", _swap),
    "megaminx: a corner twice": _broken("megaminx", "corners", _twice),
}  # fmt: skip


def draw_held(puzzle: Any, draw: random.Random) -> list[int]:
    """What the slots hold after every orbit's pieces were shuffled and turned, whether or not moves lead there."""
    held = list(puzzle.contents(puzzle.solved))
    if not hasattr(puzzle, "orbits"):
        draw.shuffle(held)
        return held
    for orbit in puzzle.orbits:
        n = orbit.orientations
        pieces = [(held[slot] // n, puzzle.distinct_orientations[slot]) for slot in orbit.slots]
        draw.shuffle(pieces)
        for slot, (piece, distinct) in zip(orbit.slots, pieces, strict=True):
            held[slot] = piece * n + draw.randrange(distinct)
    return held


#: solves of small puzzles, whose claims can be compared with a search of all states
SOLVES: dict[str, dict[str, Any]] = {
    "tiles, A*": {"puzzle": "tiles:2x3", "random": 3, "heuristic": "manhattan"},
    "tiles, A*, two terms": {"puzzle": "tiles:2x3", "random": 4, "heuristic": "max(manhattan, misplaced_tiles)"},
    "tiles, A*, database": {"puzzle": "tiles:2x3", "random": 5, "heuristic": 'pdb("3-2")'},
    "tiles, breadth first": {"puzzle": "tiles:2x3", "random": 3, "algorithm": "breadth_first"},
    "tiles, bidirectional": {"puzzle": "tiles:2x3", "random": 3, "algorithm": "bidirectional"},
    "tiles, IDA*": {"puzzle": "tiles:2x3", "random": 6, "algorithm": "ida_star", "heuristic": "manhattan"},
    "tiles, auto": {"puzzle": "tiles:3x2", "random": 1, "algorithm": "auto"},
    "tiles, a bound": {"puzzle": "8-puzzle", "random": 1, "heuristic": "manhattan", "limits": {"expanded": 40}},
    "tiles, solved": {"puzzle": "tiles:2x3", "alg": ""},
    "pancake, A*": {"puzzle": "pancake:5", "random": 1, "heuristic": "zero"},
    "pancake, bidirectional": {"puzzle": "pancake:5", "random": 2, "algorithm": "bidirectional"},
    "lrx, A*": {"puzzle": "lrx:5", "random": 1, "heuristic": "zero"},
    "pyraminx, corners": {"puzzle": "pyraminx", "alg": "U L U' L U", "moves": "U L", "heuristic": "zero"},
    "pyraminx, no solution by sums": {"puzzle": "pyraminx", "alg": "R", "moves": "U U'"},
    "megaminx, A*": {
        "puzzle": "megaminx", "alg": "U F R", "moves": "ccw", "heuristic": "ceil(misplaced_facelets / 15)",
    },
    "2x2x2, A* over corners": {"puzzle": "2x2x2", "alg": "U R U", "moves": "U R", "heuristic": "max_corner_moves"},
    "tiles, costs": {"puzzle": "tiles:2x3", "random": 3, "moves": "U:3 D:2 L:2 R:5", "heuristic": "2 * manhattan"},
    "pancake, costs": {"puzzle": "pancake:4", "random": 2, "moves": "f2:3 f3 f4:2", "heuristic": "zero"},
    "2x2x2, costs": {
        "puzzle": "2x2x2", "alg": "U R' U", "moves": "U:3 R:2 U2:2 R':9", "heuristic": "max_corner_moves",
    },
}  # fmt: skip


def proof_of(**asked: Any) -> bytes:
    """The certificate of a solve's answer."""
    problem = prepare(SolveRequest(**asked), costs=True)
    destination = io.BytesIO()
    write(problem, solve(problem, keep=True), destination)
    return destination.getvalue()


def with_subtrees(data: bytes, depth: int) -> bytes:
    """The same proof with less of its tree: what lies below the depth is to be searched."""
    sections = taken_apart(data)
    kept, level = bytearray(), 0
    for move in sections["TREE"]:
        level -= move == UP
        if level < depth:
            kept.append(move)
        level += move != UP
    parts = [(tag, bytes(kept) if tag == "TREE" else payload) for tag, payload in sections.items()]
    return put_together([*parts, ("ROOT", b"")])


def with_nodes(data: bytes) -> bytes:
    """The same proof by subtrees with the numbers of their nodes."""
    with tempfile.TemporaryDirectory() as scratch:
        file, nodes = Path(scratch, "file"), Path(scratch, "nodes")
        file.write_bytes(data)
        assert first(file, "--nodes", str(nodes)).proven
        return put_together(list((taken_apart(data) | {"ROOT": nodes.read_bytes()}).items()))


def refutation_of(name: str) -> bytes:
    """The file of one of `REFUTATIONS`."""
    destination = io.BytesIO()
    REFUTATIONS[name]().write(destination)
    return destination.getvalue()


def small_certificates() -> dict[str, bytes]:
    """Small certificates of every kind of claim, by what they are."""
    proofs = {name: proof_of(**asked) for name, asked in SOLVES.items()}
    subtrees = {
        f"{name}, by subtrees": with_subtrees(proofs[name], depth)
        for name, depth in (
            ("tiles, A*", 0),
            ("tiles, A*, database", 2),
            ("pancake, A*", 1),
            ("2x2x2, A* over corners", 1),
            ("tiles, costs", 2),
            ("pancake, costs", 0),
            ("2x2x2, costs", 1),
        )
    }
    blank, corners = (0, 6, 0, 1), (0, 8, 0, 3)
    tiles = [[blank, (0, 6, one, 1), (0, 6, two, 1)] for one, two in ((1, 2), (3, 5))]
    patterns = {
        "tiles, patterns": with_patterns(proofs["tiles, A*"], tiles),
        "tiles, costs, patterns": with_patterns(proofs["tiles, costs"], tiles),
        "2x2x2, costs, a pattern": with_patterns(proofs["2x2x2, costs"], [[corners]]),
        "2x2x2, a pattern": with_patterns(proofs["2x2x2, A* over corners"], [[corners]]),
    }
    subtrees["tiles, A*, by subtrees with nodes"] = with_nodes(subtrees["tiles, A*, by subtrees"])
    return proofs | subtrees | patterns | {name: refutation_of(name) for name in REFUTATIONS}
