"""Planted copies of eight kinds in a class of 200 whose honest students have real programs: precision and recall.

python -m tests.grading.test_copies [SEED]
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from itertools import combinations
from math import log2
from typing import Any

import pytest

from hstar.grading import Assignment, Grading, grade, read_assignment, read_submission
from hstar.grading.copies import Copies, copies, side_by_side
from hstar.grading.schema import Counting, Graded
from hstar.heuristics import get_heuristic
from hstar.puzzles import State
from hstar.verification import conventions

OVER = read_assignment(
    json.dumps({
        "title": "Boards", "puzzle": "8-puzzle", "limits": {"expanded": 20_000}, "heuristic": "misplaced_tiles",
        "instances": [{"k": [6, 8, 10, 12], "each": 2, "seed": 4}],
        "rubric": [{"kind": "valid", "points": 6}, {"kind": "claims_true", "points": 4}],
    })
)  # fmt: skip
STUDENTS = 200
KINDS = (
    "identical bytes", "another's id", "another format", "counts shifted", "counts scaled", "counts permuted",
    "wrong lines of three", "half of the lines, by four",
)  # fmt: skip

Lines = list[dict[str, Any]]


def paths(over: Assignment, state: State, longer: int) -> list[list[str]]:
    """All solutions with so many moves more than the shortest; at most 50."""
    puzzle, moves = over.puzzle, over.moves
    layers: list[list[tuple[State, list[str]]]] = [[(state, [])]]
    seen = {state}
    while not any(found == puzzle.solved for found, _ in layers[-1]):
        after = [
            (s, [*path, m]) for b, path in layers[-1] for m, s in puzzle.successors(b, moves.moves) if s not in seen
        ]
        seen |= {s for s, _ in after}
        layers.append(after)
    if not longer:
        return [path for found, path in layers[-1] if found == puzzle.solved][:50]
    detours = []  # a move and its undoing first
    for move, there in puzzle.successors(state, moves.moves):
        back = next(m for m, s in puzzle.successors(there, moves.moves) if s == state)
        detours += [[move, back, *path] for path in paths(over, state, 0)]
    return detours[:50]


class School:
    """Honest students: each has a program with its own convention, order of moves, and seldom longer solutions."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        heuristic = get_heuristic("misplaced_tiles", OVER.puzzle, OVER.moves)
        self.shortest = {i.name: paths(OVER, i.state, 0) for i in OVER.instances}
        self.longer = {i.name: paths(OVER, i.state, 2) for i in OVER.instances}
        self.counts: dict[str, dict[int, int]] = {}
        for i in OVER.instances:
            found = conventions.counts(OVER.puzzle, OVER.moves, heuristic, i.state, "expanded")
            assert found is not None
            self.counts[i.name] = {number: count for count, number in found.counts}
        #: the conventions that every instance has
        self.ways = sorted(set.intersection(*(set(counts) for counts in self.counts.values())))

    def honest(self) -> Lines:
        # Half of the class programs as the lecture did; the others in their own ways, some with undocumented ties.
        way = self.ways[0] if self.draw.random() < 0.5 else self.draw.choice(self.ways)
        order = list(OVER.moves.moves)
        if self.draw.random() < 0.6:
            self.draw.shuffle(order)
        noise = self.draw.random() < 0.3
        weak = self.draw.random() < 0.2
        lines = []
        for name, shortest in self.shortest.items():
            chosen = self.longer[name] if weak and self.draw.random() < 0.5 else shortest
            solution = min(chosen, key=lambda path: [order.index(move) for move in path])
            if weak and self.draw.random() < 0.15:
                solution = solution[:-1]
            nodes = self.counts[name][way]
            if noise:
                nodes = max(1, round(nodes * self.draw.uniform(0.8, 1.3)))
            lines.append({"instance": name, "solution": " ".join(solution), "nodes": nodes})
        return lines


def planted(kind: str, school: School, source: Lines) -> list[Lines]:
    """The lines of those who copied ``source``."""
    draw = school.draw
    copy = [dict(line) for line in source]
    if kind == "counts shifted":
        return [[line | {"nodes": line["nodes"] + 7} for line in copy]]
    if kind == "counts scaled":
        return [[line | {"nodes": line["nodes"] * 2} for line in copy]]
    if kind == "counts permuted":
        numbers = [line["nodes"] for line in copy]
        return [[line | {"nodes": n} for line, n in zip(copy, [*numbers[3:], *numbers[:3]], strict=True)]]
    if kind == "half of the lines, by four":
        found = []
        for _ in range(3):
            own = school.honest()
            taken = set(draw.sample(range(len(own)), 5))
            found.append([copy[i] if i in taken else line for i, line in enumerate(own)])
        return found
    return [copy, copy] if kind == "wrong lines of three" else [copy]


