"""Grade what a student uploaded, and write Gradescope's results. A fault of the service costs no attempt.

With ``"submitted": "program"`` in the assignment the upload is a program, ``solve`` or ``solve.py``. It is run once for
each instance, also for hidden ones, with the scramble on its standard input. Its last line is the solution, or JSON
with ``solution``, ``nodes`` and so on. It runs as ``nobody``, who cannot read the assignment.

Gradescope does not count a submission whose autograder failed, so this leaves with an error then, and writes nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

NAMES = ("submission.zip", "submission.json", "submission.jsonl", "submission.csv",
         "results.json", "results.jsonl", "results.csv")  # fmt: skip
#: for one instance
SECONDS = 60


def main(root: Path, hstar: str) -> int:
    results = root / "results" / "results.json"
    folder = root / "submission"
    found = [folder / name for name in NAMES if (folder / name).is_file()]
    assignment = root / "source" / "assignment.json"
    if json.loads(assignment.read_text(encoding="utf-8-sig")).get("submitted") == "program":
        answers = run_program(folder, assignment)
        if answers is None:
            return refuse(results, "there is no program: solve, which can be executed, or solve.py")
        found = [root / "answers.json"]
        found[0].write_text(json.dumps(answers), encoding="utf-8")
    if not found:
        seen = ", ".join(sorted(path.name for path in folder.iterdir()))[:200] or "nothing"
        return refuse(results, f"there is no submission.zip, results.json, results.jsonl or results.csv; found {seen}")
    source = root / "source"
    command = [hstar, "grade", str(found[0]), "--assignment", str(source / "assignment.json"), "--format", "gradescope"]
    metadata = root / "submission_metadata.json"
    if metadata.is_file():
        command += ["--metadata", str(metadata)]
    done = subprocess.run([*command, "--output", str(results)], capture_output=True, text=True, check=False)
    if done.returncode == 2:  # the submission cannot be read at all
        return refuse(results, done.stderr)
    sys.stderr.write(done.stderr)
    return done.returncode


def run_program(folder: Path, assignment: Path) -> list[dict[str, Any]] | None:
    """A line for each instance, as the student's program answers; None: there is no program."""
    from hstar.grading import read_assignment

    given = read_assignment(assignment.read_text(encoding="utf-8-sig"))
    with tempfile.TemporaryDirectory() as place:
        here = Path(place) / "program"
        shutil.copytree(folder, here)
        command = [str(here / "solve")] if (here / "solve").is_file() else ["python3", str(here / "solve.py")]
        if not Path(command[-1]).is_file():
            return None
        Path(command[-1]).chmod(0o755)
        Path(place).chmod(0o755)
        options: dict[str, Any] = {}
        if os.geteuid() == 0:  # the assignment has the seeds of hidden instances
            assignment.parent.chmod(0o700)
            options = {"user": "nobody", "extra_groups": []}
        rows = []
        for instance in given.instances:
            if instance.alg is not None:
                scramble = given.puzzle.format_alg(instance.alg)
            else:
                scramble = json.dumps(given.puzzle.format_state(instance.state))
            rows.append({"instance": instance.name, **answer(command, scramble, here, options)})
    return rows


def answer(command: list[str], scramble: str, here: Path, options: dict[str, Any]) -> dict[str, Any]:
    """What the program prints for one scramble; no solution if it fails or takes too long."""
    try:
        done = subprocess.run(
            command, input=scramble + "\n", capture_output=True, text=True, timeout=SECONDS, cwd=here, check=False,
            env={"PATH": os.environ["PATH"]}, **options,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return {"solution": ""}
    lines = done.stdout.strip().splitlines()
    try:
        said = json.loads(lines[-1])
    except (ValueError, IndexError):
        said = None
    if not isinstance(said, dict):
        return {"solution": lines[-1] if lines and done.returncode == 0 else ""}
    known = ("solution", "length", "nodes", "generated", "optimal", "heuristic")
    return {"solution": "", **{name: said[name] for name in known if name in said}}


def refuse(results: Path, why: str) -> int:
    """A score of nothing, which says what to mend and costs no attempt."""
    shown = {"score": 0.0, "output": why, "output_format": "text", "extra_data": {"refused": True}}
    results.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2]))
