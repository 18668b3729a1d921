"""``python -m bench.published``: other people's instances, answered by hstar beside the published figures.

    python -m bench.published tiles24 cube3-quarter-turns --sample 10 --seconds 10
    python -m bench.published cube4 --data ~/contests --sample 10 --seconds 60 --results cube4.jsonl --plot cube4.svg

Every answer is replayed by the code of `bench.published.replay` before it is counted. Results are added to a file, a
line each; what is in it already is not done again, so that a run that was interrupted goes on. A limit of seconds is
wall-clock time; CPU seconds stand beside it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import LogLocator, NullFormatter

from bench import report
from bench.published.sets import OURS, SETS, Instance, PublishedSet, sample
from hstar.puzzles import get_puzzle
from hstar.puzzles.added import Folder, looking_in
from hstar.puzzles.formats import read_any_definition
from hstar.schema import LimitsIn, SolveRequest
from hstar.search import prepare, solve
from hstar.search.control import Control

#: a result as it is kept: a line of JSON
Result = dict[str, Any]


class Watched(Control):
    """Notes when solutions got shorter."""

    def __init__(self) -> None:
        super().__init__()
        self.began = time.monotonic()
        self.steps: list[tuple[float, int]] = []

    def show_best(self, solution: tuple[str, ...]) -> None:
        super().show_best(solution)
        self.steps.append((round(time.monotonic() - self.began, 3), len(solution)))


def ask(instance: Instance, algorithm: str, seconds: float, threads: int, memory_mib: int) -> Result:
    """One answer, replayed.

    :raises AssertionError: it is no solution, or shorter than what is published as shortest
    """
    limits = LimitsIn(seconds=seconds, memory_mib=memory_mib)
    own = generators(instance) if instance.definition else {}
    request = SolveRequest.model_validate({"algorithm": algorithm, "limits": limits, **instance.asked, **own})
    began, cpu, control = time.monotonic(), time.process_time(), Watched()
    found = solve(prepare(request), control, threads=threads)
    took, cpu = time.monotonic() - began, time.process_time() - cpu
    moves = None if found.solution is None else instance.spelled(found.solution)
    if found.solution is not None and not instance.replays(found.solution):
        raise AssertionError(f"no solution of {instance.id}: {found.solution}")
    optimum = instance.published.get("optimum")
    if optimum is not None and (found.lower_bound or 0) > optimum:
        raise AssertionError(f"a bound of {found.lower_bound} for {instance.id}, whose optimum is {optimum}")
    if optimum is not None and found.length is not None and found.length < optimum:
        raise AssertionError(f"{found.length} moves for {instance.id}, whose optimum is {optimum}")
    return {
        "id": instance.id, "kind": instance.kind, "published": instance.published, "length": found.length,
        "bound": found.lower_bound, "proven": found.optimality == "proven", "seconds": round(took, 2),
        "cpu_seconds": round(cpu, 2), "expanded": found.counters.expanded, "steps": control.steps, "moves": moves,
    }  # fmt: skip


def generators(instance: Instance) -> Result:
    """The move set of an added puzzle's generators, without other powers of them."""
    puzzle = get_puzzle(instance.asked["puzzle"])
    own = puzzle.move_sets.get("single", puzzle.move_sets["all"])
    if not set(own.moves) <= set((instance.definition or {})["generators"]):
        raise AssertionError(f"{puzzle.name} has moves that are no generators: {own.moves}")
    return {"moves": own.name}


def run(which: PublishedSet, chosen: Sequence[Instance], settings: Result, path: Path) -> list[Result]:
    """The results of these instances; those that the file has with the same settings are taken from it."""
    machine = report.here({}, os.getloadavg()[0])
    head = {"set": which.name, **settings}
    known = {one["id"]: one for one in kept(path) if {key: one.get(key) for key in head} == head}
    results = []
    with ExitStack() as stack:
        folder = Folder(Path(stack.enter_context(TemporaryDirectory())))
        stack.enter_context(looking_in(folder))
        for instance in chosen:
            if instance.id not in known:
                if instance.definition is not None:
                    folder.add(read_any_definition(instance.definition))
                found = ask(instance, *settings.values())
                line = {**head, **found, "commit": machine.commit, "machine": machine.machine}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")
                known[instance.id] = line
                others = ", ".join(f"{name} {length}" for name, length in instance.published.items())
                took = f"{found['seconds']} s, {found['cpu_seconds']} CPU s"
                text = f"{which.name} {instance.id}: {found['length']} moves (at least {found['bound']}; {others})"
                print(f"{text} after {took}", file=sys.stderr, flush=True)
            results.append(known[instance.id])
    return results


