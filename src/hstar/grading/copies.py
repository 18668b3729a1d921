"""Submissions that may be copies, as clusters with their evidence. A hint for a person, never a verdict.

Evidence is weighed in bits: a line that two of n students share, and no other, is an accident with a probability of
about 1/n. Two programs with the same conventions count the same in every line, and with the same order of moves find
the same solutions, so counts that one convention explains weigh as one, and right solutions weigh half. A link between
two students is shown if about one in eight classes would have one by chance: its bits exceed log2(pairs) + 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial, log2
from typing import Literal

from pydantic import Field

from hstar.grading.schema import Graded, Grading
from hstar.schema import Out

__all__ = ["Cluster", "Copies", "Evidence", "SideBySide", "copies", "side_by_side"]

Kind = Literal[
    "identical_bytes", "foreign_id", "equal_lines", "wrong_lines", "equal_counts", "shifted_counts", "scaled_counts",
    "permuted_counts",
]  # fmt: skip

#: bits above those of the number of pairs
MARGIN = 3.0
#: of another student's id in a file: ids do not come by chance
FOREIGN_ID = 40.0
#: of equal bytes, beside the lines in them: the same spaces, columns and names
SAME_FILE = 8.0
#: of a right solution or a count, beside a wrong solution's 1: programs are alike
RIGHT = 0.5
#: of a wrong solution that the two counted differently: the same slip of two programs
WRONG = 0.75
#: shifted, scaled or permuted counts need so many lines with different counts
LEAST_COUNTS = 4
#: weaker evidence is not named
LEAST_BITS = 0.5
MAX_CLUSTERS = 200


class Evidence(Out):
    """One reason for a cluster."""

    kind: Kind
    students: list[str]
    bits: float = Field(description="about 2^-bits by chance, for one pair of these students")
    instances: list[str] = Field(description="the lines that it is about")
    words: str


class Cluster(Out):
    """Students whose submissions may have one source."""

    students: list[str]
    bits: float = Field(description="of the weakest link that holds the cluster together")
    evidence: list[Evidence] = Field(description="strongest first")


class Copies(Out):
    """The clusters of a class, strongest first."""

    students: int
    threshold: float = Field(description="bits that a link needs: log2 of the pairs of students, and 3")
    clusters: list[Cluster]
    note: str = "A hint for a person, not a verdict: students who share a program's source share its lines."


class Cell(Out):
    """A student's line for an instance."""

    row: int | None
    solution: str | None = Field(description="as it was written")
    length: int | None
    nodes: int | None
    valid: bool
    same_as: list[str] = Field(description="students with the same solution, in any notation")


class Side(Out):
    """The lines of several students for one instance."""

    instance: str
    cells: dict[str, Cell] = Field(description="by student")


class SideBySide(Out):
    """The lines of several students, instance by instance."""

    students: list[str]
    rows: list[Side]


def side_by_side(gradings: Mapping[str, Grading], texts: Mapping[str, Mapping[int, str]]) -> SideBySide:
    """The lines of several students beside one another.

    :param texts: for each student, the solutions as they were written, by row
    """
    lines = {name: {one.instance: one for one in grading.graded} for name, grading in gradings.items()}
    instances = list(dict.fromkeys(i for mine in lines.values() for i, one in mine.items() if one.row is not None))
    rows = []
    for instance in instances:
        mine = {name: known[instance] for name, known in lines.items() if instance in known}
        rows.append(Side(instance=instance, cells={
            name: Cell(
                row=one.row, solution=texts.get(name, {}).get(one.row or 0), length=one.length, nodes=one.expanded,
                valid=one.valid, same_as=[
                    other for other, two in mine.items()
                    if other != name and one.solution is not None and one.solution == two.solution
                ],
            )
            for name, one in mine.items()
        }))  # fmt: skip
    return SideBySide(students=list(gradings), rows=rows)


@dataclass(frozen=True)
class _Student:
    name: str
    grading: Grading
    lines: Mapping[str, Graded]
    counts: Mapping[str, int]
    explained: bool


@dataclass(frozen=True, slots=True)
class _Found:
    kind: Kind
    bits: float
    instances: tuple[str, ...]
    words: str