def spoiled(school: School, lines: Lines, number: int) -> Lines:
    """Lines of a student with mistakes of their own: what a copy takes over."""
    out = [dict(line) for line in lines]
    for line in school.draw.sample(out, number):
        moves = line["solution"].split()
        moves.insert(school.draw.randrange(len(moves)), school.draw.choice(OVER.moves.moves))
        line["solution"] = " ".join(moves)
        line["nodes"] += school.draw.randrange(3, 40)
    return out


def school_class(seed: int) -> tuple[dict[str, Grading], dict[str, set[str]]]:
    """The gradings of a class, and the groups that copied, by kind."""
    school = School(seed)
    people: dict[str, tuple[bytes, str | None]] = {}
    groups: dict[str, set[str]] = {}
    number = 0

    def add(lines: Lines, *, table: bool = False, named: str | None = None, data: bytes | None = None) -> str:
        nonlocal number
        number += 1
        name = f"s{number:03}"
        text = json.dumps({"note": None, "results": lines}) if not table else "".join(
            ["instance;solution;nodes\n", *(f"{x['instance']};{x['solution']};{x['nodes']}\n" for x in lines)]
        )  # fmt: skip
        # Honest files differ in something that is not graded.
        people[name] = data if data is not None else text.encode() + b" " * number, named
        return name

    for kind in KINDS:
        source = school.honest()
        if kind != "another's id":
            source = spoiled(school, source, 3)
        first = add(source)
        group = {first}
        for lines in planted(kind, school, source):
            same = kind in ("identical bytes", "another's id")
            group.add(
                add(
                    lines, table=kind == "another format", named=first if kind == "another's id" else None,
                    data=people[first][0] if same else None,
                )
            )  # fmt: skip
        groups[kind] = group
    while number < STUDENTS:
        add(school.honest())
    gradings = {}
    for name, (data, named) in people.items():
        read = read_submission(data)
        read.named = named
        gradings[name] = grade(OVER, read)
    return gradings, groups


def judged(found: Copies, groups: dict[str, set[str]]) -> tuple[dict[str, float], float, float]:
    """Recall of each kind, and precision and recall over pairs of students."""
    true = {pair for group in groups.values() for pair in combinations(sorted(group), 2)}
    shown = {pair for cluster in found.clusters for pair in combinations(sorted(cluster.students), 2)}
    by_kind = {}
    for kind, group in groups.items():
        mine = set(combinations(sorted(group), 2))
        by_kind[kind] = len(mine & shown) / len(mine)
    return by_kind, len(true & shown) / max(1, len(shown)), len(true & shown) / len(true)


def test_planted_copies_of_eight_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    """Over three classes, because a class has few groups."""
    shares = []
    for seed in (1, 2, 3):
        gradings, groups = school_class(seed)
        assert len(gradings) == STUDENTS
        found = copies(gradings)
        by_kind, precision, recall = judged(found, groups)
        shares.append((precision, recall))
        with capsys.disabled():
            print(f"\ncopies, seed {seed}: precision {precision:.2f}, recall {recall:.2f}")
        assert [kind for kind, share in by_kind.items() if share < 1] in ([], [KINDS[-1]])
    assert sum(precision for precision, _ in shares) / 3 > 0.85
    assert sum(recall for _, recall in shares) / 3 > 0.8


def test_an_honest_class_is_left_in_peace() -> None:
    """Programs alike: the same convention, order of moves and solutions, as the lecture had them."""
    school = School(5)
    school.ways = school.ways[:1]
    gradings = {}
    lines: Lines = []
    for n in range(30):
        lines = [{"instance": i, "solution": " ".join(p[0]), "nodes": school.counts[i][school.ways[0]]}
                 for i, p in school.shortest.items()]  # fmt: skip
        gradings[f"s{n}"] = grade(OVER, read_submission(json.dumps(lines).encode() + b" " * n))
    assert copies(gradings).clusters == []
    # One more counts the goal, too: another convention and no copy.
    shifted = [line | {"nodes": line["nodes"] + 1} for line in lines]
    gradings["goal"] = grade(OVER, read_submission(json.dumps(shifted).encode()))
    assert copies(gradings).clusters == []


