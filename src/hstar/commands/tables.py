"""An experiment's table and comparisons as text.

Columns are medians over all searches, with ``>=`` where a limit hides the true median. Mean, min and max are of the
expanded nodes of the exact searches. If an algorithm goes on after its first solution, there are also the number of
proven solutions and the median length of the others.
"""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from hstar.experiments.compare import name_apart
from hstar.experiments.observations import goes_on
from hstar.experiments.schema import Group, Growth, Report, Summary, Table

#: the column of the lengths of solutions that are not proven shortest
FEASIBLE = "feasible"
#: columns in the order in which they are left out on a narrow terminal
DISPENSABLE = ("b*", "MiB", "generated", FEASIBLE, "length", "max", "min", "last layer", "seconds", "mean")


def print_experiment(console: Console, experiment: Report) -> None:
    """The table by k (and by true distance), the growth, the comparisons, and the failed searches."""
    for table in filter(None, (experiment.table, experiment.table_by_true_distance)):
        if table.groups:
            _print_table(console, table)
            for line in [*_growth(table), *_quality(table)]:
                console.print(line, soft_wrap=not console.is_terminal)
            console.print()
    for comparison in experiment.comparisons:
        console.print(escape(comparison.sentence), soft_wrap=not console.is_terminal)
        console.print()
    ended = experiment.outcomes
    if ended.failed:
        console.print(f"[bold red]{ended.failed} failed[/]; the rows (--csv) say why")


def _print_table(console: Console, table: Table) -> None:
    """The whole table in a file or on a wide terminal; fewer columns on a narrow one."""
    columns = _columns(table)
    left_out = []
    for header in DISPENSABLE if console.is_terminal else ():
        if _width(console, columns) <= console.width:
            break
        if columns.pop(header, None) is not None:
            left_out.append(header)
    if not console.is_terminal:  # a file has room
        console = Console(file=console.file, width=max(_width(console, columns), console.width))
    console.print(_grid(columns))
    if left_out:
        console.print(f"[dim]no room for: {', '.join(left_out)}; --table FILE has every statistic[/]")


def _width(console: Console, columns: dict[str, list[str]]) -> int:
    return console.measure(_grid(columns), options=console.options.update(width=10_000)).maximum


def _grid(columns: dict[str, list[str]]) -> Grid:
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for header in columns:
        grid.add_column(header, justify="left" if header in ("searched with", "other ends") else "right")
    for cells in zip(*columns.values(), strict=True):
        grid.add_row(*cells)
    return grid


def _columns(table: Table) -> dict[str, list[str]]:
    """The cells below each header."""
    groups = table.groups
    series = list(dict.fromkeys(group.series for group in groups))
    names = dict(zip(series, name_apart(series), strict=True))
    places = ["?" if group.x is None else str(group.x) for group in groups]
    repeated = [one == before for before, one in zip([None, *places], places, strict=False)]
    columns = {
        "h*" if table.x == "true_distance" else "k": [
            "" if again else place for place, again in zip(places, repeated, strict=True)
        ]
    }
    if table.x == "k" and set(places) == {"?"}:  # instances that are no scrambles
        columns = {}
    if len(series) > 1:
        columns["searched with"] = [escape(names[group.series]) for group in groups]
    columns |= {"n": [str(group.outcomes.n) for group in groups]}
    columns |= {"solved": [str(group.outcomes.solved) for group in groups]}
    mixed = any(goes_on(one.algorithm) for one in series)
    if mixed:
        columns["proven"] = [str(group.outcomes.proven) for group in groups]
    columns |= {
        "limit": [str(group.outcomes.limit_reached or "") for group in groups],
        "expanded": [_median(group.measures["expanded"]) for group in groups],
        "mean": [_number(group.measures["expanded"].mean) for group in groups],
        "min": [_number(group.measures["expanded"].minimum) for group in groups],
        "max": [_number(group.measures["expanded"].maximum) for group in groups],
        "last layer": [_median(group.measures["expanded_last_layer"]) for group in groups],
        "generated": [_median(group.measures["generated"]) for group in groups],
        "length": [_median(group.measures["length"]) for group in groups],
        **({FEASIBLE: [_median(group.measures["feasible_length"]) for group in groups]} if mixed else {}),
        "seconds": [_median(group.measures["seconds"]) for group in groups],
        "MiB": [_median(group.measures["peak_bytes"], 2**20) for group in groups],
        "b*": [_median(group.measures["branching_effective"]) for group in groups],
    }
    others = [_other_ends(group) for group in groups]
    return columns | {"other ends": others} if any(others) else columns


def _other_ends(group: Group) -> str:
    found = {name: getattr(group.outcomes, name) for name in ("exhausted", "cancelled", "failed", "pending")}
    return ", ".join(f"{count} {name}" for name, count in found.items() if count)


def _median(summary: Summary, unit: float = 1) -> str:
    """The median over all searches; ``>=`` if a limit hides it, ``?`` if nothing is known."""
    if summary.median_all is None:
        return ""
    if summary.median_all_at_least and not summary.median_all:
        return "?"
    return (">= " if summary.median_all_at_least else "") + _number(summary.median_all / unit)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.1f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1e}"


def _quality(table: Table) -> list[str]:
    """For each way to search: whether its heuristic is admissible, and how many of its solutions are optimal."""
    names = name_apart(quality.series for quality in table.quality)
    return [f"{escape(name)}: {escape(q.sentence)}" for name, q in zip(names, table.quality, strict=True)]


def _growth(table: Table) -> list[str]:
    fits = [growth for growth in table.growth if growth.measure == "expanded" and growth.factor is not None]
    names = name_apart(growth.series for growth in fits)
    return [f"{escape(name)}: {_fit(growth)}" for name, growth in zip(names, fits, strict=True)]


def _fit(growth: Growth) -> str:
    text = f"expanded grows by a factor of {growth.factor:.2f} per move"
    if growth.low is not None and growth.high is not None:
        text += f" (95 %: {growth.low:.2f} to {growth.high:.2f}; {growth.searches} searches)"
    if growth.censored:
        places = ", ".join(map(str, growth.censored))
        text += f", without {growth.x.replace('_', ' ')} = {places}, where not all were solved"
    return text
