"""Grade what a student uploaded, and write Gradescope's results. A fault of the service costs no attempt.

Gradescope does not count a submission whose autograder failed, so this leaves with an error then, and writes nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("submission.zip", "submission.json", "submission.jsonl", "submission.csv",
         "results.json", "results.jsonl", "results.csv")  # fmt: skip


def main(root: Path, hstar: str) -> int:
    results = root / "results" / "results.json"
    folder = root / "submission"
    found = [folder / name for name in NAMES if (folder / name).is_file()]
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


def refuse(results: Path, why: str) -> int:
    """A score of nothing, which says what to mend and costs no attempt."""
    shown = {"score": 0.0, "output": why, "output_format": "text", "extra_data": {"refused": True}}
    results.write_text(json.dumps(shown, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), sys.argv[2]))
