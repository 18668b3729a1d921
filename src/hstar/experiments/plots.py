"""Plots of an experiment: every trial a point, the median a line, the quartiles a box, on a logarithmic scale.

A search that hit a limit is an open arrow at the value that it had reached, never a point, because its true value is
larger. Medians and quartiles are over all searches, with such values as lower bounds; where the true one may be larger,
the line is dashed. Searches of unknown true distance have their own column. If a value is 0 (a scramble that is solved
again, or an unknown last layer), the scale is linear below its first decade.

With more than `MOST_COLUMNS` columns (positions times series) single searches would hide one another. Then a series is
drawn as a line of medians and, if there are few series, a band between its quartiles.

The colours are Okabe and Ito's, which people with common colour blindness can distinguish. Each series also has its own
marker, for print without colour. The same rows give the same bytes: points are spread by their trial, not at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from math import log10
from textwrap import fill
from typing import TYPE_CHECKING

from hstar.drawing import METADATA, matplotlib_settings
from hstar.experiments.compare import name_apart
from hstar.experiments.observations import observe
from hstar.experiments.quality import quality_of
from hstar.experiments.rows import ExperimentRow, outcomes, searches, series_of
from hstar.experiments.schema import Axis, Growth, PlotFormat, PlotMeasure, PlotSize, Quality, Series
from hstar.experiments.table import fit_growth

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Y_LABELS: dict[PlotMeasure, str] = {
    "expanded": "nodes expanded",
    "expanded_last_layer": "nodes expanded in the last f-layer",
    "generated": "nodes generated",
    "seconds": "seconds to the answer",
    "peak_bytes": "peak memory (MiB)",
}
#: the divisor of a measure for the y axis
UNITS: dict[PlotMeasure, float] = {"peak_bytes": 2.0**20}
X_LABELS: dict[Axis, str] = {"k": "k, moves of the scramble", "true_distance": "true distance h*, moves"}
DPI = 160
#: inches of a slide, and its font sizes
SLIDE = (13.333, 7.5)
LETTERS: dict[PlotSize, dict[str, float]] = {
    "page": {"text": 10, "title": 12, "setting": 9, "legend": 9},
    "slide": {"text": 16, "title": 20, "setting": 14, "legend": 14},
}
#: more columns than this are drawn as lines of medians, with bands for at most this many series
MOST_COLUMNS: dict[PlotSize, int] = {"page": 150, "slide": 60}
MOST_BANDS = 4
#: the longest name in the legend of a slide, and the number of series from which on its letters are small
SLIDE_NAME, MANY_SERIES = 44, 9
#: the least ratio of the ends of the y axis
LEAST_SPAN = 7.0
#: the most series with a name in the legend, and the longest name
MOST_NAMED, LONGEST_NAME = 32, 300
#: lines of the title and entries of the legend that fit; the figure grows for each further one
FITTING_LINES, FITTING_ENTRIES = 2, 6


def plot(
    rows: Iterable[ExperimentRow],
    *,
    x: Axis = "k",
    y: PlotMeasure = "expanded",
    format: PlotFormat = "svg",
    seed: int | None = None,
    size: PlotSize = "page",
) -> bytes:
    """The plot of an experiment's searches, as the bytes of a file; searches that have not ended are left out.

    By true distance, rows must carry it (`with_true_distances`).

    :param seed: the experiment's, for the title
    :param size: for a page or for a slide, see `PlotSize`

    :raises PlotsNotInstalled: install ``hstar[plot]``
    """
    target = BytesIO()
    with matplotlib_settings(LETTERS[size]["text"]):
        figure = _draw(searches(rows), x, y, seed, size)
        figure.savefig(target, format=format, dpi=DPI, metadata=METADATA[format])
    return target.getvalue()


def _draw(rows: list[ExperimentRow], x: Axis, y: PlotMeasure, seed: int | None, size: PlotSize = "page") -> Figure:
    from matplotlib.figure import Figure

    from hstar.experiments.marks import Column, draw_line, draw_series

    every = series_of(rows)
    shown = [row for row, seen in zip(rows, observe(rows, y), strict=True) if seen]
    at = _positions(shown, x)
    crowded = len(at) * len(every) > MOST_COLUMNS[size]
    width = 0.0 if crowded else 0.8 * _gap(at.values())
    slot = width / max(len(every), 1)
    figure = Figure(figsize=_figure_size(size, 50 if crowded else len(at) * len(every)), layout="constrained")
    axes = figure.subplots()
    _scale_y(axes, shown, y)
    _label(axes, at, x, y)
    for number, series in enumerate(every):
        own = [row for row in shown if row.series == series]
        columns = [
            Column(position + (number + 0.5) * slot - width / 2, here, joined=place is not None)
            for place, position in at.items()
            if (here := [row for row in own if getattr(row, x) == place])
        ]
        if crowded:
            draw_line(axes, number, columns, y, UNITS.get(y, 1.0), band=len(every) <= MOST_BANDS)
        else:
            draw_series(axes, number, columns, slot, y, UNITS.get(y, 1.0), 2.0 if size == "slide" else 1.0)
    if not shown:
        ended = outcomes(rows)
        text = "no search has ended yet" if ended.pending else "no search has this measure"
        axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", color="#555555")
    _title(figure, axes, rows, seed, size)
    _legend(figure, rows, every, x, y, size, crowded)
    return figure


def _figure_size(size: PlotSize, columns: int) -> tuple[float, float]:
    """Width and height in inches."""
    return SLIDE if size == "slide" else (min(max(9.0, 2 + 0.17 * columns), 18.0), 6.5)


def _positions(rows: list[ExperimentRow], x: Axis) -> dict[int | None, float]:
    """The position of each x on the axis; the unknown true distance (None) comes last."""
    found = {getattr(row, x) for row in rows}
    places = sorted(found - {None})
    at: dict[int | None, float] = {place: float(place) for place in places}
    if None in found:
        at[None] = places[-1] + 1.5 * _gap(places) if places else 0.0
    return at


def _gap(places: Iterable[float]) -> float:
    """The least distance between neighbours on the x axis."""
    return min((b - a for a, b in pairwise(places)), default=1.0)


def _scale_y(axes: Axes, rows: list[ExperimentRow], y: PlotMeasure) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator

    observations = [seen for seen in observe(rows, y) if seen]
    values = [seen.value / UNITS.get(y, 1.0) for seen in observations]
    positive = [value for value in values if value > 0]
    low, high = (min(positive), max(positive)) if positive else (1.0, 10.0)
    # The axis needs at least two of 1, 2, 5, 10 ..., and arrows need room above.
    margin = max(1.6, (LEAST_SPAN * low / high) ** 0.5)
    top = high * max(margin, 3.0 if any(seen.kind == "lower_bound" for seen in observations) else 0.0)
    if len(positive) < len(values):
        threshold = 10.0 ** (log10(low) // 1)
        axes.set_yscale("symlog", linthresh=threshold, linscale=0.4)
        axes.set_ylim(-0.25 * threshold, max(top, 2 * threshold))
        axes.yaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=threshold, subs=_subs(threshold, top)))
    else:
        axes.set_yscale("log")
        axes.set_ylim(low / margin, top)
        axes.yaxis.set_major_locator(LogLocator(base=10, subs=_subs(low, top), numticks=30))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _tick(value)))
    axes.grid(axis="y", color="#dddddd", linewidth=0.7)


def _subs(low: float, high: float) -> tuple[float, ...]:
    """The multiples of powers of ten that get a label; a short axis has too few powers."""
    return (1.0,) if high / low > 300 else (1.0, 2.0, 5.0)


def _tick(value: float) -> str:
    if value >= 1 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.10f}".rstrip("0") if value > 1e-6 else f"{value:g}"


def _label(axes: Axes, at: dict[int | None, float], x: Axis, y: PlotMeasure) -> None:
    axes.set_xlabel(X_LABELS[x])
    axes.set_ylabel(Y_LABELS[y])
    shown = list(at)
    step = -(-len(shown) // 25)  # more than 25 labels would overlap
    shown = [place for i, place in enumerate(shown) if i % step == 0 or place is None]
    axes.set_xticks([at[place] for place in shown], ["not known" if place is None else str(place) for place in shown])
    if not at:
        return
    places = list(at.values())
    gap = _gap(places)
    axes.set_xlim(places[0] - 0.6 * gap, places[-1] + 0.6 * gap)
    if None in at and len(at) > 1:
        axes.axvline(at[None] - 0.75 * gap, color="#aaaaaa", linewidth=0.8)


def _title(figure: Figure, axes: Axes, rows: Sequence[ExperimentRow], seed: int | None, size: PlotSize) -> None:
    """The whole setting; plots are comparable if it is the same."""
    if not rows:
        figure.suptitle("no searches")
        return
    letters = LETTERS[size]
    first, *others = setting(rows, seed)
    columns = int(figure.get_figwidth() * 117 / letters["setting"])
    first = fill(first, int(columns * letters["setting"] / letters["title"]) - 20)
    figure.suptitle(first, fontsize=letters["title"], fontweight="bold", x=0.01, ha="left")
    text = "\n".join(fill(line, columns) for line in others)
    if size == "page":
        _grow(figure, 13 * (text.count("\n") + 1 - FITTING_LINES))
    axes.set_title(text, fontsize=letters["setting"], color="#333333", loc="left", linespacing=1.4, pad=12)


def setting(rows: Sequence[ExperimentRow], seed: int | None = None) -> list[str]:
    """The setting of an experiment in a few lines, with all values of what varies between rows."""
    first = rows[0]
    ks = sorted({row.k for row in rows if row.k is not None})
    trials = max(row.trial for row in rows)
    scrambles = f"k = {_spans(ks)}; {trials} {'trial' if trials == 1 else 'trials'} each"
    if not ks:
        scrambles = f"{trials:,} {'random states' if first.instance is None else 'given instances'}"
    if seed is not None and first.instance is None:
        scrambles += f"; seed {seed}"
    if first.goal:
        scrambles += f"; goal {first.goal}"
    limits = [
        f"{value:,g} {unit}" if isinstance(value, float) else f"{value:,} {unit}"
        for value, unit in (
            (first.limit_expanded, "expanded"),
            (first.limit_generated, "generated"),
            (first.limit_seconds, "s"),
            (first.limit_memory_mib, "MiB"),
        )
        if value is not None
    ]
    search = ", ".join(dict.fromkeys(row.algorithm for row in rows))
    weights = list(dict.fromkeys(row.weight for row in rows))
    if weights != [1.0]:
        search += " with weight " + ", ".join(f"{weight:g}" for weight in weights)
    return [
        f"{first.puzzle}: {f'scrambled with {first.scramble_moves}, ' if ks else ''}solved with {first.moves}",
        scrambles,
        f"{search}; tie-breaking {first.tie_breaking}; limits: {', '.join(limits) or 'none'}",
    ]


def _spans(numbers: list[int]) -> str:
    """3, 4, 5, 9 as "3 to 5, 9"."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{span[0]} to {span[-1]}" if len(span) > 2 else ", ".join(map(str, span)) for span in spans)


