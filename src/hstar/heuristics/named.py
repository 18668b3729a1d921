"""Named heuristics: expressions with a name, a source, and nothing else. Adding one is one line."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Named:
    """A heuristic by name; ``family`` is the puzzle module that it is for."""

    name: str
    family: str
    expression: str
    source: str


NAMED: tuple[Named, ...] = (
    Named("zero", "any", "0", "no knowledge: A* becomes uniform-cost search"),
    Named(
        "s1-misplaced-facelets", "Megaminx", "ceil(misplaced_facelets / 15)",
        "course report S1: a turn changes the face of exactly 15 facelets",
    ),
    Named(
        "s2-face-distance", "Megaminx", "ceil(face_distance(0, 1, 2, 7) / 15)",
        "course report S2, which takes 7 as the least number of clockwise turns to the opposite face",
    ),
    Named(
        "face-distance", "Megaminx", "ceil(face_distance(0, 1, 2, 3) / 15)",
        "S2's measure with the three faces that a facelet must cross to reach the opposite face",
    ),
    Named(
        "misplaced-pieces", "Megaminx",
        'max(ceil(misplaced_pieces("corners") / 5), ceil(misplaced_pieces("edges") / 5))',
        "a turn moves five corners and five edges",
    ),
    Named(
        "piece-moves", "Megaminx", "max(ceil(corner_moves / 5), ceil(edge_moves / 5))",
        "exact counter-clockwise turns of each piece alone, five corners and five edges a turn",
    ),
    Named(
        "piece-moves-any", "Megaminx", 'max(ceil(corner_moves("all") / 5), ceil(edge_moves("all") / 5))',
        "the same with turns by any angle, which no other move set undercuts",
    ),
    Named(
        "farthest-piece", "Megaminx", "max(max_corner_moves, max_edge_moves)",
        "exact counter-clockwise turns of the one piece that needs most",
    ),
    Named(
        "facelet-moves", "Megaminx", "ceil(facelet_moves / 25)",
        "S2's measure with the exact counter-clockwise turns of each facelet alone; a turn moves 25 facelets",
    ),
    Named(
        "s3-faces-out-of-place", "MasterPyraminx", "faces_out_of_place / 4",
        'course report S3: the sides "out of place" over 4, read as the faces that are not uniformly their own colour',
    ),
    Named(
        "s4-misplaced-groups", "MasterPyraminx", "ceil(misplaced_groups / 9)",
        "course report S4, which calls it admissible",
    ),
    Named(
        "layer-pieces", "MasterPyraminx",
        'misplaced_pieces("tips") + max(misplaced_pieces("axials") + max(ceil(misplaced_pieces("edges") / 3), '
        'ceil(misplaced_pieces("centres") / 3)), ceil(misplaced_pieces("wings") / 3))',
        "layer 1 alone turns tips, layer 2 axials, layer 3 edges and centres, and layers 2 and 3 three wings each",
    ),
    Named(
        "piece-moves", "MasterPyraminx",
        "max(ceil(tip_moves / 3), ceil(axial_moves / 3), ceil(edge_moves / 3), ceil(wing_moves / 6), "
        "ceil(centre_moves / 3))",
        "exact turns of one layer for each piece alone; no turn of one or more layers moves more pieces of a kind",
    ),
    Named(
        "layer-moves", "MasterPyraminx",
        'tip_moves("cw12") + max(axial_moves("cw12") + max(ceil(edge_moves("cw12") / 3), '
        'ceil(centre_moves("cw12") / 3)), ceil(wing_moves("cw12") / 3))',
        "layer-pieces with the exact clockwise turns of each piece alone",
    ),
    Named("manhattan", "SlidingTiles", "manhattan", "Doran and Michie 1966"),
    Named("linear-conflict", "SlidingTiles", "manhattan + linear_conflict", "Hansson, Mayer and Yung 1992"),
    Named("walking-distance", "SlidingTiles", "walking_distance", "Takahashi 2002; for boards of up to 4 x 4 or 3 x 5"),
    Named("gaschnig", "SlidingTiles", "gaschnig", "Gaschnig 1979: any tile may go to the blank's cell"),
    Named("out-of-row-and-column", "SlidingTiles", "out_of_row + out_of_column", "each tile needs a move of its kind"),
    Named("misplaced-tiles", "SlidingTiles", "misplaced_tiles", "Doran and Michie 1966; the blank is not counted"),
    Named("s5-misplaced-cells", "SlidingTiles", "misplaced_cells", "course report S5; the blank is counted"),
    Named(
        "s5-clustered-misplaced", "SlidingTiles", "clustered_misplaced",
        "course report S5: misplaced cells beside a misplaced cell; the blank is counted",
    ),
    Named(
        "s5-conflicts-inversions", "SlidingTiles", "0 if solved else conflicts + inversions",
        "course report S5; looks at the order of the tiles, not at the goal",
    ),
)  # fmt: skip
