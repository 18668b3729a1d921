"""The results of a run: saved as JSON, shown as tables on a terminal and in Markdown."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.rows import Curve, Figure, Measured

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "results"

AIMS = ("work", "quantity", "aim", "median", "range", "n", "median against aim", "")
BASELINES = ("work", "quantity", "hstar", "beside it", "median", "range", "n", "hstar is better by")


@dataclass(frozen=True)
class Outcome:
    """The outcome of one row: ``measured``, or the reason why not. ``seconds``: duration of the whole row."""

    title: str
    seconds: float
    measured: Measured = field(default_factory=Measured)
    missing: str | None = None


@dataclass(frozen=True)
class Run:
    """One run of the bench."""

    date: str
    commit: str
    machine: Mapping[str, Any]
    rows: Mapping[str, Outcome]

    @property
    def name(self) -> str:
        """The name of its files."""
        return f"{self.date[:10]}-{self.commit}"


def here(rows: Mapping[str, Outcome], load: float) -> Run:
    """A run that has just ended on this machine. :param load: the load average at its start"""
    machine = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_before": round(load, 2),
    }
    return Run(datetime.now(UTC).isoformat(timespec="seconds"), _commit(), machine, rows)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    return (git("rev-parse", "--short=8", "HEAD") or "unknown") + ("-changed" if git("status", "--porcelain") else "")


def to_json(value: Any) -> str:
    """A run or a row's measurements as JSON text."""
    return json.dumps(asdict(value), ensure_ascii=False, separators=(",", ":"))


def measured_from(value: Mapping[str, Any]) -> Measured:
    """The inverse of `to_json` for a row's measurements."""
    return Measured(
        figures=tuple(
            Figure(
                **f | {"samples": tuple(f["samples"]), "baselines": {k: tuple(v) for k, v in f["baselines"].items()}}
            )
            for f in value["figures"]
        ),
        curves=tuple(Curve(**c | {"points": tuple(map(tuple, c["points"]))}) for c in value["curves"]),
        counts=value["counts"],
        notes=tuple(value["notes"]),
    )


