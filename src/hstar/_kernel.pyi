"""The native search kernel. A state is `bytes`: one byte a slot (permutation puzzles) or a cell (tiles, 0 blank).

Where a slot of a permutation puzzle may hold more than 256 values, a state of it is two bytes a slot, in the machine's
order.
"""

import builtins
from collections.abc import Callable, Sequence
from typing import ClassVar, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

Operand: TypeAlias = NDArray[np.int32] | NDArray[np.uint64] | Database | Callable[[bytes], float] | None

class Puzzle:
    """What both kinds of puzzle have in common; cannot be constructed."""

    @property
    def goal(self) -> bytes: ...

class PermutationPuzzle(Puzzle):
    """Slots that hold labels (piece * orientations + orientation), and moves that carry and relabel them.

    values[i]: how many values slot i may hold (1..1024). goal: a state. A move is (dst, src, maps):
    new[dst[i]] = maps[i][old[src[i]]], other slots unchanged; maps[i] has values[src[i]] entries. A move must be
    invertible: dst and src name the same slots, and every map is one-to-one. At most 8192 slots and 256 moves.
    forbidden: of each move (slot, values with which it is not legal); empty: all are legal everywhere.
    Raises ValueError naming the fault.
    """

    def __init__(
        self,
        values: Sequence[int],
        goal: bytes,
        moves: Sequence[tuple[Sequence[int], Sequence[int], Sequence[Sequence[int]]]],
        forbidden: Sequence[Sequence[tuple[int, Sequence[int]]]] = (),
    ) -> None: ...
    def apply(self, state: bytes, move: int) -> bytes | None:
        """The state after a move; None if it is forbidden. ValueError for what is no state or no move."""

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
    in any of the table[slot, value]; ("solved", None) is 1 at the goal, else 0; ("gaps", None), if the goal is 0, 1, 2,
    ..., is the number of slots whose value is not next to that of the slot behind; for tiles only, with None:
    "linear_conflict", "conflicts", "inversions", "gaschnig", "walking_distance", "clustered_misplaced";
    ("database", a Database of this puzzle) is its value of the state; ("function", a callable) what it returns for the
    state's bytes: it must not raise, and any thread of a search may call it. At most 64.
    program: ("const", float), ("feature", index), and with operand None: add sub mul div floordiv min max lt le gt ge
    eq ne and or (two arguments; comparisons and logic give 0 or 1), ceil floor abs neg not (one), select (a, b, cond:
    a if cond is not 0, else b). Arithmetic is in doubles; floordiv is Python's `//`; division by zero follows IEEE,
    and a result that is not a number counts as 0.
    integer, max_value: what the caller has proved about all values; max_value may be infinite.
    Raises ValueError naming the fault, Stopped.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        features: Sequence[tuple[str, Operand]],
        program: Sequence[tuple[str, float | int | None]],
        integer: bool,
        max_value: float,
        control: Control | None = None,
    ) -> None: ...
    def evaluate(self, state: bytes) -> float:
        """h of a state, as the search uses it. ValueError for what is no state."""

