"""The marks of a plot: points, arrows, medians and boxes of one series. Imported only with Matplotlib (`plots.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.patches import Patch, Rectangle
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from matplotlib.typing import LineStyleType

from hstar.experiments.observations import observe, summarise_rows
from hstar.experiments.rows import ExperimentRow
from hstar.experiments.schema import PlotMeasure

#: Okabe and Ito's palette without yellow, which is hard to see in print
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#555555"
DASHED: LineStyleType = (0, (2, 1))

#: an open arrow whose foot is at its value and which points up
ARROW = Path(
    [(-0.13, 0), (0.13, 0), (0.13, 0.5), (0.36, 0.5), (0, 1), (-0.36, 0.5), (-0.13, 0.5), (-0.13, 0)],
    [Path.MOVETO, *[Path.LINETO] * 6, Path.CLOSEPOLY],
)
CENTRED_ARROW = ARROW.transformed(Affine2D().translate(0, -0.5))

#: more arrows than this at one value become one, with their number
MOST_ARROWS = 5

#: the golden ratio spreads any number of points evenly without looking regular
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True)
class Column:
    """The searches of one series at one position; the line of medians goes through it if it is ``joined``."""

    centre: float
    rows: Sequence[ExperimentRow]
    joined: bool


class _Median(NamedTuple):
    x: float
    y: float
    at_least: bool


def colour_of(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def marker_of(number: int) -> str:
    # The markers shift after each round of colours, so that 49 series differ.
    return MARKERS[(number + number // len(COLOURS)) % len(MARKERS)]


def draw_line(axes: Axes, number: int, columns: Sequence[Column], y: PlotMeasure, unit: float, *, band: bool) -> None:
    """Draw the medians of the series with this number as a line, and the band between its quartiles.

    The line ends with an arrow at the first median that is only a lower bound.
    """
    colour, medians, quartiles = colour_of(number), [], []
    hidden: _Median | None = None
    for column in columns:
        summary = summarise_rows(column.rows, y)
        if summary.median_all is None or not column.joined:
            continue
        median = _Median(column.centre, summary.median_all / unit, summary.median_all_at_least)
        if median.at_least:
            hidden = median
            break
        medians.append(median)
        quartiles.append((summary.lower_quartile_all, summary.upper_quartile_all))
    places, values = [median.x for median in medians], [median.y for median in medians]
    (line,) = axes.plot(
        places, values, color=colour, marker=marker_of(number), markersize=5.5, linewidth=1.6,
        markeredgecolor="white", markeredgewidth=0.4, zorder=4,
    )  # fmt: skip
    line.set_gid(f"medians-{number}")
    if band:
        low, high = ([(pair[side] or 0.0) / unit for pair in quartiles] for side in (0, 1))
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0, zorder=2)
    if hidden is not None and hidden.y:
        if medians:
            ends = [medians[-1].x, hidden.x], [medians[-1].y, hidden.y]
            axes.plot(*ends, color=colour, linewidth=1.6, linestyle=DASHED, zorder=3)
        axes.scatter(
            [hidden.x], [hidden.y], s=300, marker=MarkerStyle(ARROW), facecolor="none", edgecolor=colour,
            linewidth=1.2, zorder=5, clip_on=False,
        )  # fmt: skip


def draw_series(
    axes: Axes,
    number: int,
    columns: Sequence[Column],
    slot: float,
    y: PlotMeasure,
    unit: float,
    scale: float = 1.0,
) -> None:
    """Draw the columns of the series with this number.

    :param slot: its width at each position
    :param unit: the divisor of its values
    :param scale: the scale of the areas of the marks
    """
    colour = colour_of(number)
    exact: list[tuple[float, float]] = []
    stopped: list[tuple[float, float]] = []
    medians: list[_Median | None] = []
    for column in columns:
        arrows_at: dict[float, list[float]] = {}
        for row, seen in zip(column.rows, observe(column.rows, y), strict=True):
            if seen is not None:
                spread = (row.trial * GOLDEN) % 1 - 0.5 if len(column.rows) > 1 else 0.0
                x, value = column.centre + 0.7 * slot * spread, seen.value / unit
                if seen.kind == "exact":
                    exact.append((x, value))
                else:
                    arrows_at.setdefault(value, []).append(x)
        for value, places in arrows_at.items():
            if len(places) > MOST_ARROWS:
                _write_count(axes, colour, column.centre, value, len(places), slot)
                places = [column.centre]
            stopped += [(x, value) for x in places]
        median = _draw_box(axes, colour, column, 0.42 * slot, y, unit)
        if column.joined:
            medians.append(median)
    crowd = max((len(column.rows) for column in columns), default=1)
    size, arrow_size = (30.0, 420.0) if crowd <= 5 else (16.0, 300.0) if crowd <= 20 else (8.0, 200.0)
    size, arrow_size = size * scale, arrow_size * scale
    for one, next_one in pairwise(medians):
        if one is None or next_one is None:
            continue
        style = DASHED if one.at_least or next_one.at_least else "solid"
        ends = [one.x, next_one.x], [one.y, next_one.y]
        axes.plot(*ends, color=colour, linewidth=0.9, alpha=0.6, linestyle=style, zorder=2)
    points = axes.scatter(
        *_unzip(exact), s=size, marker=marker_of(number), facecolor=colour, edgecolor="white", linewidth=0.4,
        alpha=0.85, zorder=4,
    )  # fmt: skip
    points.set_gid(f"solved-{number}")
    arrows = axes.scatter(
        *_unzip(stopped), s=arrow_size, marker=MarkerStyle(ARROW), facecolor="none", edgecolor=colour, linewidth=1.0,
        zorder=5, clip_on=False,
    )  # fmt: skip
    arrows.set_gid(f"stopped-{number}")


def _write_count(axes: Axes, colour: str, x: float, y: float, count: int, slot: float) -> None:
    """Write the number of searches above an arrow; vertically if the slot is too narrow."""
    text = f"×{count}"
    left, right = axes.get_xlim()
    room = slot / (right - left) * axes.get_window_extent().width * 72 / axes.figure.dpi
    fitting = room / (0.65 * len(text) + 0.4)
    place: dict[str, Any] = {"xytext": (0, 11), "textcoords": "offset points", "ha": "center", "va": "bottom"}
    place |= {"fontsize": min(fitting, 8)} if fitting >= 6 else {"fontsize": 7, "rotation": 90}
    axes.annotate(text, (x, y), color=colour, zorder=6, **place)


def _draw_box(axes: Axes, colour: str, column: Column, half: float, y: PlotMeasure, unit: float) -> _Median | None:
    """Draw quartiles and median of a column, and return the median, if it is known.

    The box needs two searches.
    """
    summary = summarise_rows(column.rows, y)
    low, median, high = (
        (value or 0.0) / unit for value in (summary.lower_quartile_all, summary.median_all, summary.upper_quartile_all)
    )
    left, right = column.centre - half, column.centre + half
    if len(column.rows) > 1:
        axes.add_patch(Rectangle((left, low), right - left, high - low, facecolor=colour, alpha=0.16, linewidth=0))
        for side in (left, right):
            axes.plot([side, side], [low, high], color=colour, linewidth=0.9, zorder=3)
        for level, at_least in (
            (low, summary.lower_quartile_all_at_least),
            (high, summary.upper_quartile_all_at_least),
        ):
            style = DASHED if at_least else "solid"
            axes.plot([left, right], [level, level], color=colour, linewidth=0.9, linestyle=style, zorder=3)
    if summary.median_all_at_least and not median:
        return None
    style = DASHED if summary.median_all_at_least else "solid"
    axes.plot([left, right], [median, median], color=colour, linewidth=2.0, linestyle=style, zorder=4.5)
    return _Median(column.centre, median, summary.median_all_at_least)


def _unzip(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def series_handle(number: int) -> Artist:
    """The series in the legend."""
    return Line2D([], [], color=colour_of(number), marker=marker_of(number), markersize=6, linewidth=2)


def nothing_handle() -> Artist:
    """A handle for lines of the legend without a mark."""
    return Line2D([], [], linestyle="none")


def key_handles(*, stopped: bool, crowded: bool, band: bool) -> dict[str, Artist]:
    """Handles that explain the marks, by their text."""
    text = "point: one search · line: median · box: quartiles"
    if crowded:
        text = "line: median of all searches" + (" · band: quartiles" if band else "")
    line_alone = crowded and not band
    handle = Line2D([], [], color=GREY, linewidth=2) if line_alone else Patch(facecolor="#dddddd", edgecolor=GREY)
    keys: dict[str, Artist] = {text: handle}
    if stopped:
        text = "arrow (×n: n searches): stopped at a limit, the value is larger · dashed: the true one may be larger"
        if crowded:
            text = "arrow: from here on most searches stopped at a limit, and the median is larger"
        keys[text] = Line2D(
            [],
            [],
            linestyle="none",
            marker=MarkerStyle(CENTRED_ARROW),
            markersize=14,
            color=GREY,
            markerfacecolor="none",
        )
    return keys