def test_somebody_outside_the_class() -> None:
    read = read_submission(json.dumps([{"instance": "x", "solution": ""}]).encode())
    read.named = "9999"
    (cluster,) = copies({"a": grade(OVER, read)}).clusters
    assert (cluster.students, cluster.evidence[0].kind) == (["a"], "foreign_id")


def test_the_threshold_grows_with_the_pairs_of_a_class() -> None:
    """Three bits more than those of one pair among all; a class of one or none has the threshold of a pair."""
    one = grade(OVER, read_submission(b'[{"instance": "x", "solution": ""}]'))
    found = [copies({f"s{n}": one for n in range(size)}).threshold for size in (0, 1, 2, 3, 5)]
    assert found == [3.0, 3.0, 3.0, round(3 + log2(3), 1), round(3 + log2(10), 1)]


INSTANCES = "uvwxyz"
Line = tuple[str, int | None]


def graded(lines: Sequence[Line], *, explained: bool, named: str | None = None) -> Grading:
    """A grading of lines (solution, count), one for each instance; solutions in capitals are wrong."""
    return Grading(
        assignment="a", version="1", student=None, name=None, email=None, submission=str(lines), named_in_file=named,
        score=0, max_score=0, parts=[],
        graded=[
            Graded(
                instance=instance, k=None, visibility="visible", row=row, valid=solution.islower(),
                length=len(solution), optimal_length=1, expanded=count, solution=solution,
            )
            for row, (instance, (solution, count)) in enumerate(zip(INSTANCES, lines, strict=False), 1)
        ],
        counting=Counting(convention="c", explained=len(lines), of=len(lines)) if explained else None,
    )  # fmt: skip


def counts(*numbers: int | None, of: str = "") -> list[Line]:
    """Lines with these counts, whose solutions only students with the same ``of`` have."""
    return [(f"{of}{n}{instance}", n) for instance, n in zip(INSTANCES, numbers, strict=False)]


PLAIN = (11, 23, 37, 41, 59, 61)
A, B = counts(*PLAIN, of="a"), counts(*PLAIN, of="b")


@pytest.mark.parametrize(
    ("one", "other", "explained", "expected"),
    [
        # A count is one of 63 different ones, and that of 2 of 64 students.
        (A, B, (False, False), [("equal_counts", 6 * 0.5 * log2(63), INSTANCES)]),
        (A, B, (True, False), [("equal_counts", 6 * 0.5 * log2(63), INSTANCES)]),
        # One convention: all six are as rare as one of them.
        (A, B, (True, True), [("equal_counts", 6, INSTANCES)]),
        (A, B[:5], (True, True), [("equal_counts", 0.5 * log2(63), INSTANCES[:5])]),
        (A, B[:3] + counts(0, 0, 0, 1, 2, 3, of="b")[3:], (True, True), []),
        (A, B[:3] + counts(0, 0, 0, 1, 2, 3, of="b")[3:], (False, False), [("equal_counts", 1.5 * log2(63), "uvw")]),
        (A, counts(*(n + 7 for n in PLAIN), of="b"), (False, False), [("shifted_counts", 5 * 6, INSTANCES)]),
        (A, counts(*(n + 7 for n in PLAIN), of="b"), (True, True), [("shifted_counts", 3, INSTANCES)]),
        (A, counts(*(2 * n for n in PLAIN), of="b"), (False, False), [("scaled_counts", 5 * 6, INSTANCES)]),
        (A, counts(*PLAIN[1:], 11, of="b"), (False, False), [("permuted_counts", 6 * 6 - log2(720), INSTANCES)]),
        # Half of them in another order count; beside more equal ones an order says nothing.
        (A, counts(*PLAIN[:3], 59, 61, 41, of="b"), (False, False),
         [("permuted_counts", 3 * log2(63) + 3 * 6 - log2(720), INSTANCES), ("equal_counts", 1.5 * log2(63), "uvw")]),
        (A, counts(*PLAIN[:4], 61, 59, of="b"), (False, False), [("equal_counts", 2 * log2(63), "uvwx")]),
        (A[:4], counts(*(n + 7 for n in PLAIN[:4]), of="b"), (False, False), [("shifted_counts", 3 * 6, "uvwx")]),
        (A[:3], counts(*(n + 7 for n in PLAIN[:3]), of="b"), (False, False), []),
        (counts(5, 5, 6, 7, of="a"), counts(6, 6, 7, 8, of="b"), (False, False), []),
        (counts(0, 2, 3, 4, of="a"), counts(0, 4, 6, 8, of="b"), (True, True), []),
        ([("same", None)] * 2, [("same", None)] * 2, (False, False), [("equal_lines", 2 * 0.5 * 6, "uv")]),
        ([("WRONG", None)], [("WRONG", None)], (False, False), [("wrong_lines", 6, "u")]),
        # The count of a shared wrong line belongs to it; with another one it may be the same slip of two programs.
        ([("WRONG", 5)], [("WRONG", 5)], (False, False), [("wrong_lines", 6, "u"), ("equal_counts", log2(63), "u")]),
        ([("WRONG", 5)], [("WRONG", 6)], (False, False), [("wrong_lines", 0.75 * 6, "u")]),
        (
            [("WRONG", None), ("same", None), ("all", None)], [("WRONG", None), ("same", None), ("all", None)],
            (False, False), [("wrong_lines", 6, "u"), ("equal_lines", 3, "vw")],
        ),
        ([("", None), ("", None), ("all", None)], [("", None), ("", None), ("all", None)], (False, False), []),
    ],
)  # fmt: skip
def test_evidence_weighs_what_it_is_worth_by_chance(
    one: list[Line], other: list[Line], explained: tuple[bool, bool], expected: list[tuple[str, float, str]]
) -> None:
    """Two of 64 students, whom a name in a file links in any case."""
    gradings = {}
    for n in range(1, 63):
        lines = counts(*range(1000 * n, 1000 * n + 6), of=f"s{n}")
        gradings[f"s{n}"] = graded([*lines[:2], ("all", lines[2][1]), *lines[3:]], explained=True)
    gradings |= {
        "a": graded(one, explained=explained[0], named="b"),
        "b": graded(other, explained=explained[1]).model_copy(update={"submission": "of b"}),
    }
    (cluster,) = copies(gradings).clusters
    assert cluster.students == ["a", "b"]
    first, *evidence = sorted(cluster.evidence, key=lambda one: -one.bits)
    assert (first.kind, first.bits) == ("foreign_id", 40)
    assert [(e.kind, e.bits, "".join(e.instances)) for e in evidence] == [
        (kind, round(bits, 1), instances) for kind, bits, instances in expected
    ]
    assert cluster.bits == round(40 + sum(bits for _, bits, _ in expected), 1)


