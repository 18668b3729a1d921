"""``hstar compare``: compare the ways to search of one experiment, or of two, on the same instances."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from hstar.client import Client
from hstar.commands.remote import Server
from hstar.commands.terminal import ApiKey, Json, out, print_json, refusing
from hstar.errors import Fault, InvalidRequest
from hstar.experiments.compare import compare, compare_all
from hstar.experiments.export import read_rows_csv
from hstar.experiments.rows import ExperimentRow, searches, series_of
from hstar.experiments.schema import MEASURES, Comparison, ComparisonList


def compare_experiments(
    first: Annotated[str, typer.Argument(help="a file of `hstar experiment --csv`; with --server an experiment's id")],
    second: Annotated[str | None, typer.Argument(help="another one; left out: every two ways of the first")] = None,
    measure: Annotated[str, typer.Option(help="a smaller value wins: " + ", ".join(MEASURES))] = "expanded",
    as_json: Json = False,
    server: Server = None,
    api_key: ApiKey = None,
) -> None:
    """Compare heuristics and algorithms: which expands less, by how much, and what that proves.

    Searches of the same instances are compared pair by pair; one that hit a limit counts as a lower bound.

    Example: hstar compare first.csv second.csv --measure generated
    """
    with refusing():
        if measure not in MEASURES:
            text = f"expected one of {', '.join(MEASURES)}, found {measure!r}"
            raise InvalidRequest("there is no such measure", [Fault("--measure", text)])
        if server is None or Path(first).is_file():
            found = _compare_files(Path(first), None if second is None else Path(second), measure)
        else:
            with Client(server, api_key) as client:
                found = client.compare_experiments(first, second, measure)
        if not found:
            text = "this experiment has one way to search, so give a second experiment"
            raise InvalidRequest("nothing to compare", [Fault(first, text)])
    if as_json:
        print_json(ComparisonList(items=found))
        return
    for comparison in found:
        tests = [test.sentence for test in comparison.tests or ()]
        out.print(escape("\n".join([comparison.sentence, *tests])), end="\n\n", soft_wrap=not out.is_terminal)
    if len(found) > 1 and any(comparison.tests for comparison in found):
        text = (
            f"{len(found)} comparisons: of so many one may look clear by chance, so hold p against 0.05 / {len(found)}."
        )
        out.print(text, soft_wrap=not out.is_terminal)
    if any(comparison.tests is None for comparison in found):
        out.print('Whether that could be chance: pip install "hstar[statistics]"')


def _compare_files(first: Path, second: Path | None, measure: str) -> list[Comparison]:
    mine = _read(first)
    if second is None:
        return compare_all(mine, measure)
    theirs = _read(second)
    return [
        compare([row for row in mine if row.series == one], [row for row in theirs if row.series == two], measure)
        for one, two in product(series_of(mine), series_of(theirs))
    ]


def _read(path: Path) -> list[ExperimentRow]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return searches(read_rows_csv(file))
    except OSError as error:
        raise InvalidRequest(f"cannot read {path}", [Fault("", error.strerror or str(error))]) from None
    except (ValueError, csv.Error) as error:
        raise InvalidRequest(f"{path} has no rows of an experiment", [Fault("", str(error))]) from None
