"""Pack the two autograders: what Gradescope takes as a zip, and what a PrairieLearn question and its image are made of.

python examples/autograder/build.py --wheel hstar-*.whl --assignment examples/course/assignment.json --to dist
"""

from __future__ import annotations

import argparse
import shutil
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def gradescope(wheels: list[Path], assignment: Path, to: Path) -> Path:
    """``autograder.zip``, with ``setup.sh`` and ``run_autograder`` at its top."""
    target = to / "autograder.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("setup.sh", "run_autograder", "grade.py"):
            entry = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, (HERE / "gradescope" / name).read_bytes(), zipfile.ZIP_DEFLATED)
        archive.write(assignment, "assignment.json")
        for wheel in wheels:
            archive.write(wheel, wheel.name)
    return target


def prairielearn(wheels: list[Path], assignment: Path, to: Path) -> Path:
    """A question's folder, and beside it what its image is built from."""
    question, image = to / "question", to / "image"
    (question / "tests").mkdir(parents=True, exist_ok=True)
    image.mkdir(parents=True, exist_ok=True)
    for name in ("info.json", "question.html"):
        shutil.copy(HERE / "prairielearn" / name, question / name)
    shutil.copy(assignment, question / "tests" / "assignment.json")
    for name in ("Dockerfile", "run.sh"):
        shutil.copy(HERE / "prairielearn" / name, image / name)
    for wheel in wheels:
        shutil.copy(wheel, image / wheel.name)
    return question


def main() -> None:
    parser = argparse.ArgumentParser(description="Pack the autograders.")
    parser.add_argument("--wheel", type=Path, nargs="*", default=[], help="of hstar, as pip wheel builds it")
    parser.add_argument("--assignment", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.to.mkdir(parents=True, exist_ok=True)
    print(gradescope(chosen.wheel, chosen.assignment, chosen.to))
    print(prairielearn(chosen.wheel, chosen.assignment, chosen.to))


if __name__ == "__main__":
    main()
