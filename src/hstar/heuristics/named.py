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
    Named("manhattan", "SlidingTiles", "manhattan", "Doran and Michie 1966"),
    Named("linear-conflict", "SlidingTiles", "manhattan + linear_conflict", "Hansson, Mayer and Yung 1992"),
    Named("misplaced-tiles", "SlidingTiles", "misplaced_tiles", "Doran and Michie 1966; the blank is not counted"),
    Named("s5-misplaced-cells", "SlidingTiles", "misplaced_cells", "course report S5; the blank is counted"),
    Named(
        "s5-conflicts-inversions", "SlidingTiles", "0 if solved else conflicts + inversions",
        "course report S5; looks at the order of the tiles, not at the goal",
    ),
)  # fmt: skip