def kept(path: Path) -> list[Result]:
    """What a file of results has. A last line that was cut off is left out."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def table(which: PublishedSet, results: Sequence[Result], kinds: bool = False) -> Iterable[tuple[str, ...]]:
    """A row of the set, and one for each kind of instance."""
    parts = {which.title: list(results)}
    for one in results if kinds else ():
        if one["kind"]:
            parts.setdefault(f"- {one['kind']}", []).append(one)
    for title, own in parts.items():
        answered = [one for one in own if one["length"] is not None]
        if not answered:
            yield title, f"0 of {len(own)}", "", "", "", "", ""
            continue
        names = dict.fromkeys(name for one in answered for name in one["published"])
        others = []
        for name in names:
            both = [one for one in answered if name in one["published"]]
            ours, theirs = (
                mean(values) for values in zip(*((r["length"], r["published"][name]) for r in both), strict=True)
            )
            others.append(f"{name} {theirs:.2f}" + (f" (hstar {ours:.2f} there)" if len(both) < len(answered) else ""))
        others += [f"{name} {value:g} (whole set)" for name, value in which.means.items()]
        yield (
            title,
            f"{len(answered)} of {len(own)}",
            f"{mean(one['length'] for one in answered):.2f}",
            f"{mean(one['bound'] for one in answered):.2f}",
            str(sum(one["proven"] for one in answered)),
            "; ".join(others),
            f"{mean(one['seconds'] for one in own):.1f} / {mean(one['cpu_seconds'] for one in own):.1f}",
        )


HEAD = ("set", "answered", "moves each", "bound each", "proven", "published, each", "s / CPU s each")


def show(rows: Iterable[tuple[str, ...]]) -> str:
    """The rows as a table of Markdown."""
    lines = [HEAD, ("---", *["---:"] * 4, "---", "---:"), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def plot(found: dict[str, Sequence[Result]]) -> Canvas:
    """The mean length of the best solutions so far against the seconds, a line for each set; from when all have one
    to the limit."""
    canvas = Canvas(figsize=(8, 4.5), layout="constrained")
    axes = canvas.subplots()
    for title, results in found.items():
        steps = [one["steps"] for one in results if one["steps"]]
        if not steps:
            continue
        times = sorted({at for own in steps for at, _ in own if at >= max(first[0][0] for first in steps)})
        times.append(max(results[0]["limit"], times[-1]))
        best = [mean(min(length for at, length in own if at <= now) for own in steps) for now in times]
        axes.step(times, best, where="post", label=f"{title} ({len(steps)})")
    several = len(found) > 1
    axes.set(xlabel="seconds", ylabel="moves, mean", xscale="log", yscale="log" if several else "linear")
    for axis in (axes.xaxis, axes.yaxis) if several else (axes.xaxis,):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8, frameon=False)
    return canvas


def submit(results: Sequence[Result], path: Path) -> None:
    """The answers as the competitions take them: an id and the moves with dots between them."""
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("initial_state_id", "path"))
        rows.writerows((one["id"], ".".join(one["moves"])) for one in results if one["moves"] is not None)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.published", description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("sets", nargs="+", choices=SETS, metavar="SET", help=f"one of {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, default=OURS, help="folder of the sets (the samples of the project)")
    parser.add_argument("--sample", type=int, help="so many instances of each set, spread over it (all)")
    parser.add_argument("--kind", help="only instances of this kind, such as cube_4/4/4 or 050")
    parser.add_argument("--seconds", type=float, default=10, help="for each instance (10)")
    parser.add_argument("--algorithm", default="anytime", help="(anytime)")
    parser.add_argument("--threads", type=int, default=1, help="(1)")
    parser.add_argument("--memory-mib", type=int, default=2048, help="(2048)")
    parser.add_argument("--results", type=Path, default=Path("published.jsonl"), help="file of results, a line each")
    parser.add_argument("--kinds", action="store_true", help="a row for each kind of instance, too")
    parser.add_argument("--plot", type=Path, help="write a plot of length against time")
    parser.add_argument(
        "--submission", type=Path, help="write the answers of a single set as its competition takes them"
    )
    options = parser.parse_args(arguments)
    if options.submission and len(options.sets) > 1:
        parser.error("--submission takes one set")
    settings = {
        "algorithm": options.algorithm, "limit": options.seconds, "threads": options.threads,
        "memory_mib": options.memory_mib,
    }  # fmt: skip
    rows: list[tuple[str, ...]] = []
    found: dict[str, Sequence[Result]] = {}
    for name in options.sets:
        which = SETS[name]
        try:
            instances = [
                one for one in which.instances(options.data) if options.kind is None or one.kind == options.kind
            ]
        except (FileNotFoundError, ValueError) as error:
            parser.error(f"{error} ({which.source}{'' if which.licence else '; its folder is given by --data'})")
        chosen = instances if options.sample is None else sample(instances, options.sample)
        results = found[which.title] = run(which, chosen, settings, options.results)
        rows += table(which, results, options.kinds)
        if options.submission:
            submit(results, options.submission)
    print(show(rows))
    if options.plot:
        plot(found).savefig(options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
