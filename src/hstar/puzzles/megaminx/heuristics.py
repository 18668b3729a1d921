"""The heuristics for the Megaminx that have a name. Adding one is one line."""

from hstar.puzzles.base import NamedHeuristic

HEURISTICS = (
    NamedHeuristic(
        "s1-misplaced-facelets",
        "ceil(misplaced_facelets / 15)",
        "course report S1: a turn changes the face of exactly 15 facelets",
    ),
    NamedHeuristic(
        "s2-face-distance",
        "ceil(face_distance(0, 1, 2, 7) / 15)",
        "course report S2, which takes 7 as the least number of clockwise turns to the opposite face",
    ),
    NamedHeuristic(
        "face-distance",
        "ceil(face_distance(0, 1, 2, 3) / 15)",
        "S2's measure with the three faces that a facelet must cross to reach the opposite face",
    ),
    NamedHeuristic(
        "misplaced-pieces",
        'max(ceil(misplaced_pieces("corners") / 5), ceil(misplaced_pieces("edges") / 5))',
        "a turn moves five corners and five edges",
    ),
    NamedHeuristic(
        "piece-moves",
        "max(ceil(corner_moves / 5), ceil(edge_moves / 5))",
        "exact counter-clockwise turns of each piece alone, five corners and five edges a turn",
    ),
    NamedHeuristic(
        "piece-moves-any",
        'max(ceil(corner_moves("all") / 5), ceil(edge_moves("all") / 5))',
        "the same with turns by any angle, which no other move set undercuts",
    ),
    NamedHeuristic(
        "farthest-piece",
        "max(max_corner_moves, max_edge_moves)",
        "exact counter-clockwise turns of the one piece that needs most",
    ),
    NamedHeuristic(
        "facelet-moves",
        "ceil(facelet_moves / 25)",
        "S2's measure with the exact counter-clockwise turns of each facelet alone; a turn moves 25 facelets",
    ),
)