def run_program(
    program: Sequence[tuple[str, float | int | None]], features: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The value of a `Heuristic`'s program for each row of feature values; not clamped."""

class Stopped(Exception):
    """What a constructor was making was given up, because its control was cancelled or overdue."""

class Control:
    """Shared with a running search or build, from any thread: ends or pauses it, and says how far it is.

    A search updates its counters about every 1000 expansions. Everything that takes a control ends within some 20 ms of
    a cancel, and of the deadline.
    """

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    def pause(self) -> None:
        """Let the work wait where it next asks whether to end; it keeps what it has. Its clock stands still."""
    def resume(self) -> None:
        """Let it go on; a cancel does the same."""
    @property
    def now(self) -> float:
        """Its clock, in seconds."""
    @property
    def cancelled(self) -> bool: ...
    def end_after(self, seconds: float | None) -> None:
        """Set a deadline, so many seconds from now (None: take it away), at any time, also while a search runs.

        A search then ends as at its own limit of seconds: limit_reached, "seconds". What is built ends as if it was
        cancelled. Once it was seen to have passed, a later one changes nothing. Raises ValueError for NaN.
        """
    @property
    def overdue(self) -> bool:
        """Whether the deadline has passed; a cancel does not count."""
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
    @property
    def done(self) -> int:
        """Entries of a table that is built; `total`: all of them."""
    @property
    def total(self) -> int: ...

#: A part of one iteration of IDA*: the moves to its root, the bound on f, and how many pieces it is to be split into
#: (0: it is searched). Without a solution it is exhausted, and f_bound is the least f above the bound, or infinite.
#: A bound below 0: nothing is searched, and f_bound is that of the first iteration.
Part = tuple[Sequence[int], float, int]

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
        """Expansions with the solution's f (IDA*: of the last iteration); 0 if not solved."""
    @property
    def layers(self) -> list[tuple[float, int]]:
        """The expansions with each f, by f, however the search ended; of ida_star for each threshold, of rbfs with each
        stored value, of meet_in_the_middle with each priority or lower bound, of RepairingSearch with each g + h in all
        steps so far. Empty for searches without f."""
    @property
    def stored(self) -> int: ...
    @property
    def max_open(self) -> int:
        """Most distinct states on the open list at one time."""
    @property
    def tree(self) -> NDArray[np.uint8] | None:
        """The states that prove the bound, in depth-first order: a byte for each step down (the place of a move in the
        list that the search was given), 255 for each step up. None unless kept."""
    @property
    def back_tree(self) -> NDArray[np.uint8] | None:
        """Of bidirectional search: the same of the states round the goal, by moves that are undone."""
    @property
    def roots(self) -> list[list[int]]:
        """Of a `Part` with pieces: the moves to the roots of its subtrees."""
    @property
    def back_depth(self) -> int:
        """How far from the goal all states are in `back_tree`."""
    @property
    def learned(self) -> list[list[int]]:
        """Of ida_star with partitions and `keep_tree`: those that it learned last, as `LearnedPartitions.costs` has
        them."""
    @property
    def f_bound(self) -> float:
        """No solution has a smaller f, if h is admissible and the weight at most 1: the largest f taken from the open
        list (astar), the threshold (ida_star), h of the start (greedy), the depth reached (breadth_first and
        bidirectional, for which it is a bound by itself)."""
    @property
    def seconds(self) -> float: ...
    @property
    def peak_bytes(self) -> int:
        """Most bytes that this search had in use."""

class AuditRow:
    """All states at one distance from the goal, and on how many of them a heuristic is at fault."""

    @property
    def states(self) -> int: ...
    @property
    def inadmissible(self) -> int:
        """States with h above the distance."""
    @property
    def inconsistent(self) -> int:
        """States with a move that lowers h by more than 1."""
    @property
    def largest_excess(self) -> float:
        """Of h over the distance; 0 if it is never above."""
    @property
    def ratio_sum(self) -> float:
        """Sum of h / distance; 0 at the goal."""
    @property
    def above_other(self) -> int:
        """States on which h is larger than the other heuristic."""
    @property
    def below_other(self) -> int: ...

class Overestimate:
    """A state by the moves that lead to it from the goal, with h and its true distance."""

    @property
    def path(self) -> list[int]: ...
    @property
    def h(self) -> float: ...
    @property
    def distance(self) -> int: ...

class Drop:
    """A state by the moves that lead to it from the goal, and a move that lowers h by more than 1."""

    @property
    def path(self) -> list[int]: ...
    @property
    def move(self) -> int: ...
    @property
    def before(self) -> float: ...
    @property
    def after(self) -> float: ...

class Audit:
    """What an audit saw. Not constructible from Python."""

    @property
    def rows(self) -> list[AuditRow]:
        """By distance from 0; each of them is complete."""
    @property
    def whole(self) -> bool:
        """Whether there are no states farther away."""
    @property
    def early(self) -> Literal["cancelled", "expanded", "generated", "seconds", "memory"] | None:
        """What ended it before the radius was reached."""
    @property
    def overestimate(self) -> Overestimate | None:
        """A nearest state with h above the distance: the first that breadth-first search meets."""
    @property
    def drop(self) -> Drop | None:
        """A nearest state with a move that lowers h by more than 1, likewise."""
    @property
    def peak_bytes(self) -> int: ...

def audit(
    heuristic: Heuristic,
    other: Heuristic | None,
    moves: Sequence[int],
    inverses: Sequence[int],
    radius: int,
    *,
    max_states: int | None = None,
    memory_bytes: int,
    control: Control,
) -> Audit:
    """Look at every state from which at most `radius` of `moves` lead to the goal, and at every move from it.

    inverses[i] undoes moves[i]. The GIL is released; the control counts states as expansions. Raises ValueError for an
    unknown or repeated move, or an other heuristic of another puzzle.
    """

def astar(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    weight: float = 1.0,
    tie_breaking: Literal["low_h", "lifo", "fifo", "batch"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    keep_tree: bool = False,
    costs: Sequence[int] = (),
    control: Control,
) -> Outcome:
    """A* with f = g + weight * h, successors in the order of `moves`; the GIL is released.

    costs: of each move, 1 to 255; left out, all cost 1.
    The counters depend on the arguments alone (limits on seconds and memory aside). memory_bytes is never exceeded.
    keep_tree: the outcome has a `tree`, if the weight is 1.
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
    partitions: bool = False,
    learn_after: int = 50_000,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    threads: int = 1,
    part: Part | None = None,
    keep_tree: bool = False,
    costs: Sequence[int] = (),
    control: Control,
) -> Outcome:
    """Depth-first searches that leave out f above a threshold, which rises to the least f left out.

    Keeps the path alone, and so meets a state as often as a sequence of moves leads to it. `pruning` leaves out moves:
    none, the inverse of the last one, or all that give another sequence than the first of those with the same effect
    (commuting moves in the order of `moves`, runs such as U U' or five times U). `generated` counts the successors that
    were produced one by one until the end, pruned moves not included; all of them are evaluated. Raises as astar does.
    `partitions`: h is the greatest of cost partitions, some of them learned for the start, and `heuristic` is not used;
    only for permutation puzzles of at most 128 slots and 256 values, and weight 1. They are learned after an iteration
    of `learn_after` expansions, pairs of pieces after one of a tenth as many for each move; 0: both before the first.
    """

def gap_beam(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    width: int,
    longest: int,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    threads: int = 1,
    control: Control,
) -> Outcome:
    """Layer by layer on a row of pieces, keeping the ``width`` states of each layer with the fewest gaps, and none that
    gaps show to need more than ``longest`` moves; the GIL is released.

    The outcome does not depend on ``threads``, nor on which heuristic of the puzzle is given. Exhausted: no state was
    left, which proves nothing. Raises as astar does, and ValueError for moves that turn pieces or may be forbidden.
    """

class LearnedPartitions:
    """What `ida_star` with `partitions` learns for one start and bound, so that it can be compared with distances.

    Raises ValueError for a start that is no state, unknown or repeated moves, and puzzles that have no partitions.
    """

    def __init__(
        self, puzzle: Puzzle, start: bytes, moves: Sequence[int], bound: int, *, pairs: bool = True
    ) -> None: ...
    @property
    def pairs(self) -> bool:
        """Whether pairs of pieces were learned."""
    @property
    def costs(self) -> list[list[int]]:
        """What each slot's content costs at least in each partition, in units of 1 / `scale` moves: a row for each
        slot, of as many entries as any slot has values. The sum over a state's slots, rounded up, is at most h."""
    scale: ClassVar[int]
    def values(self, states: Sequence[bytes]) -> list[int]:
        """h of states, each as that of a start. They are not checked."""
    def along(self, start: bytes, path: Sequence[int]) -> list[int]:
        """h of a state and after each move of a path, with the pairs that each state inherits from the one before."""

def greedy(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    tie_breaking: Literal["low_h", "lifo", "fifo", "batch"] = "low_h",
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Best-first search by h alone; each distinct state is expanded at most once. Raises as astar does."""

def rbfs(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    weight: float = 1.0,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """Recursive best-first search by f = g + weight * h; it leaves out the move that undoes the one before. Raises as
    astar does."""

def partial_expansion(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """EPEA*, with h rounded up. Of sliding tiles whose h is a function of a sum over cells, h of a successor is known
    without the successor; of others a successor is evaluated each time that its node is expanded. Raises as astar
    does."""

class RepairingSearch:
    """ARA*: one search in steps, each with a weight that is to be smaller than the one before. h is rounded up. Not for
    two threads at a time."""

    def __init__(
        self, puzzle: Puzzle, start: bytes, moves: Sequence[int], heuristic: Heuristic, *, memory_bytes: int
    ) -> None:
        """Raises ValueError as astar does."""

    def improve(
        self,
        weight: float,
        *,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        control: Control,
    ) -> Outcome:
        """One step. The counters are of this step; ``path`` is the best solution so far, empty without one, however the
        step ended; no solution is shorter than ``f_bound``, if h is admissible. Raises ValueError for a weight below
        1."""

def meet_in_the_middle(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    back: Heuristic,
    images: Sequence[int],
    rule: Literal["mm", "nbs"],
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    control: Control,
) -> Outcome:
    """MM or NBS, with h rounded up; ``back`` is h of the way back, of a state whose values are renamed by ``images``,
    row-major [slots, values of the widest slot] (empty: as they are). Raises as astar does."""

def breadth_first(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    keep_tree: bool = False,
    control: Control,
) -> Outcome:
    """Layers from the start; counts as astar with h = 0 and fifo, without evaluations. Raises as astar does."""

def layered(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    heuristic: Heuristic,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    threads: int = 1,
    directory: str | None = None,
    disk_bytes: int = 0,
    key: str = "",
    checkpoint_seconds: float = 2.0,
    control: Control,
) -> Outcome:
    """Breadth-first heuristic search below rising bounds on f, of which few layers are kept.

    With a directory, what does not fit into memory is there, and a later call with the same key goes on from the last
    layer. ``stored``: most states held at one time; ``max_open``: the largest layer. Raises ValueError as astar does,
    and if the directory cannot be used, or has the files of another search.
    """

def count_layers(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    *,
    depth: int | None,
    memory_bytes: int,
    threads: int = 1,
    directory: str | None = None,
    disk_bytes: int = 0,
    key: str = "",
    checkpoint_seconds: float = 2.0,
    control: Control,
) -> Outcome:
    """How many states are at each distance up to ``depth`` (None: all): ``layers``. Exhausted: there are no more."""

def bidirectional(
    puzzle: Puzzle,
    start: bytes,
    moves: Sequence[int],
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    keep_tree: bool = False,
    control: Control,
) -> Outcome:
    """Whole layers from the start and, against the moves, from the goal, the side with fewer states next (the start's
    on a tie), until a new state of one is known to the other. Counters are of both sides. Raises as astar does.
    """

def trim_arena() -> int:
    """Give the memory kept warm between searches back to the system; returns the bytes. No effect during a search."""

class Database:
    """What was computed beforehand and gives a lower bound for a whole state; cannot be constructed."""

class PieceSpace:
    """A permutation puzzle seen from its pieces.

    orbits: (first slot, pieces, orientations) of each, in the order of the slots. A piece's place in its orbit is
    slot * orientations + orientation. Pieces with the same number at the goal look alike; distinct: for each slot, in
    how many orientations its piece looks different (empty: in all). Raises ValueError if the puzzle is not made of such
    orbits.
    """

    def __init__(
        self, puzzle: PermutationPuzzle, orbits: Sequence[tuple[int, int, int]], distinct: Sequence[int] = ...
    ) -> None: ...
    def length_parity(self, moves: Sequence[int], state: bytes) -> int | None:
        """Whether all solutions of a state have an even (0) or an odd (1) number of moves, because each move permutes
        the pieces of some orbits oddly; None if that is not seen."""

class Symmetry:
    """A symmetry of a space with a move set: images[orbit][place] is the place's image.

    reversing: conjugation turns the moves into their inverses, and the symmetry is applied to inverse states. Raises
    ValueError if it is not a symmetry of the move set.
    """

    def __init__(
        self, space: PieceSpace, moves: Sequence[int], images: Sequence[Sequence[int]], reversing: bool
    ) -> None: ...

class Pattern:
    """Some pieces, by the slots that are their homes, the rest ignored; of pieces that look alike all or none."""

    def __init__(self, space: PieceSpace, pieces: Sequence[int]) -> None: ...
    @property
    def pieces(self) -> list[int]:
        """Ascending, but pieces that look alike are side by side."""
    @property
    def entries(self) -> int: ...

def build_pattern_database(
    pattern: Pattern, moves: Sequence[int], *, threads: int, progress: Control, costs: Sequence[int] = ...
) -> tuple[int, NDArray[np.uint8], list[int]] | None:
    """Bits an entry (4 or 8), the packed table and the number of entries at each distance; None if it was stopped.

    ``costs`` of the moves, at least 1; empty: each costs 1. The largest number that the bits hold says that no moves
    lead to the goal. The GIL is released. Raises MemoryError, and ValueError for moves or costs that are none.
    """

class PatternDatabase:
    """A pattern and its table, which is kept alive. Raises ValueError for a table of the wrong size."""

    def __init__(self, pattern: Pattern, table: NDArray[np.uint8], bits: int) -> None: ...

class PatternHeuristic(Database):
    """The maximum of databases that were built for `moves`, each read through all symmetries."""

    def __init__(
        self,
        space: PieceSpace,
        moves: Sequence[int],
        databases: Sequence[PatternDatabase],
        symmetries: Sequence[Symmetry],
    ) -> None: ...
    def value(self, state: bytes) -> int | None:
        """A lower bound on the distance; None if no moves lead to the goal. 0 for what has a piece twice."""
    @property
    def lookups(self) -> int:
        """How many numbers are looked up for one state at most."""

def pattern_ida_star(
    heuristic: PatternHeuristic,
    start: bytes,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    part: Part | None = None,
    control: Control,
) -> Outcome:
    """A shortest solution with the heuristic's moves; successors in canonical order, the GIL released.

    f_bound is a proven lower bound however the search ends. With one thread the counters depend on the arguments
    alone; with more the path still does, but not what was counted in the last iteration, and limits are overrun a
    little. Raises ValueError for a start that is no state and for negative seconds.
    """

class TilePattern:
    """Some tiles of a board of at most 50 cells, the rest ignored."""

    def __init__(self, puzzle: SlidingTiles, tiles: Sequence[int]) -> None: ...
    @property
    def tiles(self) -> list[int]:
        """Ascending."""
    @property
    def entries(self) -> int: ...

def build_tile_database(
    pattern: TilePattern, *, threads: int, progress: Control
) -> tuple[int, NDArray[np.uint8], list[int]] | None:
    """4, the packed table and the number of entries at each distance; None if it was stopped.

    An entry is half of what the distance exceeds the Manhattan distance by, at most 15. The GIL is released. Raises
    MemoryError.
    """

class TileDatabase:
    """A pattern and its table, which is kept alive. Raises ValueError for a table of the wrong size."""

    def __init__(self, pattern: TilePattern, table: NDArray[np.uint8]) -> None: ...

class TileHeuristic(Database):
    """The sum of databases of disjoint patterns, read through symmetries of the board: images of its cells.

    A part is a database and an image of the board (by default the board itself), and has the tiles that the image makes
    the database's.
    """

    def __init__(
        self,
        puzzle: SlidingTiles,
        databases: Sequence[TileDatabase],
        symmetries: Sequence[bytes],
        images: Sequence[bytes] = ...,
    ) -> None: ...
    def value(self, state: bytes) -> int | None:
        """A lower bound on the distance, never None."""
    @property
    def views(self) -> int:
        """How many symmetries read different numbers."""

def tile_ida_star(
    heuristic: TileHeuristic,
    start: bytes,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    longest: int = ...,
    part: Part | None = None,
    control: Control,
) -> Outcome:
    """A shortest solution with all four moves, without the move that undoes the last; the GIL is released.

    If there is none of at most ``longest`` moves, it ends as exhausted. The counters depend on the arguments alone, but
    for the last iteration of more than one thread; f_bound is a proven lower bound however the search ends. Raises
    ValueError for a start that is no board and for negative seconds.
    """

class TileRanking:
    """How a beam compares boards: by an estimate of the distance, which is no lower bound."""

    def __init__(self, puzzle: SlidingTiles, *, manhattan: int, excess: int, pairs: bytes = b"") -> None:
        """All in sixteenths of a move.

        :param manhattan: what a move of the Manhattan distance counts
        :param excess: what a move counts that the databases say beyond it, in the mean of their views
        :param pairs: signed bytes from -63 to 63: by the goal cells of two tiles and the cells that they are in, the
            same from either tile; empty: all are 0
        """

def tile_beam(
    heuristic: TileHeuristic,
    start: bytes,
    *,
    ranking: TileRanking | None = None,
    width: int,
    longest: int = ...,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    memory_bytes: int,
    threads: int = 1,
    control: Control,
) -> Outcome:
    """Layer by layer, keeping the ``width`` states of each layer that look nearest to the goal, and none that cannot
    reach it within ``longest`` moves; the GIL is released.

    The outcome does not depend on ``threads``. Exhausted: no state was left, which proves nothing. Raises ValueError
    for a start that is no board, a width below 1 and negative seconds.
    """

def tile_beam_samples(
    heuristic: TileHeuristic,
    start: bytes,
    *,
    ranking: TileRanking,
    width: int,
    longest: int,
    memory_bytes: int,
    of_layer: int,
    control: Control,
) -> tuple[Outcome, list[int], bytes]:
    """The outcome of `tile_beam` on one thread, and ``of_layer`` states of each layer but the first, to learn rankings
    from: their depths, and one board after another.
    """

class PermutationGroup:
    """Schreier-Sims over the base 0, 1, 2, ...; generators: uint16, shape (generators, points), one-to-one rows.

    Raises ValueError naming the fault, MemoryError where the chain would take more than memory_bytes, Stopped.
    """

    def __init__(
        self, generators: NDArray[np.uint16], memory_bytes: int, check_steps: int, control: Control | None = None
    ) -> None: ...
    @property
    def proven(self) -> bool:
        """Whether every Schreier generator has been sifted."""

    @property
    def orbit_sizes(self) -> list[int]: ...
    def contains(self, permutation: list[int]) -> bool: ...
    def at(self, choices: list[int]) -> list[int]:
        """The element with these digits (see hstar.groups). ValueError for digits out of range."""

def orbits(generators: NDArray[np.uint16]) -> list[list[int]]:
    """Each orbit ascending, in the order of their first points."""

def finest_blocks(generators: NDArray[np.uint16], a: int, b: int) -> list[int]:
    """By point, the least point of its part in the finest partition kept by all that has a and b in one part."""

class Descent:
    """How a beam went down a chain of words. ``moves``: numbers of generators; empty unless it is done."""

    @property
    def ending(self) -> Literal["done", "stopped", "expanded", "generated", "memory"]: ...
    @property
    def moves(self) -> bytes: ...
    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def stored(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...

class WordChain:
    """A chain of stabilisers with short words for each coset; generators: uint16, shape (generators, places).

    Built from kinds of halves (moves, longest, most, from_level), or read from what `text` gave. Building stops, and
    the chain is then not complete, when its control says so or after so many seconds. Reading calls ``poll`` now and
    then, and ends if that raises. ValueError naming the fault.
    """

    @overload
    def __init__(
        self,
        generators: NDArray[np.uint16],
        base: list[int],
        kinds: list[tuple[list[int], int, int, int]],
        words: int,
        matches: int,
        seconds: float,
        control: Control,
    ) -> None: ...
    @overload
    def __init__(
        self, generators: NDArray[np.uint16], base: list[int], text: bytes, poll: Callable[[], None]
    ) -> None: ...
    @property
    def complete(self) -> bool: ...
    def text(self) -> bytes: ...
    def descend(
        self,
        element: list[int],
        width: int,
        outlook: float,
        *,
        control: Control,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        memory_bytes: int = ...,
        triples: PieceTriples | None = None,
        stages: list[int] = ...,
        perimeters: list[Perimeter] = ...,
        threads: int = 1,
        ranking: StageRanking | None = None,
    ) -> Descent:
        """The moves of the element to the identity, if it is done. ValueError for what is not in the group.

        With ``triples``, stages come first, each of which brings so many pieces of the base home; that of as many
        pieces as ``ranking`` has compares states by it, too. With ``perimeters``, they end at the level of the first,
        and the moves of each follow. The result is the same with any number of threads."""

class Reduced:
    """Ways into a subgroup: their moves, the shortest first."""

    @property
    def ways(self) -> list[bytes]: ...
    @property
    def expanded(self) -> int: ...
    @property
    def generated(self) -> int: ...
    @property
    def stored(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...

class Reduction:
    """The ways into the subgroup of the moves whose flags are set. ``alike``: first slots and numbers of slots that are
    seen by what they show.

    :raises Stopped: before it was made
    """

    def __init__(
        self,
        generators: object,
        slot_of: list[int],
        left: list[int],
        home: list[int],
        alike: list[tuple[int, int]],
        perimeter: int,
        seconds: float,
        control: Control,
    ) -> None: ...
    @property
    def tells(self) -> bool: ...
    @property
    def cosets(self) -> int: ...
    def search(
        self,
        element: list[int],
        kinds: list[int],
        width: int,
        related: float,
        alike: float,
        power: float,
        most: int,
        *,
        control: Control,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
    ) -> Reduced: ...

class Insertions:
    """Cycles of exactly three pieces of an orbit by the shortest words, for all triples of its slots. ``orbits``: the
    first slot and the number of pieces of each. Raises `Stopped`."""

    def __init__(
        self,
        generators: NDArray[np.uint16],
        slot_of: list[int],
        orbits: list[tuple[int, int]],
        seconds: float,
        control: Control,
    ) -> None: ...
    def has_all(self, orbit: int) -> bool: ...
    def solve(
        self,
        start: list[int],
        home: list[int],
        base: list[int],
        width: int,
        misplaced: float,
        seed: int,
        anneals: int,
        starts: int,
        *,
        control: Control,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
    ) -> Descent:
        """Moves that take the pieces of the kinds ``start``, by slot, to ``home``, and do to the other orbits what
        ``base`` does."""

class Bundles:
    """Cycles of three pieces in many orbits at once, by words of sets of moves that move no slot in common.
    ``orbits``: the first slot and the number of pieces of each. Raises `Stopped`."""

    def __init__(
        self,
        generators: NDArray[np.uint16],
        slot_of: list[int],
        orbits: list[tuple[int, int]],
        seconds: float,
        control: Control,
    ) -> None: ...
    def has_all(self, orbit: int) -> bool: ...
    def solve(
        self,
        start: list[int],
        home: list[int],
        base: list[int],
        misplaced: float,
        seed: int,
        anneals: int,
        cells: int,
        heat: float,
        starts: int,
        *,
        control: Control,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
    ) -> Descent:
        """Moves that take the pieces of the kinds ``start``, by slot, to ``home`` and do to the other
        orbits what ``base`` does."""

class Perimeter:
    """All states of the pieces base[level:] near home in the group of some moves, at most ``most``; with ``up_to``,
    near the group of those moves. ``slots``: for each place the first one of its slot. Making it stops when its
    control says so or after so many seconds."""

    def __init__(
        self,
        generators: NDArray[np.uint16],
        base: list[int],
        level: int,
        moves: list[int],
        most: int,
        seconds: float,
        control: Control,
        up_to: list[int] = ...,
        slots: list[int] = ...,
        memory_bytes: int | None = None,
    ) -> None: ...
    @property
    def complete(self) -> bool: ...
    @property
    def radius(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def peak_bytes(self) -> int:
        """The most that it took while it was made; with ``memory_bytes``, no sphere is added that takes more."""

class StageRanking:
    """An estimate of how many moves bring the first pieces home. Weights: by piece, place and unit; ``first``: what the
    sum of a unit begins with; ``counts``: what it counts where it is positive, in 2^-16 moves, as is ``constant``."""

    def __init__(self, weights: NDArray[np.int8], first: list[int], counts: list[int], constant: int) -> None: ...
    @property
    def pieces(self) -> int: ...

class PieceTriples:
    """Distances of the first pieces of a base from home; symmetries: uint16, shape (symmetries, places); first: by
    place, the first place of its slot; last_moves: where they can bring a piece home from is its region. Making them
    stops when its control says so or after so many seconds."""

    def __init__(
        self,
        generators: NDArray[np.uint16],
        base: list[int],
        symmetries: NDArray[np.uint16],
        first: list[int],
        last_moves: list[int],
        seconds: float,
        control: Control,
    ) -> None: ...
    @property
    def ending(self) -> int:
        """How many first pieces the last moves do not turn; 0 without last moves."""
    @property
    def complete(self) -> bool: ...
    @property
    def too_large(self) -> bool: ...
    @property
    def bytes(self) -> int: ...
    def distance(self, places: list[int]) -> int:
        """Of the first pieces, where each place is that of a piece of the base; 0 if and only if all are home."""
    def distances(self, places: NDArray[np.uint16]) -> list[int]:
        """That of each row."""
    def samples(
        self,
        ranking: StageRanking,
        elements: NDArray[np.uint16],
        width: int,
        longest: int,
        of_layer: int,
        control: Control,
    ) -> tuple[builtins.bytes, list[int], builtins.bytes]:
        """The shortest way that a beam of the ranking's stage finds from one of the elements (rows), empty if it finds
        none; and so many states of each layer but the first, to learn from: their depths, and the places of all pieces
        (uint16) of one after another."""

class Phase:
    """Moves, the coordinates that they solve, and distances over pairs of these coordinates."""

    @property
    def sizes(self) -> list[int]:
        """How many values each coordinate has."""
    @property
    def bytes(self) -> int: ...

def make_phase(
    space: PieceSpace,
    moves: list[int],
    costs: list[int],
    kinds: list[tuple[int, list[int], bool, list[int], bool]],
    pairs: list[tuple[int, int]],
    most_values: int,
    progress: Control,
) -> Phase | None:
    """The phase with these coordinates: (orbit, class of each piece, whether orientations count, by slot the one that
    counts as 0); None if it was stopped. ValueError naming the fault."""

class PhaseSearch:
    """Shorter and shorter solutions in two phases, of any of the starts.

    :param patience: expansions after which a second phase is given up
    :param cosets: the distances of all coordinates of the first phase together, the first view being its own
    """

    def __init__(
        self,
        first: Phase,
        second: Phase,
        starts: list[bytes],
        patience: int,
        cosets: CosetHeuristic | None = None,
        threads: int = 1,
    ) -> None: ...
    def run(
        self,
        below: int,
        *,
        max_expanded: int | None = None,
        max_generated: int | None = None,
        seconds: float | None = None,
        control: Control,
    ) -> Outcome:
        """A solution with a cost below ``below``, from where the last run ended; ``exhausted``: none was found."""
    @property
    def variant(self) -> int:
        """The number of the start that the last run solved."""

class CosetSpace:
    """The cosets of a subgroup by their coordinates; those that symmetries carry onto one another share an entry."""

    @property
    def entries(self) -> int: ...
    def numbering(self) -> NDArray[np.uint8]:
        """The numbers of the cosets, for `open_coset_space`."""

def open_coset_space(
    space: PieceSpace,
    moves: list[int],
    reduced: list[tuple[int, list[int], bool, list[int], bool]],
    rest: list[tuple[int, list[int], bool, list[int], bool]],
    symmetries: list[list[int]],
    numbering: NDArray[np.uint8],
) -> CosetSpace:
    """The cosets by numbers that were stored for the same arguments, read in place; builds no distances. ValueError if
    they do not fit."""

def make_coset_space(
    space: PieceSpace,
    moves: list[int],
    reduced: list[tuple[int, list[int], bool, list[int], bool]],
    rest: list[tuple[int, list[int], bool, list[int], bool]],
    symmetries: list[list[int]],
    most_values: int,
    progress: Control,
) -> CosetSpace | None:
    """Coordinates as in `make_phase`; each symmetry is the number of the image of each move. None if it was stopped.
    ValueError naming the fault."""

def build_coset_distances(
    space: CosetSpace, *, threads: int, progress: Control
) -> tuple[int, NDArray[np.uint8], list[int]] | None:
    """2 bits an entry, the distances modulo 3, and how many cosets are at each distance; None if it was stopped."""

class CosetTable:
    """Distances to one subgroup, and the views of a state that are looked up: each a symmetry with the number of the
    image of each move. `normal`: a state and its inverse are at the same distance."""

    def __init__(
        self, space: CosetSpace, table: NDArray[np.uint8], views: list[tuple[Symmetry, list[int]]], normal: bool
    ) -> None: ...

class CosetHeuristic(Database):
    """The largest distance of all views in all tables.

    :param meeting: there is one subgroup, and each move is, in some view, one of it
    """

    def __init__(self, pieces: PieceSpace, tables: list[CosetTable], meeting: bool) -> None: ...
    def value(self, state: bytes) -> int | None:
        """None if no moves lead to the goal."""

def coset_ida_star(
    heuristic: CosetHeuristic,
    start: bytes,
    *,
    max_expanded: int | None = None,
    max_generated: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    longest: int = ...,
    part: Part | None = None,
    control: Control,
) -> Outcome:
    """A shortest solution; counters and threads as in `pattern_ida_star`, but with more threads it may be another."""
