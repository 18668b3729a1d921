"""The campaign of mutants: `python -m tests.certificates.mutate --count 10000 --seed 1`.

Small certificates of every kind are changed at random (`mutations`), and both checkers read each mutant. Wrong is

- a mutant that is accepted though its claim is false: the truth is Dijkstra's algorithm on the mutant's own puzzle;
- a checker that crashes, takes more memory than it states, or does not end;
- two checkers that do not agree.

A mutant whose claim is true may be accepted: names are others, or a move that no shortest path needs is missing.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.certificates.checkers import Verdict, first_forked, second
from tests.certificates.container import Claimed, taken_apart
from tests.certificates.made import small_certificates
from tests.certificates.mutations import mutants

#: what the first checker may take besides its file, Python and its modules
MOST_MEMORY = 64 << 20
SECONDS = 20
#: how a checker says that a file asks for more than it does, which the other may do
BEYOND = ("more memory", "too large", "more nodes than allowed", "not enough memory", "is too deep")


@dataclass
class Report:
    """What became of the mutants."""

    made: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    stopped: int = 0
    unjudged: int = 0
    most_memory: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{'mutation':32} {'mutants':>8} {'true, and accepted':>20}"]
        lines += [f"{name:32} {count:8,} {self.accepted[name]:20,}" for name, count in sorted(self.made.items())]
        lines.append(f"{'together':32} {sum(self.made.values()):8,} {sum(self.accepted.values()):20,}")
        lines.append(f"stopped by limits: {self.stopped}; most memory: {self.most_memory / 2**20:.0f} MiB")
        lines.append(f"accepted by both, and of a puzzle too large to search: {self.unjudged}")
        lines.append(f"wrong: {len(self.wrong)}")
        return "\n".join([*lines, *self.wrong[:20]])


def is_true(mutant: bytes, original: Mapping[str, bytes]) -> bool | None:
    """Whether the claim of an accepted mutant is true; None: its puzzle has too many states."""
    try:
        return _is_true(mutant, original)
    except MemoryError:
        return None


def _is_true(mutant: bytes, original: Mapping[str, bytes]) -> bool:
    sections = taken_apart(mutant)
    if sections["PUZL"] == original["PUZL"] and sections["CLAM"] == original["CLAM"] and sections["CLAM"][0] <= 3:
        return True  # what was claimed is true
    if sections["CLAM"][0] == 6:
        return True  # the two checkers are the witnesses of each other
    claimed = Claimed.of(sections)
    end = claimed.end_of_path()
    match claimed.kind:
        case 1:
            return end == claimed.goal and claimed.length == claimed.bound == claimed.distance()
        case 2:
            distance = claimed.distance()
            return distance is None or (claimed.bound is not None and distance >= claimed.bound)
        case 3:
            return claimed.distance() is None
        case 4 | 8:
            return end == claimed.goal
        case _:
            return True


def campaign(certificates: Mapping[str, bytes], count: int, seed: int, report: Report) -> Iterator[Report]:
    """Check so many mutants of certificates; the report after each."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "mutant.hcert")
        for name, mutation, mutant in mutants(certificates, count, draw):
            file.write_bytes(mutant)
            report.made[mutation] += 1
            verdicts = first_forked(file, SECONDS), second(file, SECONDS, 1024)
            fault = _fault(*verdicts, mutant, mutation, taken_apart(certificates[name]), report)
            if fault is not None:
                report.wrong.append(f"{name}, {mutation}, mutant {sum(report.made.values())}: {fault}")
                Path(tempfile.gettempdir(), f"mutant-{len(report.wrong)}.hcert").write_bytes(mutant)
            yield report


def _fault(
    one: Verdict, two: Verdict, mutant: bytes, mutation: str, original: Mapping[str, bytes], report: Report
) -> str | None:
    """What is wrong with the verdicts of the two checkers on a mutant."""
    report.most_memory = max(report.most_memory, one.memory)
    if one.status not in (0, 1) or one.memory > MOST_MEMORY + len(mutant):
        return f"the first ended with {one.status} and {one.memory:,} bytes more: {one.said[-300:]}"
    if two.status not in (0, 1):
        return f"the second ended with {two.status}: {two.said[-300:]}"
    limited = any(word in verdict.said for verdict in (one, two) for word in BEYOND)
    report.stopped += limited
    if one.proven != two.proven and not limited:
        return f"first: {one.said[-200:]}; second: {two.said[-200:]}"
    if one.proven:
        report.accepted[mutation] += 1
        true = is_true(mutant, original)
        report.unjudged += true is None
        if true is False:
            return f"accepted and false: {one.said[-300:]}"
    return None


def main() -> int:
    asked = argparse.ArgumentParser(description="Look for a mutant of a certificate that is accepted and false.")
    asked.add_argument("--count", type=int, default=10_000, help="mutants together")
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    certificates = small_certificates()
    report = Report()
    with suppress(KeyboardInterrupt):  # then the report is of what was tried
        for number, _ in enumerate(campaign(certificates, given.count, given.seed, report), 1):
            if sys.stderr.isatty() and number % 50 == 0:
                print(f"\r{number:,} mutants, {len(report.wrong)} wrong", end="", file=sys.stderr)
    print(report)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