class _Class:
    """How many students have each line and each count."""

    def __init__(self, gradings: Mapping[str, Grading]) -> None:
        self.students = [_student(name, grading) for name, grading in gradings.items()]
        self.n = max(2, len(self.students))
        self.having: dict[tuple[str, str | None], set[str]] = {}
        for s in self.students:
            for i, line in s.lines.items():
                self.having.setdefault((i, line.solution), set()).add(s.name)
        self.counted = Counter((i, count) for s in self.students for i, count in s.counts.items())
        self.different = Counter(instance for instance, _ in self.counted)
        self.vectors = Counter(tuple(sorted(s.counts.items())) for s in self.students)

    def rare(self, having: int) -> float:
        """Bits of something that so many students have, two of them those that are compared."""
        return log2(self.n / (having - 1))

    def rare_count(self, instance: str, count: int) -> float:
        """Bits of an equal count: it is one of the different counts of the class, and near those of its convention."""
        return min(self.rare(self.counted[instance, count]), log2(self.different[instance]))


def copies(gradings: Mapping[str, Grading]) -> Copies:
    """The clusters of a class, from the grading that counts of each student."""
    found = _Class(gradings)
    pairs = found.n * (found.n - 1) / 2
    threshold = log2(pairs) + MARGIN
    links: list[tuple[float, str, str, list[_Found]]] = []
    alone: list[Cluster] = []
    for one in found.students:
        named = one.grading.named_in_file
        if named is not None and named not in gradings:
            words = f"the file of {one.name} has the id or the name of {named} in it, who is not of this class"
            evidence = Evidence(kind="foreign_id", students=[one.name], bits=FOREIGN_ID, instances=[], words=words)
            alone.append(Cluster(students=[one.name], bits=FOREIGN_ID, evidence=[evidence]))
    for one, other in combinations(found.students, 2):
        reasons = list(_between(found, one, other))
        bits = sum(reason.bits for reason in reasons)
        if bits > threshold:
            links.append((bits, one.name, other.name, reasons))
    clusters = _clusters(links) + alone
    clusters.sort(key=lambda cluster: (-cluster.bits, cluster.students))
    return Copies(students=len(gradings), threshold=round(threshold, 1), clusters=clusters[:MAX_CLUSTERS])


def _student(name: str, grading: Grading) -> _Student:
    # An empty line of somebody who gave up says nothing.
    lines = {g.instance: g for g in grading.graded if g.solution is not None and (g.valid or g.length != 0)}
    counts = {instance: g.expanded for instance, g in lines.items() if g.expanded is not None}
    counting = grading.counting
    return _Student(name, grading, lines, counts, counting is not None and counting.explained >= len(counts))


def _between(found: _Class, one: _Student, other: _Student) -> Iterator[_Found]:
    for a, b in ((one, other), (other, one)):
        if a.grading.named_in_file == b.name:
            yield _Found("foreign_id", FOREIGN_ID, (), f"the file of {a.name} has the id or the name of {b.name} in it")
    if one.grading.submission == other.grading.submission:
        yield _Found("identical_bytes", SAME_FILE, (), "the files are equal, byte for byte")
    both = [i for i, line in one.lines.items() if i in other.lines and other.lines[i].solution == line.solution]
    wrong = [i for i in both if not one.lines[i].valid]
    right = [i for i in both if one.lines[i].valid]
    kinds: list[tuple[Kind, list[str], str]] = [
        ("wrong_lines", wrong, "the same wrong solutions"), ("equal_lines", right, "the same right solutions"),
    ]  # fmt: skip
    for kind, instances, words in kinds:
        having = [found.having[i, one.lines[i].solution] for i in instances]
        # Others who share all of several wrong lines with these two have them from the same source: they do not make
        # the lines more common.
        alike = len(set.intersection(*having)) if kind == "wrong_lines" and len(having) > 1 else 2
        bits = sum(
            (RIGHT if kind == "equal_lines" else WRONG if _counted_apart(one, other, i) else 1.0)
            * found.rare(len(those) - alike + 2)
            for i, those in zip(instances, having, strict=True)
        )
        if bits >= LEAST_BITS:
            yield _Found(kind, bits, tuple(instances), f"{words} of {len(instances)} instances")
    yield from _counts(found, one, other, wrong)


