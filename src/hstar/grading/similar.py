"""Submissions that are nearly the same: equal solutions and node counts. A hint for a person, not a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Literal, NamedTuple

#: two submissions are shown if at least this share of their lines is equal
SIMILAR = 0.8
#: and at least this many
SIMILAR_LINES = 3

#: a line of a submission: the fingerprint of its solution, and the nodes that it claims
Line = tuple[str, int | None]
#: by student and instance
Class = Mapping[str, Mapping[str, Line]]
#: the same solution; also the same number of nodes; also a line that no third student has
Same = Literal["solution", "count", "only_theirs"]


class Pair(NamedTuple):
    """Two students with nearly the same lines."""

    student: str
    other: str
    lines: int
    same_solutions: int
    same_counts: int
    shared_by_no_other: int


def pairs(lines: Class) -> list[Pair]:
    """Pairs of students with nearly the same lines, the most suspicious first.

    Short instances have few shortest solutions, so equal lines count most if no third student has them.
    """
    having = _having(lines)
    found = []
    for student, other in combinations(lines, 2):
        both = len(lines[student].keys() & lines[other].keys())
        if both < SIMILAR_LINES:
            continue
        counts = _shared(lines, having, student, other, "count")
        alone = sum(having[instance, lines[student][instance]] == 2 for instance in counts)
        if len(counts) >= SIMILAR * both and alone:
            solutions = _shared(lines, having, student, other, "solution")
            found.append(Pair(student, other, both, len(solutions), len(counts), alone))
    return sorted(found, key=lambda pair: (-pair.shared_by_no_other, pair.student, pair.other))


def shared(lines: Class, student: str, other: str, same: Same | None) -> set[str]:
    """The instances for which both have a line, or the same line."""
    return _shared(lines, _having(lines), student, other, same)


def _having(lines: Class) -> Counter[tuple[str, Line]]:
    """The number of students who have each line."""
    return Counter((instance, line) for mine in lines.values() for instance, line in mine.items())


def _shared(lines: Class, having: Counter[tuple[str, Line]], student: str, other: str, same: Same | None) -> set[str]:
    one, two = lines.get(student, {}), lines.get(other, {})
    both = one.keys() & two.keys()
    if same is None:
        return both
    if same == "solution":
        return {instance for instance in both if one[instance][0] == two[instance][0]}
    equal = {instance for instance in both if one[instance] == two[instance] and one[instance][1] is not None}
    return equal if same == "count" else {i for i in equal if having[i, one[i]] == 2}
