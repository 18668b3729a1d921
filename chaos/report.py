"""The results of the fault experiments as lines on a terminal, and as the table of docs/reliability.md."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from chaos.experiments import EXPERIMENTS
from chaos.faults import Result

BEGIN, END = "<!-- the table of make chaos begins -->", "<!-- and ends -->"


def line_of(result: Result) -> str:
    """One result."""
    name = f"{result.name:<18} {result.database:<10} run {result.number}"
    if result.skipped:
        return f"{name} skipped: {result.skipped}"
    if result.violation:
        again = f"python -m chaos faults --only {result.name} --first-run {result.number}"
        return f"{name} VIOLATION after {result.seconds:.0f} s; to repeat: {again}\n{result.violation}"
    told = f"{result.faults:>4} faults, {result.jobs:>6} jobs, {result.repeated_attempts:>4} repeated attempts"
    more = f"  ({'; '.join(result.notes)})" if result.notes else ""
    return f"{name} {told}, all ended {result.recovery_seconds:.1f} s after the last; {result.seconds:.0f} s{more}"


def summary_of(results: Sequence[Result]) -> str:
    """A summary of all results in a sentence."""
    ran = [result for result in results if not result.skipped]
    return (
        f"{len(ran)} experiments, {sum(r.faults for r in ran):,} faults, {sum(r.jobs for r in ran):,} jobs: "
        f"{sum(r.violation is not None for r in ran)} violations; "
        f"longest recovery {max((r.recovery_seconds for r in ran), default=0):.1f} s"
    )


def table_of(results: Sequence[Result]) -> str:
    """A row for each experiment, over its runs and databases, in Markdown."""
    lines = [
        "| experiment | what is done | runs | faults | jobs | repeated attempts | longest recovery | violations |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, one in EXPERIMENTS.items():
        own = [result for result in results if result.name == name and not result.skipped]
        if not own:
            continue
        counts = [len(own), sum(r.faults for r in own), sum(r.jobs for r in own), sum(r.repeated_attempts for r in own)]
        cells = [f"`{name}`", one.what, *(f"{count:,}" for count in counts)]
        cells += [f"{max(r.recovery_seconds for r in own):.1f} s", str(sum(r.violation is not None for r in own))]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", summary_of(results) + "."])


def write_table(page: Path, results: Sequence[Result]) -> None:
    """Put the table between its markers in a page."""
    replace_between(page, BEGIN, END, table_of(results))


def replace_between(page: Path, begin: str, end: str, text: str) -> None:
    """Put a text between two markers in a page."""
    before, _, rest = page.read_text().partition(begin)
    page.write_text(f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}")
