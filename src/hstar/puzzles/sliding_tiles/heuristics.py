"""The heuristics for boards of sliding tiles that have a name. Adding one is one line."""

from hstar.puzzles.base import NamedHeuristic

HEURISTICS = (
    NamedHeuristic("manhattan", "manhattan", "Doran and Michie 1966"),
    NamedHeuristic("linear-conflict", "manhattan + linear_conflict", "Hansson, Mayer and Yung 1992"),
    NamedHeuristic("walking-distance", "walking_distance", "Takahashi 2002; for boards of up to 4 x 4 or 3 x 5"),
    NamedHeuristic("gaschnig", "gaschnig", "Gaschnig 1979: any tile may go to the blank's cell"),
    NamedHeuristic("out-of-row-and-column", "out_of_row + out_of_column", "each tile needs a move of its kind"),
    NamedHeuristic("misplaced-tiles", "misplaced_tiles", "Doran and Michie 1966; the blank is not counted"),
    NamedHeuristic("s5-misplaced-cells", "misplaced_cells", "course report S5; the blank is counted"),
    NamedHeuristic(
        "s5-clustered-misplaced",
        "clustered_misplaced",
        "course report S5: misplaced cells next to a misplaced cell; the blank is counted",
    ),
    NamedHeuristic(
        "s5-conflicts-inversions",
        "0 if solved else conflicts + inversions",
        "course report S5; looks at the order of the tiles, not at the goal",
    ),
)

#: bits of a number with all counts of one direction, for the walking distance; this also bounds the size of its graph
MAX_BITS = 63
#: what `can_walk` says, in words
WALKING = "a board of up to 4 x 4, 3 x 5, 2 x 5 or 1 x 7 cells, either way round"


def can_walk(rows: int, columns: int) -> bool:
    """Whether the tables of the walking distance are small enough: fewer than 400,000 entries."""
    return max(rows**2 * columns.bit_length(), columns**2 * rows.bit_length()) <= MAX_BITS


def heuristics_of(rows: int, columns: int) -> tuple[NamedHeuristic, ...]:
    """Those that a board has."""
    return tuple(named for named in HEURISTICS if named.expression != "walking_distance" or can_walk(rows, columns))