def _counted_apart(one: _Student, other: _Student, instance: str) -> bool:
    mine, theirs = one.counts.get(instance), other.counts.get(instance)
    return None not in (mine, theirs) and mine != theirs


def _counts(found: _Class, one: _Student, other: _Student, wrong: Sequence[str]) -> Iterator[_Found]:
    """What the counts of nodes of two students have to do with one another."""
    both = [i for i in one.counts if i in other.counts]
    if not both:
        return
    mine, theirs = [one.counts[i] for i in both], [other.counts[i] for i in both]
    equal = [i for i in both if one.counts[i] == other.counts[i]]
    conventional = one.explained and other.explained
    if equal and (len(equal) == len(both) or not conventional):
        # The count of a wrong line that is shared belongs to it.
        each = [(1 if i in wrong else RIGHT) * found.rare_count(i, one.counts[i]) for i in equal]
        bits = max(each) if conventional else sum(each)
        if conventional and one.counts == other.counts:
            bits = found.rare(found.vectors[tuple(sorted(one.counts.items()))])
        if bits >= LEAST_BITS:
            yield _Found("equal_counts", bits, tuple(equal), f"the same numbers of nodes of {len(equal)} instances")
    if len(both) < LEAST_COUNTS or len(set(mine)) < LEAST_COUNTS or len(equal) > len(both) // 2:
        return
    # That one more line fits by chance: one of the different counts that the class has for it.
    each = [log2(found.different[i]) for i in both]
    relation = _relation(mine, theirs)
    if relation is not None:
        kind, words = relation
        bits = RIGHT * found.rare(2) if conventional else sum(each) - max(each)
        yield _Found(kind, bits, tuple(both), f"{words} in all {len(both)} lines")
    elif sorted(mine) == sorted(theirs):
        bits = sum(each) - log2(factorial(len(both)))
        if bits >= LEAST_BITS:
            words = f"the same {len(both)} numbers of nodes in another order"
            yield _Found("permuted_counts", bits, tuple(both), words)


def _relation(mine: Sequence[int], theirs: Sequence[int]) -> tuple[Kind, str] | None:
    differences = {b - a for a, b in zip(mine, theirs, strict=True)}
    if len(differences) == 1:
        return "shifted_counts", f"numbers of nodes that differ by {abs(differences.pop())}"
    if all(mine) and len(ratios := {Fraction(b, a) for a, b in zip(mine, theirs, strict=True)}) == 1:
        return "scaled_counts", f"numbers of nodes in the ratio {ratios.pop()}"
    return None


def _clusters(links: Sequence[tuple[float, str, str, list[_Found]]]) -> list[Cluster]:
    """The connected students; the weakest link is that of the strongest tree that holds them together."""
    parent: dict[str, str] = {}

    def root(name: str) -> str:
        while parent.setdefault(name, name) != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    weakest: dict[str, float] = {}
    for bits, a, b, _ in sorted(links, key=lambda link: -link[0]):
        one, two = root(a), root(b)
        if one != two:
            parent[two] = one
            weakest[one] = min(bits, weakest.get(one, bits), weakest.get(two, bits))
    members: dict[str, list[str]] = {}
    for name in list(parent):
        members.setdefault(root(name), []).append(name)
    evidence: dict[str, dict[tuple[Kind, str], Evidence]] = {}
    for _, a, b, found in links:
        mine = evidence.setdefault(root(a), {})
        for each in found:
            key = each.kind, each.words
            before = mine.get(key)
            mine[key] = Evidence(
                kind=each.kind, words=each.words,
                students=list(dict.fromkeys([*(before.students if before else []), a, b])),
                instances=list(dict.fromkeys([*(before.instances if before else []), *each.instances])),
                bits=max(round(each.bits, 1), before.bits if before else 0.0),
            )  # fmt: skip
    return [
        Cluster(
            students=sorted(names), bits=round(weakest[top], 1),
            evidence=sorted(evidence[top].values(), key=lambda e: -e.bits),
        )
        for top, names in members.items()
    ]  # fmt: skip
