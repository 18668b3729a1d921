"""The heuristics for the Master Pyraminx that have a name. Adding one is one line."""

from hstar.puzzles.base import NamedHeuristic

HEURISTICS = (
    NamedHeuristic(
        "s3-faces-out-of-place",
        "faces_out_of_place / 4",
        (
            'course report S3: the sides "out of place" over 4, read as the faces that are not uniformly their own '
            "colour"
        ),
    ),
    NamedHeuristic("s4-misplaced-groups", "ceil(misplaced_groups / 9)", "course report S4, which calls it admissible"),
    NamedHeuristic(
        "layer-pieces",
        (
            'misplaced_pieces("tips") + max(misplaced_pieces("axials") + max(ceil(misplaced_pieces("edges") / 3), '
            'ceil(misplaced_pieces("centres") / 3)), ceil(misplaced_pieces("wings") / 3))'
        ),
        "layer 1 alone turns tips, layer 2 axials, layer 3 edges and centres, and layers 2 and 3 three wings each",
    ),
    NamedHeuristic(
        "piece-moves",
        (
            "max(ceil(tip_moves / 3), ceil(axial_moves / 3), ceil(edge_moves / 3), ceil(wing_moves / 6), "
            "ceil(centre_moves / 3))"
        ),
        "exact turns of one layer for each piece alone; no turn of one or more layers moves more pieces of a kind",
    ),
    NamedHeuristic(
        "layer-moves",
        (
            'tip_moves("cw12") + max(axial_moves("cw12") + max(ceil(edge_moves("cw12") / 3), '
            'ceil(centre_moves("cw12") / 3)), ceil(wing_moves("cw12") / 3))'
        ),
        "layer-pieces with the exact clockwise turns of each piece alone",
    ),
)
