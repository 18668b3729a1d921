"""A request with its own labels: it is parsed and answered with them, and the problem is the same."""

from __future__ import annotations

import pytest

from hstar.errors import HstarError, InvalidAlg, InvalidRequest
from hstar.labels import named
from hstar.puzzles.megaminx import FACES, NEIGHBOURS
from hstar.search import SolveRequest, answer, prepare, solve

#: a student's numbers for the faces
NUMBERS = {face: f"n{i}" for i, face in enumerate(FACES)}
TABLE = {NUMBERS[face]: [NUMBERS[n] for n in around] for face, around in NEIGHBOURS.items()}


def request(**fields: object) -> SolveRequest:
    return SolveRequest.model_validate(
        {"puzzle": "megaminx", "moves": "ccw", "labels": {"neighbours": TABLE, "anchors": {"n0": "U", "n1": "F"}}}
        | fields
    )


def test_moves_are_read_and_written_in_the_students_names() -> None:
    problem = prepare(request(alg="n0 n5 n0"))
    assert problem.given.alg == ["U", "BR", "U"]
    shown = named(answer(problem, solve(problem)))
    assert shown.start.alg == ["n0", "n5", "n0"]
    assert shown.solution == ["n0'", "n5'", "n0'"]
    assert shown.start.labels is not None
    assert shown.start.labels.faces == {name: face for face, name in NUMBERS.items()}
    assert set(shown.start.state["facelets"]) == set(TABLE)
    again = prepare(request(state=shown.start.state))
    assert again.start == problem.start


def test_faults_are_reported_in_the_students_names() -> None:
    with pytest.raises(InvalidAlg, match="n99"):
        prepare(request(alg="n0 n99"))
    with pytest.raises(InvalidRequest) as caught:
        prepare(request(alg="", labels={"neighbours": TABLE | {"n0": [*TABLE["n0"][:4], "n6"]}}))
    assert any(fault.where.startswith("/labels/neighbours") for fault in caught.value.faults)


@pytest.mark.parametrize("puzzle", ["8-puzzle", "tiles:2x3"])
def test_boards_have_no_faces_to_name(puzzle: str) -> None:
    with pytest.raises(HstarError):
        prepare(request(puzzle=puzzle, alg="", moves="slide"))


def test_without_labels_nothing_is_renamed() -> None:
    problem = prepare(SolveRequest(puzzle="megaminx", alg="U"))
    shown = answer(problem, solve(problem))
    assert named(shown) is shown
