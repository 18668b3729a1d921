"""Gradings in the formats that other systems import. Each format is a module with a writer and a model of the importer.

Every output is validated against that model first, and no hidden item is in an output that a student sees.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hstar.errors import Fault, InvalidRequest, UnknownName
from hstar.grading.assignments import Assignment
from hstar.grading.gradebook import Entry
from hstar.grading.outputs import ags, canvas, gradescope, moodle, prairielearn, tables
from hstar.grading.schema import Grading

__all__ = ["FORMATS", "Format", "render"]

Writer = Callable[[Assignment, Sequence[Grading | None], Sequence[Entry]], str]


@dataclass(frozen=True, slots=True)
class Format:
    """A format for gradings; ``single``: of one submission only."""

    name: str
    description: str
    write: Writer
    single: bool = False


def _json(assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    shown = [grading.model_dump(mode="json") for grading in gradings if grading is not None]
    return json.dumps(shown[0] if len(shown) == 1 else shown, indent=2) + "\n"


FORMATS: Mapping[str, Format] = {
    f.name: f
    for f in (
        Format("gradescope", "results.json of a Gradescope autograder", gradescope.write, single=True),
        Format("prairielearn", "results.json of a PrairieLearn external grader", prairielearn.write, single=True),
        Format("canvas", "a Canvas gradebook as CSV", canvas.write),
        Format("moodle", "Moodle grades as CSV", moodle.write),
        Format("ags", "LTI Assignment and Grade Services score objects", ags.write),
        Format("csv", "one line a submission and item", tables.write),
        Format("json", "the service's own object", _json),
    )
}


def render(name: str, assignment: Assignment, gradings: Sequence[Grading | None], entries: Sequence[Entry]) -> str:
    """The gradings in a format.

    :param gradings: of the attempts that count; None for a student who has none
    :param entries: the gradebook's lines, one for each grading
    :raises UnknownName: there is no such format
    :raises InvalidRequest: the format is for one submission, and there are several
    """
    if name not in FORMATS:
        raise UnknownName("format", name, FORMATS)
    chosen = FORMATS[name]
    if chosen.single and (None in gradings or len(gradings) != 1):
        text = f"{name} is for one submission, found {len(gradings)}"
        raise InvalidRequest("too many submissions", [Fault("--format", text)])
    return chosen.write(assignment, gradings, entries)
