"""Wrong arguments of the extension raise Python errors that name them, and never crash."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hstar import _kernel

PUZZLE = _kernel.SlidingTiles(4, 4, bytes(range(16)))
ZERO = _kernel.Heuristic(PUZZLE, [], [("const", 0.0)], True, 0.0)
CALL: dict[str, Any] = {"memory_bytes": 2**20, "control": _kernel.Control()}


def test_a_table_without_rows_is_no_table() -> None:
    """Sixteen rows of so many columns would be 2**64 entries, which is 0."""
    table = np.empty((0, 2**60), np.int32)
    with pytest.raises(ValueError, match="one row for each of the 16 slots"):
        _kernel.Heuristic(PUZZLE, [("table", table)], [("feature", 0)], True, 1.0)


@pytest.mark.parametrize("kind", ["table", "maximum", "union"])
@pytest.mark.parametrize("operand", [None, 3, "x", np.zeros((16, 16)), np.zeros(256, np.int32)])
def test_an_operand_of_another_type_is_named(kind: str, operand: Any) -> None:
    with pytest.raises(TypeError, match=f"{kind}: operand is not a C-contiguous"):
        _kernel.Heuristic(PUZZLE, [(kind, operand)], [("feature", 0)], True, 1.0)


def test_none_is_no_object() -> None:
    nothing: Any = None
    with pytest.raises(TypeError):
        _kernel.Heuristic(nothing, [], [("const", 0.0)], True, 0.0)
    with pytest.raises(TypeError):
        _kernel.breadth_first(nothing, bytes(range(16)), [0], **CALL)
    with pytest.raises(TypeError, match="must not hold None"):
        _kernel.TileHeuristic(PUZZLE, [nothing], [])


@pytest.mark.parametrize("search", [_kernel.astar, _kernel.ida_star, _kernel.greedy, _kernel.rbfs])
def test_a_refusal_inside_a_search_is_an_error_and_the_next_search_runs(search: Any) -> None:
    with pytest.raises(ValueError, match="tile 0 appears twice"):
        search(PUZZLE, bytes(16), [0], ZERO, **CALL)
    with pytest.raises(ValueError, match="no move 4"):
        search(PUZZLE, bytes(range(16)), [4], ZERO, **CALL)
    other = _kernel.SlidingTiles(4, 4, bytes(range(16)))
    with pytest.raises(ValueError, match="another puzzle"):
        search(other, bytes(range(16)), [0], ZERO, **CALL)
    assert search(PUZZLE, bytes(range(16)), [0], ZERO, **CALL).status == "solved"


@pytest.mark.parametrize("memory", [2**63, 2**64 - 1])
def test_limits_larger_than_any_counter_have_no_effect(memory: int) -> None:
    start = bytes([1, 0, *range(2, 16)])
    call: dict[str, Any] = {"max_generated": 2**64 - 1, "memory_bytes": memory, "control": _kernel.Control()}
    outcome = _kernel.astar(PUZZLE, start, [0, 1, 2, 3], ZERO, **call)
    assert (outcome.status, outcome.limit, len(outcome.path)) == ("solved", None, 1)