def save(run: Run, directory: Path = RESULTS) -> Path:
    """Save a run beside the earlier ones."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{run.name}.json"
    # One line for each row, so that two runs can be compared by diff.
    head = json.dumps({"date": run.date, "commit": run.commit, "machine": run.machine}, ensure_ascii=False)
    rows = ",\n".join(f"{json.dumps(name)}: {to_json(outcome)}" for name, outcome in run.rows.items())
    path.write_text(f'{head[:-1]}, "rows": {{\n{rows}\n}}}}\n')
    return path


def load(path: Path) -> Run:
    """The inverse of `save`."""
    value = json.loads(path.read_text())
    rows = {name: Outcome(**o | {"measured": measured_from(o["measured"])}) for name, o in value["rows"].items()}
    return Run(value["date"], value["commit"], value["machine"], rows)


def history(directory: Path = RESULTS) -> list[Run]:
    """All saved runs, oldest first."""
    return sorted((load(path) for path in directory.glob("*.json")), key=lambda run: run.date)


def aim_lines(run: Run) -> Iterator[tuple[str, ...]]:
    """The cells of each quantity with an aim, and of each row that could not be measured."""
    for outcome in run.rows.values():
        if outcome.missing is not None:
            yield outcome.title, outcome.missing, "", "", "", "", "", "missing"
        for figure in outcome.measured.figures:
            if figure.aim is not None:
                sign = "≥" if figure.better == "higher" else "≤"
                yield (
                    outcome.title, figure.name, f"{sign} {number(figure.aim)} {figure.unit}",
                    f"{number(figure.median)} {figure.unit}", *_spread(figure.samples, figure.sample),
                    _times(figure.times_better(figure.aim)), "met" if figure.met else "short",
                )  # fmt: skip
            if figure.ratio_aim is not None:
                for name, samples in figure.baselines.items():
                    times = figure.times_better(median(samples))
                    ratios = [figure.times_better(sample) for sample in samples]
                    yield (
                        outcome.title, f"{figure.name}, against {name}", f"≥ {number(figure.ratio_aim)} times",
                        f"{number(times)} times", *_spread(ratios, figure.sample), _times(times / figure.ratio_aim),
                        "met" if times >= figure.ratio_aim else "short",
                    )  # fmt: skip


def baseline_lines(run: Run) -> Iterator[tuple[str, ...]]:
    """The cells of each baseline; quantities with neither aim nor baseline have an empty one."""
    for outcome in run.rows.values():
        for figure in outcome.measured.figures:
            own = (outcome.title, figure.name, f"{number(figure.median)} {figure.unit}")
            for name, samples in figure.baselines.items():
                middle = median(samples)
                yield (
                    *own, name, f"{number(middle)} {figure.unit}", *_spread(samples, "run"),
                    _times(figure.times_better(middle)),
                )  # fmt: skip
            if not figure.baselines and figure.aim is None:
                yield *own, "", "", *_spread(figure.samples, figure.sample), ""


def _spread(samples: Sequence[float], sample: str) -> tuple[str, str]:
    plural = sample if len(samples) == 1 else sample.replace("run", "runs", 1) if "run" in sample else sample + "s"
    return f"{number(min(samples))} .. {number(max(samples))}", f"{len(samples)} {plural}"


def _times(ratio: float) -> str:
    return f"{number(ratio)} times"


def number(value: float) -> str:
    """Three significant digits, without exponents."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 2
    while digits < 8 and abs(value) < 10 ** (2 - digits):
        digits += 1
    text = f"{value:.{digits}f}" if abs(value) < 10 else f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def markdown(run: Run) -> dict[str, str]:
    """The tables, by the name of their section in docs/performance*.md."""
    machine = run.machine
    measured = (
        f"Measured on {run.date[:10]} at {run.commit}: {machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gib']:g} GiB, {machine['system']}, Python {machine['python']}."
    )
    notes = [f"- {outcome.title}: {note}." for outcome in run.rows.values() for note in outcome.measured.notes]
    return {
        "aims": "\n".join([measured, "", _markdown(AIMS, aim_lines(run)), *(["", *notes] if notes else [])]),
        "baselines": _markdown(BASELINES, baseline_lines(run)),
        "growth": "![how it grows](../bench/results/growth.svg)\n\n![from run to run](../bench/results/history.svg)",
    }


def _markdown(header: Sequence[str], lines: Iterator[tuple[str, ...]]) -> str:
    cells = (tuple(header), ("---",) * len(header), *_once(lines))
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _once(lines: Iterator[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """The lines, with each title only at its first occurrence."""
    above = ""
    for title, *cells in lines:
        yield "" if title == above else title, *cells
        above = title


def write_into(pages: Sequence[Path], sections: Mapping[str, str]) -> None:
    """Put each section between its two markers, ``<!-- bench: NAME -->`` and ``<!-- bench: end -->``, of one page."""
    for name, section in sections.items():
        marker = f"<!-- bench: {name} -->\n"
        page = next((page for page in pages if marker in page.read_text()), None)
        if page is None:
            raise ValueError(f"no page has markers for {name}")
        before, begin, rest = page.read_text().partition(marker)
        _, end, after = rest.partition("<!-- bench: end -->")
        if not end:
            raise ValueError(f"{page} has no end of {name}")
        page.write_text(f"{before}{begin}{section}\n{end}{after}")


def show(run: Run, console: Console) -> None:
    """Both tables on a terminal."""
    for title, header, lines in (
        (f"Aims; {run.name}", AIMS, aim_lines(run)),
        ("Baselines", BASELINES, baseline_lines(run)),
    ):
        shown = Table(title=title)
        for column in header:
            shown.add_column(column, justify="left" if column in {"work", "quantity", "beside it", ""} else "right")
        for cells in _once(lines):
            style = {"short": "yellow", "missing": "dim"}.get(cells[-1])
            shown.add_row(*cells, style=style)
        console.print(shown)


def show_and_save(found: Sequence[Any], tables: Iterable[Table], file: Path | None) -> None:
    """Print the tables of runs, which are dataclasses, and write these to a file if there is one."""
    console = Console()
    for table in tables:
        console.print(table, width=None if console.is_terminal else 140, crop=False)
    if file:
        file.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