def _grow(figure: Figure, points: float) -> None:
    """Make the figure higher, so that title and legend take no room from the axes."""
    figure.set_figheight(figure.get_figheight() + max(points, 0) / 72)


def _legend(
    figure: Figure,
    rows: list[ExperimentRow],
    every: list[Series],
    x: Axis,
    y: PlotMeasure,
    size: PlotSize,
    crowded: bool,
) -> None:
    from hstar.experiments.marks import key_handles, nothing_handle, series_handle

    entries: list[tuple[str, Artist]] = []
    slide, letters = size == "slide", LETTERS[size]["legend"]
    if slide and len(every) >= MANY_SERIES:  # a slide does not grow
        letters *= 0.8
    in_columns = 2 if slide and len(every) > 4 else 1
    width = int(figure.get_figwidth() * 110 / letters / in_columns)
    for number, (series, name) in enumerate(zip(every[:MOST_NAMED], name_apart(every), strict=False)):
        own = [row for row in rows if row.series == series]
        growth = fit_growth(own, series, y, x)
        text = _short_entry(name, growth) if slide else _entry(name, own, growth)
        text += _verdict(quality_of(series, own), short=in_columns > 1)
        entries.append((fill(text, width), series_handle(number)))
    if len(every) > MOST_NAMED:
        entries.append((f"and {len(every) - MOST_NAMED} more", nothing_handle()))
    kinds = {seen.kind for seen in observe(rows, y) if seen}
    keys = key_handles(stopped="lower_bound" in kinds, crowded=crowded, band=len(every) <= MOST_BANDS)
    entries += [(fill(text, width), handle) for text, handle in keys.items()]
    labels, handles = zip(*entries, strict=True)
    if not slide:
        _grow(figure, 11 * sum(label.count("\n") for label in labels) + 15.5 * (len(labels) - FITTING_ENTRIES))
    figure.legend(
        handles, labels, loc="outside lower left", fontsize=letters, frameon=False, ncols=in_columns, handlelength=2.4
    )  # fmt: skip


def _short_entry(name: str, growth: Growth) -> str:
    """The entry of a series in the legend of a slide."""
    name = name if len(name) <= SLIDE_NAME else name[: SLIDE_NAME - 1] + "…"
    return name if growth.factor is None else f"{name}: × {growth.factor:.2f} per move"


def _verdict(quality: Quality, *, short: bool) -> str:
    """Whether the heuristic is admissible, because with one that is not a curve looks better than it is."""
    if not quality.solved:
        return ""
    return "; admissible" if short and quality.admissible == "proven" else "; " + quality.sentence


def _entry(name: str, rows: list[ExperimentRow], growth: Growth) -> str:
    """The entry of a series in the legend."""
    ended = outcomes(rows)
    name = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
    text = f"{name}: {ended.solved:,} of {ended.n:,} solved"
    text += f", {ended.failed:,} failed" if ended.failed else ""
    text += f", {ended.pending:,} not ended" if ended.pending else ""
    if growth.factor is None or growth.low is None or growth.high is None:
        return text
    where = f" for {'k' if growth.x == 'k' else 'h*'} = {_spans(growth.used)}" if growth.censored else ""
    return f"{text}; × {growth.factor:.2f} per move{where} (95 %: {growth.low:.2f} to {growth.high:.2f})"
