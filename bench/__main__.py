"""`make bench`: the kernel's A* beside the plain Python A* on the same instances, in one run.

Both expand the same nodes in the same order, so a node is the same work for both. Times are medians with their range;
the first run of each, which warms the arena and the caches, is not counted.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hstar.schema import LimitsIn, ScrambleIn, SolveRequest
from hstar.search import Problem, prepare, reference, solve


@dataclass(frozen=True)
class Case:
    """One instance, and after how many expansions the kernel and the reference stop."""

    puzzle: str
    k: int
    seed: int
    moves: str
    heuristic: str
    expanded: int
    reference_expanded: int

    def problem(self, expanded: int) -> Problem:
        """The instance with a limit."""
        return prepare(
            SolveRequest(
                puzzle=self.puzzle,
                scramble=ScrambleIn(k=self.k, seed=self.seed),
                moves=self.moves,
                heuristic=self.heuristic,
                limits=LimitsIn(expanded=expanded, memory_mib=4096),
            )
        )


CASES = (
    Case("megaminx", 30, 1, "ccw", "ceil(misplaced_facelets / 15)", 1_000_000, 5_000),
    Case("megaminx", 30, 1, "all", "misplaced_facelets / 15", 300_000, 2_000),
    Case("15-puzzle", 300, 2, "slide", "manhattan", 2_000_000, 20_000),
    Case("15-puzzle", 300, 2, "slide", "manhattan + linear_conflict", 1_000_000, 10_000),
)


@dataclass(frozen=True)
class Row:
    """What was measured of one case. Rates are nodes expanded a second."""

    case: Case
    kernel: tuple[float, ...]
    reference: tuple[float, ...]
    bytes_per_node: float

    @property
    def ratio(self) -> float:
        """How many times the reference's rate the kernel's is, median by median."""
        return statistics.median(self.kernel) / statistics.median(self.reference)


def rates(work: Callable[[], int], repeats: int) -> tuple[float, ...]:
    """Expansions a second of `repeats` runs of `work`, which returns how many nodes it expanded."""
    work()
    found = []
    for _ in range(repeats):
        began = time.perf_counter()
        expanded = work()
        found.append(expanded / (time.perf_counter() - began))
    return tuple(found)


def measure(case: Case, repeats: int, share: float = 1.0) -> Row:
    """Run one case with `share` of its expansions. Raises ValueError if the two searches do not count the same."""
    small = max(1, int(case.reference_expanded * share))
    full = case.problem(max(1, int(case.expanded * share)))
    short = case.problem(small)

    def plain() -> reference.ReferenceResult:
        return reference.astar(
            short.puzzle, short.start, short.moves.moves, short.heuristic, max_expanded=short.limits.expanded
        )

    counted, expected = solve(short).counters, plain()
    if (counted.expanded, counted.generated) != (expected.expanded, expected.generated):
        raise ValueError(f"{case}: the kernel counts {counted}, the reference {expected}")
    result = solve(full)
    return Row(
        case,
        rates(lambda: solve(full).counters.expanded, repeats),
        rates(lambda: plain().expanded, repeats),
        result.peak_bytes / result.counters.stored,
    )


def table(rows: list[Row]) -> Table:
    """The rows for people."""
    shown = Table(title=f"A*: thousand nodes expanded a second, median (range); {platform.machine()}")
    for column in ("puzzle", "moves", "heuristic", "kernel", "plain Python", "ratio", "bytes/node"):
        shown.add_column(column, justify="left" if column in {"puzzle", "moves", "heuristic"} else "right")
    for row in rows:
        shown.add_row(
            row.case.puzzle,
            row.case.moves,
            row.case.heuristic,
            spread(row.kernel),
            spread(row.reference),
            f"{row.ratio:.0f}",
            f"{row.bytes_per_node:.0f}",
        )
    return shown


def spread(values: tuple[float, ...]) -> str:
    """Median and range, in thousands."""
    low, middle, high = (value / 1000 for value in (min(values), statistics.median(values), max(values)))
    return f"{middle:,.1f} ({low:,.1f}-{high:,.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each case (5)")
    parser.add_argument("--json", type=Path, help="also write every single rate to this file")
    options = parser.parse_args()
    rows = [measure(case, options.repeats) for case in CASES]
    console = Console()
    # In a pipe there is no width to keep to.
    console.print(table(rows), width=None if console.is_terminal else 140, crop=False)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
