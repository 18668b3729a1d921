"""``hstar system``: repeat one of the five course reports, in its own output format, or as a table next to its
figures."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.table import Table

from hstar import pictures
from hstar.commands.terminal import Json, err, out, print_json, refusing
from hstar.errors import Fault, InvalidRequest, why
from hstar.experiments import local, rows
from hstar.experiments.design import plan
from hstar.experiments.observations import summarise_rows
from hstar.experiments.schema import Summary, list_ks
from hstar.search import answer
from hstar.systems import Run, System, get_system


def system(
    name: Annotated[str, typer.Argument(help="s1 to s5")],
    k: Annotated[str | None, typer.Option("--k", help="such as 3-8; left out: the report's")] = None,
    trials: Annotated[int, typer.Option(help="scrambles for each k", min=1, max=1000)] = 5,
    seed: Annotated[int, typer.Option(help="seed of the experiment")] = 1,
    limit_expanded: Annotated[
        int | None, typer.Option(help="limit of expansions, instead of the report's", min=1)
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="print medians next to the report's figures; not for s5")
    ] = False,
    pictures_in: Annotated[
        Path | None, typer.Option("--pictures", help="directory for SVG pictures of every path; not with --table")
    ] = None,
    as_json: Json = False,
) -> None:
    """Repeat a course report: its puzzle, moves, heuristic and limits, in its own output format.

    Example: hstar system s2 --k 3-6 --table
    """
    with refusing():
        chosen = get_system(name)
        if limit_expanded is not None:
            chosen = chosen.limited_to(limit_expanded)
        ks = _read_ks(k)
        if table and as_json:
            raise InvalidRequest("the table is not printed as JSON", [Fault("--json", "leave out --table")])
        if table and not chosen.boards:
            _print_medians(chosen, ks or list(chosen.ks), trials, seed)
            return
        found = []
        for run in chosen.runs(ks, trials, seed):
            found.append(answer(run.problem, run.result))
            if not as_json:
                out.print(chosen.show(run), markup=False, soft_wrap=True, end="")
            if pictures_in is not None:
                _draw(pictures_in, run)
    if as_json:
        print_json([solve.model_dump(mode="json") for solve in found])
    else:
        out.print(f"({chosen.title}; ties {found[0].tie_breaking}; duplicates: {found[0].duplicate_detection})")


def _read_ks(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return list_ks(text)
    except ValueError as error:
        raise InvalidRequest("cannot parse --k", [Fault("--k", str(error))]) from None


def _draw(directory: Path, run: Run) -> None:
    title = f"{run.problem.puzzle.title}: {run.label}"
    drawn = pictures.draw_path(run.problem.puzzle, run.problem.start, run.result.solution or [], title=title)
    name = "".join(c if c.isalnum() else "-" for c in run.label)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{name}.svg").write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise InvalidRequest("cannot write the picture", [Fault("--pictures", why(error))]) from None


def _print_medians(system: System, ks: list[int], trials: int, seed: int) -> None:
    """Nodes expanded by k: the report's trials, our median and quartiles; searches at a limit count as lower bounds."""
    design = plan(system.experiment(ks, trials, seed))
    shown = Table(title=f"{system.title}: nodes expanded", title_justify="left")
    for heading in ("k", "report", "report's median", "median", "quartiles", "solved"):
        shown.add_column(heading, justify="right")
    results: dict[int, list[rows.ExperimentRow]] = {}
    with err.status("searching") as status:
        for done, row in enumerate(local.run(design), start=1):
            results.setdefault(row.k or 0, []).append(row)
            status.update(f"{done} of {len(design)}")
    for number in ks:
        reported = system.reported.get(str(number), [])
        summary = summarise_rows(results[number], "expanded")
        solved = sum(row.outcome == "solved" for row in results[number])
        shown.add_row(
            str(number),
            " ".join(f"{value:g}" for value in reported) or "-",
            f"{median(reported):g}" if reported else "-",
            _quantile(summary, "median"),
            f"{_quantile(summary, 'lower_quartile')} .. {_quantile(summary, 'upper_quartile')}",
            f"{solved} of {trials}",
        )
    out.print(shown)


def _quantile(summary: Summary, name: str) -> str:
    value = getattr(summary, f"{name}_all")
    at_least = ">= " if getattr(summary, f"{name}_all_at_least") else ""
    return "-" if value is None else f"{at_least}{value:,.0f}"
