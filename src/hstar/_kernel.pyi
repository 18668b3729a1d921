"""The native search kernel. A state is `bytes`: one byte a slot (permutation puzzles) or a cell (tiles, 0 blank)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

class Puzzle:
    """What both kinds of puzzle have in common; cannot be constructed."""

    @property
    def goal(self) -> bytes: ...
    @property
    def move_count(self) -> int: ...

class PermutationPuzzle(Puzzle):
    """Slots that hold labels (piece * orientations + orientation), and moves that carry and relabel them.

    values[i]: how many values slot i may hold (1..256). goal: one byte a slot. A move is (dst, src, maps):
    new[dst[i]] = maps[i][old[src[i]]], other slots unchanged; maps[i] has values[src[i]] entries. A move must be
    invertible: dst and src name the same slots, and every map is one-to-one. At most 128 slots and 256 moves.
    Raises ValueError naming the fault.
    """

    def __init__(
        self, values: Sequence[int], goal: bytes, moves: Sequence[tuple[bytes, bytes, Sequence[bytes]]]
    ) -> None: ...
    def apply(self, state: bytes, move: int) -> bytes:
        """The state after a move. ValueError for what is no state or no move."""

class SlidingTiles(Puzzle):
    """rows x columns cells (2..255) with the tiles 0..cells-1, 0 the blank.

    Moves: 0 up, 1 right, 2 down, 3 left, the way the blank goes. Raises ValueError naming the fault.
    """

    def __init__(self, rows: int, columns: int, goal: bytes) -> None: ...
    def apply(self, state: bytes, move: int) -> bytes | None:
        """The board after a move, None if the border forbids it. ValueError for what is no board or no move."""

class Heuristic:
    """Features of a state and a postfix program over them; h = max(0, value), at most max_value.

    features: ("table", int32 array [slots, at least max(values)]) is the sum over slots of table[slot, value],
    ("maximum", such an array) the greatest of them; ("union", uint64 array of the same shape) is the number of bits set
    in any of the table[slot, value]; ("solved", None) is 1 at the goal, else 0; for tiles only, with None:
    "linear_conflict", "conflicts", "inversions", "gaschnig", "walking_distance", "clustered_misplaced". At most 64.
    program: ("const", float), ("feature", index), and with operand None: add sub mul div floordiv min max lt le gt ge
    eq ne and or (two arguments; comparisons and logic give 0 or 1), ceil floor abs neg not (one), select (a, b, cond:
    a if cond is not 0, else b). Arithmetic is in doubles; floordiv is Python's `//`; division by zero follows IEEE,
    and a result that is not a number counts as 0.
    integer, max_value: what the caller has proved about all values; max_value may be infinite.
    Raises ValueError naming the fault.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        features: Sequence[tuple[str, NDArray[np.int32] | NDArray[np.uint64] | None]],
        program: Sequence[tuple[str, float | int | None]],
        integer: bool,
        max_value: float,
    ) -> None: ...
    def evaluate(self, state: bytes) -> float:
        """h of a state, as the search uses it. ValueError for what is no state."""

class Control:
    """Shared with a running search, from any thread: stops it, and reads its counters (about every 1000 expansions)."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def cancelled(self) -> bool: ...
    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def evaluated(self) -> int: ...
    @property
    def reopened(self) -> int: ...
    @property
    def stored(self) -> int:
        """Distinct states held."""
    @property
    def f_bound(self) -> float:
        """As in Outcome, so far."""
    @property
    def bytes(self) -> int:
        """Memory in use."""

class Outcome:
    """How a search ended, and all its counters. Not constructible from Python."""

    @property
    def status(self) -> Literal["solved", "exhausted", "limit_reached", "cancelled"]: ...
    @property
    def limit(self) -> Literal["expanded", "generated", "seconds", "memory"] | None: ...
    @property
    def path(self) -> list[int]:
        """Move numbers from start to goal, if solved."""
    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def evaluated(self) -> int: ...
    @property
    def reopened(self) -> int: ...
    @property
    def expanded_last_layer(self) -> int:
        """Expansions with f equal to f_solution (IDA*: of the last iteration); 0 if not solved."""
    @property
    def stored(self) -> int: ...
    @property
    def max_open(self) -> int:
        """Most distinct states on the open list at one time."""
    @property
    def f_bound(self) -> float:
        """No solution has a smaller f, if h is admissible and the weight at most 1: the largest f taken from the open
        list (astar), the threshold (ida_star), h of the start (greedy), the depth reached (breadth_first and
        bidirectional, for which it is a bound by itself)."""
    @property
    def f_solution(self) -> float | None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def peak_bytes(self) -> int:
        """Most bytes that this search had in use."""

def astar(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    weight: float = 1.0,
    tie_breaking: Literal["low_h", "lifo", "fifo"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """A* with f = g + weight * h, successors in the order of `moves`; the GIL is released.

    The counters depend on the arguments alone (limits on seconds and memory aside). memory_bytes is never exceeded.
    Raises ValueError for a start that is no state, an unknown or repeated move, a weight that is negative or not
    finite, negative seconds, or a heuristic of another puzzle.
    """

def ida_star(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    weight: float = 1.0,
    pruning: Literal["none", "inverse", "canonical"] = "canonical",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Depth-first searches that leave out f above a threshold, which rises to the least f left out.

    Keeps the path alone, and so meets a state as often as a sequence of moves leads to it. `pruning` leaves out moves:
    none, the inverse of the last one, or all that give another sequence than the first of those with the same effect
    (commuting moves in the order of `moves`, runs such as U U' or five times U). `generated` counts the successors that
    were produced one by one until the end, pruned moves not included; all of them are evaluated. Raises as astar does.
    """

def greedy(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    tie_breaking: Literal["low_h", "lifo", "fifo"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Best-first search by h alone; each distinct state is expanded at most once. Raises as astar does."""

def breadth_first(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Layers from the start; counts as astar with h = 0 and fifo, without evaluations. Raises as astar does."""

def bidirectional(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Whole layers from the start and, against the moves, from the goal, the side with fewer states next (the start's
    on a tie), until a new state of one is known to the other. Counters are of both sides. Raises as astar does.
    """

def trim_arena() -> int:
    """Give the memory kept warm between searches back to the system; returns the bytes. No effect during a search."""
