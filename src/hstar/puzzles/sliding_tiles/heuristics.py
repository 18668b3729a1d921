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