def test_an_order_of_few_numbers_is_no_evidence() -> None:
    """Four counts of two students have 16 arrangements, and their order 24."""
    one, other = graded(A[:4], explained=False, named="b"), graded(counts(*PLAIN[1:4], 11, of="b"), explained=False)
    (cluster,) = copies({"a": one, "b": other}).clusters
    assert [(found.kind, found.bits) for found in cluster.evidence] == [("foreign_id", 40)]


def test_equal_files_weigh_more_than_their_lines() -> None:
    one = graded([], explained=False)
    (cluster,) = copies({"a": one, "b": one}).clusters
    assert (cluster.bits, [(found.kind, found.bits, found.instances) for found in cluster.evidence]) == (
        8, [("identical_bytes", 8, [])],
    )  # fmt: skip


def test_a_convention_that_leaves_counts_unexplained_is_none() -> None:
    gradings = {name: graded(lines, explained=True) for name, lines in (("a", A), ("b", B))}
    for explained, bits in ((6, []), (5, ["equal_counts"])):
        counting = Counting(convention="c", explained=explained, of=6)
        one = {name: found.model_copy(update={"counting": counting}) for name, found in gradings.items()}
        others = {
            f"s{n}": graded(counts(*range(1000 * n, 1000 * n + 6), of=f"s{n}"), explained=True) for n in range(1, 20)
        }
        found = copies(one | others).clusters
        assert [evidence.kind for cluster in found for evidence in cluster.evidence] == bits


def test_a_cluster_is_as_strong_as_the_weakest_link_of_its_strongest_tree() -> None:
    wrong = ("WRONG", "SLIP", "ERROR", "FAULT")
    lines: list[Line] = [(text, None) for text in wrong]
    people = {
        "a": graded(lines, explained=False, named="c"),
        "b": graded([*lines, ("b", None)], explained=False),
        "c": graded([("c", None)], explained=False, named="b"),
        "d": graded([("d", None)], explained=False, named="elsewhere"),
        "e": graded([("e", None)], explained=False, named="f"),
        "f": graded([("e", None), ("g", None)], explained=False),
    }
    found = copies(people)
    assert [(cluster.students, cluster.bits) for cluster in found.clusters] == [
        (["e", "f"], round(40 + 0.5 * log2(6), 1)), (["a", "b", "c"], 40), (["d"], 40),
    ]  # fmt: skip
    first = found.clusters[1]
    assert [(found.kind, found.students, found.bits) for found in first.evidence] == [
        ("foreign_id", ["a", "c"], 40), ("foreign_id", ["b", "c"], 40),
        ("wrong_lines", ["a", "b"], round(4 * log2(6), 1)),
    ]  # fmt: skip


