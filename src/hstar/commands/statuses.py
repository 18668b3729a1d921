"""Exit statuses: one for each meaning, the same in every command. The help and docs/cli.md are made from this."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """How a command ended."""

    DONE = 0
    WRONG = 1
    REFUSED = 2
    UNSOLVED = 3
    INCOMPLETE = 4
    FAULT = 70
    INTERRUPTED = 130


#: what each means in a few words, in full, and commands that end so where the example course is
MEANINGS: dict[Status, tuple[str, str, tuple[str, ...]]] = {
    Status.DONE: (
        "done",
        "solved, answered, graded (whatever the score), or not refuted",
        ("hstar check 8-puzzle manhattan", "hstar audit heuristic 8-puzzle manhattan --moves slide --radius 4"),
    ),
    Status.WRONG: (
        "something is wrong",
        "a heuristic or a model is refuted, a solution or a claim is false, or a kept table was damaged",
        (
            "hstar check 8-puzzle misplaced_cells",
            "hstar audit heuristic 8-puzzle misplaced_cells --moves slide --radius 4",
            "hstar verify 8-puzzle --alg 'U L' --solution 'U L'",
        ),
    ),
    Status.REFUSED: (
        "refused",
        "the command was not carried out: the input is refused, or a file or a server cannot be used",
        ("hstar solve 8-puzzle --state '1 2 3 / 8 0 4 / 7 5 6'", "hstar solve --no-such-option"),
    ),
    Status.UNSOLVED: (
        "no solution",
        "the search ended without a solution, at a limit or because there is none",
        ("hstar solve 15-puzzle --k 60 --heuristic zero --limit-expanded 10",),
    ),
    Status.INCOMPLETE: (
        "a part only",
        "some files were not graded or handed in, and the output says why; the others were",
        ("hstar grade ada.json ben.zip notes.json --assignment assignment.json",),
    ),
    Status.FAULT: ("an error of hstar", "an error of hstar itself, with its trace; please report it", ()),
    Status.INTERRUPTED: ("interrupted", "ended by Ctrl-C, or the question was not answered with yes", ()),
}


def line() -> str:
    """All of them, for the help."""
    return "Exit status: " + "; ".join(f"{status:d} {short}" for status, (short, _, _) in MEANINGS.items()) + "."


def table() -> str:
    """All of them as a table of Markdown, with commands that end so."""
    rows = ["| exit status | meaning | such as |", "|---:|---|---|"]
    for status, (short, meaning, examples) in MEANINGS.items():
        rows.append(f"| {status:d} | **{short}**: {meaning} | {'<br>'.join(f'`{one}`' for one in examples)} |")
    return "\n".join(rows)
