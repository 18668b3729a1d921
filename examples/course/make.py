"""Write the five submissions of the worked course, as five students would have made them.

    python examples/course/make.py [DIRECTORY]

Ada's is right. Ben counts nodes as many programs do: duplicates stay on the open list, and the goal is counted. Cem's
heuristic overestimates. Dee's model joins two facelets wrongly. Eve has copied Ada's.
"""

from __future__ import annotations

import csv
import heapq
import io
import json
import sys
import zipfile
from pathlib import Path

from hstar import schema, search
from hstar.audits.model.turn_system import ours
from hstar.grading import Assignment, Instance, read_assignment
from hstar.heuristics import get_heuristic

HERE = Path(__file__).parent


def solved(assignment: Assignment, instance: Instance, heuristic: str) -> tuple[list[str], int]:
    """A shortest solution, and the nodes that the service's A* expands."""
    state = {"pieces": assignment.puzzle.format_state(instance.state)["pieces"]}
    request = schema.SolveRequest(puzzle="megaminx", state=state, moves="ccw", heuristic=heuristic)
    result = search.solve(search.prepare(request))
    assert result.solution is not None
    return result.solution, result.counters.expanded


def nodes_as_ben_counts(assignment: Assignment, instance: Instance, heuristic: str) -> int:
    """A* with a closed list only; the first in comes first among equals, and the goal is counted."""
    puzzle, moves = assignment.puzzle, assignment.moves
    h = get_heuristic(heuristic, puzzle, moves)
    queue = [(h(instance.state), 0, 0, instance.state)]
    closed = set()
    number = 0
    while True:
        _, _, g, state = heapq.heappop(queue)
        if state in closed:
            continue
        closed.add(state)
        if state == puzzle.solved:
            return len(closed)
        for _, after in puzzle.successors(state, moves.moves):
            if after not in closed:
                number += 1
                heapq.heappush(queue, (g + 1 + h(after), number, g + 1, after))


def rows(assignment: Assignment, heuristic: str) -> list[dict[str, object]]:
    """A line for each instance."""
    found = []
    for instance in assignment.instances:
        solution, nodes = solved(assignment, instance, heuristic)
        shown = {"scramble": " ".join(instance.alg or ()), "solution": " ".join(solution)}
        found.append(shown | {"length": len(solution), "nodes": nodes})
    return found


def main(directory: Path) -> None:
    assignment = read_assignment((HERE / "assignment.json").read_text())
    system = ours(assignment.puzzle, assignment.puzzle.move_set("cw").moves)
    model = {"turns": {name: list(p) for name, p in zip(system.names, system.turns, strict=True)}}

    def write(name: str, whole: dict[str, object]) -> None:
        (directory / name).write_text(json.dumps(whole) + "\n")

    right = rows(assignment, "s1-misplaced-facelets")
    ada = {"student": "1001", "name": "Ada", "email": "ada@example.org", "heuristic": "ceil(misplaced_facelets / 15)"}
    write("ada.json", ada | {"model": model, "results": right})
    write(
        "eve.json",
        ada | {"student": "1005", "name": "Eve", "email": "eve@example.org", "model": model, "results": right},
    )
    cem = {"student": "1003", "name": "Cem", "email": "cem@example.org"}
    cem["heuristic"] = "ceil(face_distance(0, 1, 2, 7) / 15)"
    write("cem.json", cem | {"model": model, "results": rows(assignment, "s2-face-distance")})
    broken = {name: list(p) for name, p in model["turns"].items()}
    a, b = [slot for slot in range(system.size) if broken["F"][slot] != slot][:2]
    broken["F"][a], broken["F"][b] = broken["F"][b], broken["F"][a]
    dee = {"student": "1004", "name": "Dee", "email": "dee@example.org", "heuristic": "ceil(misplaced_facelets / 15)"}
    results = [{**row, "nodes": None} for row in right]
    write("dee.json", dee | {"model": {"turns": broken}, "results": results})
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["student", "name", "email", "scramble", "solution", "length", "nodes"])
    for row, instance in zip(right, assignment.instances, strict=True):
        nodes = nodes_as_ben_counts(assignment, instance, "s1-misplaced-facelets")
        who = ["1002", "Ben", "ben@example.org"]
        writer.writerow([*who, row["scramble"], row["solution"], row["length"], nodes])
    with zipfile.ZipFile(directory / "ben.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {
            "results.csv": table.getvalue(),
            "heuristic.txt": "ceil(misplaced_facelets / 15)\n",
            "model.json": json.dumps(model),
        }.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
