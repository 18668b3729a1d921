"""`make bench`: hstar against its aims and against baselines built from this repository, side by side in one run.

Each row runs in a separate process, one after the other. The results of a full run and their plots go to
bench/results/.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench import plots, report
from bench.report import RESULTS, ROOT, Outcome, Run
from bench.rows import ROWS, Missing, Scale

#: the modules with rows, in the order of the report
MODULES = ("searching", "proving", "lengths", "holding", "cancelling", "lateness", "diagnosis", "serving", "classes")
PAGES = sorted((ROOT / "docs").glob("performance*.md"))
#: the longest row, of late answers, takes an hour of a quiet machine
ROW_SECONDS = 3 * 3600


def rows() -> list[str]:
    """The names of all rows."""
    for module in MODULES:
        importlib.import_module(f"bench.{module}")
    return list(ROWS)


def measure(name: str, scale: Scale) -> Outcome:
    """Run one row in a separate process, so that its failure does not stop the other rows."""
    command = [sys.executable, "-m", "bench", "--here", name, "--repeats", str(scale.repeats)]
    command += ["--smoke"] if scale.smoke else []
    began = time.monotonic()
    missing = None
    found = None
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=ROW_SECONDS, check=False, env=_environment()
        )
        if done.returncode == 0:
            found = json.loads(done.stdout.splitlines()[-1])
        else:
            lines = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
            missing = lines[-1].removeprefix("bench.rows.Missing: ")
    except subprocess.TimeoutExpired:
        missing = f"took more than {ROW_SECONDS} s"
    seconds = round(time.monotonic() - began, 1)
    if found is None:
        return Outcome(ROWS[name].title, seconds, missing=missing)
    return Outcome(ROWS[name].title, seconds, report.measured_from(found))


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}


def run(names: Sequence[str], scale: Scale, console: Console) -> Run:
    """Run rows one after the other, and report progress."""
    load = os.getloadavg()[0]
    if load > 0.5 and not scale.smoke:
        console.print(
            f"the load is {load:.1f}: other programs are running, so the times will be too long", style="yellow"
        )
    outcomes = {}
    for name in names:
        console.print(f"{name}: {ROWS[name].title} ...", end=" ", highlight=False)
        outcomes[name] = measure(name, scale)
        console.print(f"{outcomes[name].seconds:.0f} s", outcomes[name].missing or "", highlight=False, markup=False)
    return report.here(outcomes, load)


def keep(done: Run, console: Console) -> None:
    """Save a run, and plot it and the history of runs."""
    path = report.save(done)
    plots.write(plots.growth(done), RESULTS / "growth.svg")
    plots.write(plots.history(report.history()), RESULTS / "history.svg")
    console.print(f"saved: {path.relative_to(ROOT)}, growth.svg, history.svg", highlight=False)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--list", action="store_true", help="list the rows")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="ROW",
        help="only these rows; the run is shown, not saved",
    )
    parser.add_argument("--smoke", action="store_true", help="tiny sizes: the counts are right, the times meaningless")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each measurement (5)")
    parser.add_argument("--markdown", action="store_true", help="print the tables in the form of docs/performance*.md")
    parser.add_argument("--docs", action="store_true", help="write the tables into docs/performance*.md")
    parser.add_argument("--show", type=Path, metavar="FILE", help="do not measure; show a saved run")
    parser.add_argument("--here", metavar="ROW", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    names = rows()
    scale = Scale(1 if options.smoke else options.repeats, options.smoke)
    unknown = {*(options.only or ()), *filter(None, [options.here])} - set(names)
    if unknown:
        parser.error(f"unknown row: {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    if options.list:
        for name in names:
            print(f"{name:16} {ROWS[name].title}{' (long: only if named)' if ROWS[name].long else ''}")
        return 0
    if options.here:
        try:
            print(report.to_json(ROWS[options.here].measure(scale)))
        except Missing as missing:
            print(missing, file=sys.stderr)
            return 1
        return 0
    console = Console(stderr=options.markdown)
    if not console.is_terminal:
        console.width = 200  # a pipe has no width
    if options.show:
        done = report.load(options.show)
    else:
        usual = [name for name in names if scale.smoke or not ROWS[name].long]
        done = run(options.only or usual, scale, console)
        if not (options.only or options.smoke):
            keep(done, console)
    report.show(done, console)
    sections = report.markdown(done)
    if options.markdown:
        print("\n\n".join(sections.values()))
    if options.docs:
        report.write_into(PAGES, sections)
    return 0


if __name__ == "__main__":
    sys.exit(main())