def test_three_who_share_their_wrong_lines_do_not_make_them_common() -> None:
    """In a class of 29. A line that a fourth one has, too, is more common; one shared wrong line alone is no source."""
    slips: list[Line] = [("WRONG", None), ("SLIP", None), ("ERROR", None)]
    others = {f"s{n}": graded([(f"s{n}", None)] * 6, explained=False) for n in range(26)}
    three = {name: graded([*slips, (name, None)], explained=False) for name in "abc"}
    (cluster,) = copies(others | three).clusters
    assert (cluster.students, cluster.bits) == (["a", "b", "c"], round(3 * log2(29), 1))
    others["s0"] = graded([slips[0], *[("s0", None)] * 5], explained=False)
    (cluster,) = copies(others | three).clusters
    assert cluster.bits == round(2 * log2(29) + log2(29 / 2), 1)
    assert copies(others | {name: graded([slips[0], (name, None)], explained=False) for name in "abc"}).clusters == []


def test_lines_stand_side_by_side() -> None:
    """By instance, those that nobody handed in left out; equal solutions, however they are written."""
    gradings = {
        "a": graded([("same", 5), ("WRONG", None), ("", 1)], explained=False),
        "b": graded([("same", 6), ("right", 7)], explained=False),
        "c": graded([("same", 5), ("WRONG", 7)], explained=False),
    }
    nothing = gradings["b"].graded[0].model_copy(update={"instance": "z", "row": None, "solution": None})
    for name in "bc":
        gradings[name] = gradings[name].model_copy(update={"graded": [*gradings[name].graded, nothing]})
    found = side_by_side(gradings, {"a": {1: "S a m e", 2: "W"}, "b": {2: "R"}})
    assert found.students == ["a", "b", "c"]
    assert [(row.instance, list(row.cells)) for row in found.rows] == [("u", [*"abc"]), ("v", [*"abc"]), ("w", ["a"])]
    first, second, third = (row.cells for row in found.rows)
    assert [first[name].same_as for name in "abc"] == [["b", "c"], ["a", "c"], ["a", "b"]]
    assert [second[name].same_as for name in "abc"] == [["c"], [], ["a"]]
    assert third["a"].same_as == []
    assert [(cell.row, cell.solution, cell.length, cell.nodes, cell.valid) for cell in second.values()] == [
        (2, "W", 5, None, False), (2, "R", 5, 7, True), (2, None, 5, 7, False),
    ]  # fmt: skip
    assert first["a"].solution == "S a m e"
    # Who has no line for an instance has no text, and is like nobody.
    none = gradings["a"].graded[1].model_copy(update={"row": None, "solution": None})
    people = gradings | {name: gradings["b"].model_copy(update={"graded": [none]}) for name in "de"}
    cells = side_by_side(people, {"d": {1: "no"}}).rows[1].cells
    assert [(cells[name].row, cells[name].solution, cells[name].same_as) for name in "de"] == [(None, None, [])] * 2


def main() -> None:
    """A table of the pairs found, by kind and seed, after the clusters of each seed."""
    seeds = list(map(int, sys.argv[1:] or ["1"]))
    shares: dict[str, list[str]] = {}
    for seed in seeds:
        gradings, groups = school_class(seed)
        found = copies(gradings)
        by_kind, precision, recall = judged(found, groups)
        figures = by_kind | {"recall": recall, "precision": precision}
        for name, share in figures.items():
            shares.setdefault(name, []).append(f"{share:>8.2f}")
        print(f"seed {seed}: precision {precision:.2f}, recall {recall:.2f}, threshold {found.threshold} bits")
        for cluster in found.clusters:
            kinds = ", ".join(f"{e.kind} {e.bits}" for e in cluster.evidence)
            print(f"  {' '.join(cluster.students)}: {cluster.bits} bits; {kinds}")
    print(f"\n{'pairs found':<28}" + "".join(f"{f'seed {seed}':>8}" for seed in seeds))
    for name, row in shares.items():
        print(f"{name:<28}" + "".join(row))


if __name__ == "__main__":
    main()
