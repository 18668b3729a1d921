"""Distinct states at each distance, by the kernel and by NumPy, compared with published counts."""

from __future__ import annotations

import pytest

from hstar.audits.heuristic import audit
from hstar.audits.schema import HeuristicAuditRequest
from hstar.puzzles import get_puzzle
from hstar.search.perft import perft
from tests.conftest import TEST_ALL

#: (puzzle, moves): the counts, and how many of them `make test` checks. Megaminx and Master Pyraminx: twsearch, whose
#: author published them; 3x3x3 in the face-turn metric: cube20.org
PUBLISHED = {
    ("megaminx", "all"): ([1, 48, 1536, 43520, 1180800, 31471080], 4),
    ("master_pyraminx", "layers32"): ([1, 32, 672, 12624, 230048, 4135680, 73639820], 4),
    ("3x3x3", "all"): ([1, 18, 243, 3240, 43239, 574908], 5),
}


@pytest.mark.parametrize(("name", "moves"), PUBLISHED)
def test_the_kernel_counts_as_published(name: str, moves: str) -> None:
    counts, few = PUBLISHED[name, moves]
    expected = counts if TEST_ALL else counts[:few]
    limits = {"states": sum(expected), "memory_mib": 8192 if TEST_ALL else 256}
    asked = {"puzzle": name, "moves": moves, "heuristic": "zero", "radius": len(expected) - 1, "limits": limits}
    found = audit(HeuristicAuditRequest.model_validate(asked))
    assert [row.states for row in found.by_distance] == expected


@pytest.mark.parametrize(("name", "moves"), PUBLISHED)
def test_numpy_counts_as_published(name: str, moves: str) -> None:
    counts, few = PUBLISHED[name, moves]
    puzzle = get_puzzle(name)
    expected = counts[: few + 1] if TEST_ALL else counts[:few]
    assert list(perft(puzzle, puzzle.move_set(moves), len(expected) - 1)) == expected
