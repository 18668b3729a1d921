"""Whatever an answer was found with, it has a certificate, or was refused before it was searched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hstar import schema
from hstar.certificates import proofs
from hstar.certificates.proofs import can_certify, write_file
from hstar.certificates.terms import terms_of
from hstar.errors import InvalidRequest
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.search import ALGORITHMS, SolveRequest, prepare, solve
from tests.certificates.checkers import first_forked, second
from tests.hostile.comparison import cosets_of_small_groups

#: by puzzle: starts, and heuristics of each kind that it has
ASKED: dict[str, tuple[dict[str, Any], list[str | None]]] = {
    "a board": (
        {"puzzle": "tiles:3x2", "random": 3},
        [None, "zero", "manhattan", "manhattan + linear_conflict", "walking_distance", "gaschnig", "misplaced_cells",
         "2 * manhattan", "manhattan // 2", 'pdb("3-2")', 'pdb("blocks:3")', 'max(pdb("3-2"), manhattan)'],
    ),
    "pieces": (
        {"puzzle": "pyraminx", "scramble": {"k": 4, "seed": 2}},
        [None, "zero", "max_edge_moves", 'pdb("EDGES:3")', 'pdb("EDGES:2+CORNERS:1")', 'pdb("EDGES+CORNERS")',
         '2 * pdb("EDGES:3")'],
    ),
    "cosets": (
        {"puzzle": "2x2x2", "scramble": {"k": 4, "seed": 2}},
        ['pdb("cosets")', 'pdb("CORNERS:3")', 'max(pdb("cosets"), corner_moves // 4)'],
    ),
}  # fmt: skip
#: plans with methods that no algorithm is named after
PLANS = [
    [{"method": "ida_star", "heuristic": "zero", "settings": {"partitions": True, "learn_after": 0}}],
    [{"method": "beams"}, {"method": "insertions"}, {"method": "ida_star"}],
]


@pytest.fixture(autouse=True, scope="module")
def cosets() -> Iterator[None]:
    with cosets_of_small_groups():
        yield


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", ASKED)
def test_it_has_a_certificate(name: str, algorithm: schema.Algorithm, tmp_path: Path) -> None:
    start, heuristics = ASKED[name]
    if algorithm == "plan":
        given: list[dict[str, Any]] = [{"plan": plan} for plan in PLANS]
    else:
        given = [{"heuristic": text} for text in heuristics] if ALGORITHMS[algorithm].heuristic else [{}]
    file = tmp_path / "proof.hcert"
    for number, options in enumerate(given):
        limits = {"expanded": 20_000}
        asked = SolveRequest.model_validate(start | {"algorithm": algorithm, "limits": limits} | options)
        try:
            problem = prepare(asked)
            result = solve(problem, keep=True)
        except InvalidRequest:
            assert algorithm in ("two_phase", "plan"), options
            continue
        can_certify(problem)
        written = write_file(problem, result, file)
        verdict = second(file)
        assert verdict.proven, (options, written, verdict)
        if number == len(given) // 2:
            assert first_forked(file).proven


def proven(asked: dict[str, Any], file: Path) -> None:
    problem = prepare(SolveRequest.model_validate(asked))
    can_certify(problem)
    write_file(problem, solve(problem, keep=True), file)
    for verdict in (first_forked(file), second(file)):
        assert verdict.proven, verdict


@pytest.mark.parametrize("heuristic", [None, "manhattan + linear_conflict"])
def test_large_boards_lack_some_heuristics(heuristic: str | None, tmp_path: Path) -> None:
    """A board of 36 cells has no walking distance."""
    proven({"puzzle": "tiles:6x6", "scramble": {"k": 3, "seed": 1}, "heuristic": heuristic}, tmp_path / "proof.hcert")


@pytest.mark.parametrize(("puzzle", "most"), [("tiles:2x3", 63), ("tiles:8x8", 1)])
def test_a_file_has_no_more_tables_than_checkers_take(puzzle: str, most: int, tmp_path: Path) -> None:
    """The moves of a large board leave room for one."""
    asked = {"puzzle": puzzle, "scramble": {"k": 3, "seed": 1}, "heuristic": "max(manhattan // 2, misplaced_tiles)"}
    proven(asked, tmp_path / "proof.hcert")
    problem = prepare(SolveRequest.model_validate(asked))
    term = terms_of(problem.heuristic.expression, problem.puzzle, problem.moves)[0][0]
    assert len(proofs._fitting(problem, [term] * 99)) == most


def test_what_no_checker_takes_is_refused_before_it_is_searched() -> None:
    problem = prepare(SolveRequest.model_validate({"puzzle": "tiles:9x9", "scramble": {"k": 3, "seed": 1}}))
    with pytest.raises(InvalidRequest) as caught:
        can_certify(problem)
    (fault,) = caught.value.faults
    assert fault.where == "/certificate"
    assert "tiles:9x9 with the moves slide is too large for a certificate" in fault.message


def test_a_piece_without_orientation_is_counted_by_no_sum_of_orientations(tmp_path: Path) -> None:
    """It stays where it is; three others are turned, each by itself. A checker takes it that it may be anywhere."""
    stay, turned = [0, 1, 2, 3], [0, 1, 1, 0]
    definition = {
        "name": "plain",
        "orbits": [{"orbitName": "P", "numPieces": 4, "numOrientations": 2}],
        "defaultPattern": {"P": {"pieces": stay, "orientation": [0] * 4, "orientationMod": [1, 2, 2, 2]}},
        "moves": {
            "A": {"P": {"permutation": stay, "orientationDelta": turned}},
            "B": {"P": {"permutation": stay, "orientationDelta": [0, 0, 1, 1]}},
        },
    }
    with looking_in(Folder(tmp_path)):
        Folder(tmp_path).add(read_any_definition(definition, "plain"))
        start = {"P": {"pieces": stay, "orientation": [0, 1, 0, 0], "orientationMod": [1, 2, 2, 2]}}
        asked = {"puzzle": "plain", "state": start, "algorithm": "astar"}
        proven(asked, tmp_path / "proof.hcert")
