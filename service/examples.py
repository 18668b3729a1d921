"""Example requests of the documentation; the tests send each of them."""

from __future__ import annotations

from typing import Any

SOLVE_REQUESTS: dict[str, dict[str, Any]] = {
    "megaminx": {
        "summary": "Megaminx: eight clockwise turns, undone by counter-clockwise ones",
        "value": {
            "puzzle": "megaminx",
            "scramble": {"k": 8, "seed": 1, "moves": "cw"},
            "moves": "ccw",
            "heuristic": "ceil(misplaced_facelets / 15)",
            "limits": {"expanded": 2_000_000},
            "tags": {"course": "ai-101"},
        },
    },
    "tiles": {
        "summary": "8-puzzle: a board, row by row, 0 the blank",
        "value": {"puzzle": "8-puzzle", "state": [2, 8, 3, 1, 6, 4, 7, 0, 5], "heuristic": "manhattan"},
    },
    "alg": {
        "summary": "Megaminx: the state that an alg leads to from solved",
        "value": {"puzzle": "megaminx", "alg": "U R2' F", "moves": "all"},
    },
    "target": {
        "summary": "3x3x3: moves from solved to a uniformly random state",
        "value": {
            "puzzle": "3x3x3", "alg": "", "target": {"random": 1}, "algorithm": "auto", "limits": {"seconds": 5.0},
        },
    },
    "shorten": {
        "summary": "3x3x3: an alg made shorter",
        "value": {
            "puzzle": "3x3x3", "shorten": "R U R' U' R U R' U' R U R' U'", "algorithm": "anytime",
            "limits": {"seconds": 5.0},
        },
    },
}  # fmt: skip

EXPERIMENT_REQUESTS: dict[str, dict[str, Any]] = {
    "megaminx": {
        "summary": "A report in one request: Megaminx, k = 3 to 14, five scrambles each",
        "value": {
            "puzzle": "megaminx",
            "scramble_moves": "cw",
            "moves": "ccw",
            "k": {"from": 3, "to": 14},
            "trials": 5,
            "seed": 2024,
            "heuristics": ["s2-face-distance"],
            "limits": {"expanded": 2_000_000, "memory_mib": 1024},
            "tags": {"course": "ai-101"},
        },
    },
    "heuristics": {
        "summary": "8-puzzle: two heuristics and two weights on the same boards, with their true distances",
        "value": {
            "puzzle": "8-puzzle",
            "k": [10, 20, 30],
            "trials": 10,
            "seed": 1,
            "heuristics": ["manhattan", "linear-conflict"],
            "weights": [1.0, 2.0],
            "true_distance": True,
        },
    },
    "instances": {
        "summary": "8-puzzle: boards of one's own, with what is known about them",
        "value": {
            "puzzle": "8-puzzle",
            "instances": [
                {"name": "first", "state": "2 8 3 / 1 6 4 / 0 7 5", "optimum": 6},
                {"name": "second", "alg": "U R D L"},
            ],
            "heuristics": ["manhattan"],
        },
    },
}

STATE_REQUESTS: dict[str, dict[str, Any]] = {
    "tiles": {
        "summary": "8-puzzle: the states along five moves",
        "value": {"puzzle": "8-puzzle", "state": [2, 8, 3, 1, 6, 4, 7, 0, 5], "then": "U U L D R"},
    },
    "random": {
        "summary": "3x3x3: a uniformly random state, and what it and an alg come to together",
        "value": {"puzzle": "3x3x3", "random": 1, "compose": ["R U"]},
    },
    "megaminx": {
        "summary": "Megaminx: the facelets that a scramble leads to",
        "value": {"puzzle": "megaminx", "scramble": {"k": 8, "seed": 1, "moves": "cw"}},
    },
}

SCRAMBLE_REQUESTS: dict[str, dict[str, Any]] = {
    "megaminx": {
        "summary": "Eight clockwise turns of a Megaminx",
        "value": {"puzzle": "megaminx", "k": 8, "seed": 1, "moves": "cw"},
    },
    "tiles": {
        "summary": "Forty moves of the 15-puzzle",
        "value": {"puzzle": "15-puzzle", "k": 40, "seed": 7},
    },
}

HEURISTIC_CHECKS: dict[str, dict[str, Any]] = {
    "megaminx": {
        "summary": "S2's heuristic for counter-clockwise turns, which is refuted",
        "value": {"puzzle": "megaminx", "heuristic": "ceil(face_distance(0, 1, 2, 7) / 15)", "moves": "ccw"},
    },
    "tiles": {
        "summary": "Half of two sums, which is proven",
        "value": {"puzzle": "15-puzzle", "heuristic": "0.5 * manhattan + 0.5 * misplaced_tiles"},
    },
}

NEARBY_REQUESTS: dict[str, dict[str, Any]] = {
    "megaminx": {
        "summary": "Megaminx: where a heuristic stands near the goal",
        "value": {"puzzle": "megaminx", "moves": "ccw", "heuristic": "ceil(misplaced_facelets / 10)", "states": 500},
    },
}

TRACE_REQUESTS: dict[str, dict[str, Any]] = {
    "tiles": {
        "summary": "8-puzzle: two heuristics from the same board",
        "value": {
            "puzzle": "8-puzzle",
            "scramble": {"k": 12, "seed": 3},
            "heuristics": ["misplaced_tiles", "manhattan"],
        },
    },
}

_RING = {
    "name": "ring",
    "orbits": [{"orbitName": "PIECES", "numPieces": 5, "numOrientations": 1}],
    "defaultPattern": {"PIECES": {"pieces": [0, 1, 2, 3, 4], "orientation": [0, 0, 0, 0, 0]}},
    "moves": {
        "L": {"PIECES": {"permutation": [1, 2, 3, 4, 0], "orientationDelta": [0, 0, 0, 0, 0]}},
        "X": {"PIECES": {"permutation": [1, 0, 2, 3, 4], "orientationDelta": [0, 0, 0, 0, 0]}},
    },
}

PUZZLE_REQUESTS: dict[str, dict[str, Any]] = {
    "kpuzzle": {"summary": "KPuzzle JSON, as cubing.js writes it", "value": {"definition": _RING}},
    "generators": {
        "summary": "generators as permutations",
        "value": {"name": "lrx-5", "definition": {"L": [1, 2, 3, 4, 0], "X": [1, 0, 2, 3, 4]}},
    },
    "gap": {"summary": "generators of GAP", "value": {"name": "five", "definition": "L:=(1,5,4,3,2); X:=(1,2);"}},
}
