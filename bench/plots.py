"""The plots of the bench: the growth of hstar and its peers, and hstar's figures from run to run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure as Canvas

from bench.report import Run
from bench.rows import Curve

#: the same colour for the same program everywhere
COLOURS = {"hstar": "#1b6ca8", "S2's design": "#c4572e", "plain Python": "#6b8e23"}
OTHERS = ("#8a5aa8", "#b8860b", "#4f6d7a", "#a83e6b")
#: quantities with a linear axis; the others are logarithmic
LINEAR = frozenset({"k", "resident MiB"})
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
COLUMNS = 3


def growth(run: Run) -> Canvas:
    """One panel for each plot named by a run's curves."""
    plots: dict[str, list[Curve]] = {}
    for outcome in run.rows.values():
        for curve in outcome.measured.curves:
            plots.setdefault(curve.plot, []).append(curve)
    rows = max(1, -(-len(plots) // COLUMNS))
    canvas = Canvas(figsize=(4.2 * COLUMNS, 3.6 * rows), layout="constrained")
    panels = canvas.subplots(rows, COLUMNS, squeeze=False).ravel()
    for axes in panels[len(plots) :]:
        axes.set_axis_off()
    for axes, curves in zip(panels, plots.values(), strict=False):
        others = iter(OTHERS)
        for curve in curves:
            colour = COLOURS.get(curve.label) or next(others)
            axes.plot(*zip(*curve.points, strict=True), marker="o", markersize=3, label=curve.label, color=colour)
        axes.set(xlabel=curves[0].x, ylabel=curves[0].y)
        axes.set_xscale("linear" if curves[0].x in LINEAR else "log")
        if curves[0].y in LINEAR:
            axes.set_ylim(0, 1.1 * max(y for curve in curves for _, y in curve.points))
        else:
            axes.set_yscale("log")
        axes.set_title(curves[0].plot, fontsize=9)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    return canvas


def history(runs: Sequence[Run]) -> Canvas:
    """For every quantity with an aim, the factor by which it was better than the aim, run by run."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for at, run in enumerate(runs):
        for outcome in run.rows.values():
            for figure in outcome.measured.figures:
                if figure.aim is not None:
                    label = f"{outcome.title}: {figure.name}"
                    lines.setdefault(label, []).append((at, figure.times_better(figure.aim)))
    canvas = Canvas(figsize=(11, 5.5), layout="constrained")
    axes = canvas.subplots()
    axes.axhline(1, color="black", linewidth=1)
    colours = matplotlib.colormaps["tab20"].colors  # type: ignore[attr-defined]
    # The legend lists the lines in the order of their right ends.
    ordered = sorted(lines.items(), key=lambda line: -line[1][-1][1])
    for number, (label, points) in enumerate(ordered):
        colour, marker = colours[number % len(colours)], MARKERS[number % len(MARKERS)]
        axes.plot(*zip(*points, strict=True), marker=marker, markersize=5, label=label, color=colour)
    axes.set(yscale="log", ylabel="times better than the aim", xlim=(-0.5, max(len(runs) - 0.5, 0.5)))
    axes.set_xticks(range(len(runs)), ["\n".join(run.name.rsplit("-", 1)) for run in runs], fontsize=7)
    axes.grid(alpha=0.3)
    canvas.legend(loc="outside right upper", fontsize=7, frameon=False)
    return canvas


def write(canvas: Canvas, path: Path) -> None:
    """As SVG, with the same bytes for the same figures. Letters are outlines, with the same widths everywhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "hstar", "svg.fonttype": "path"}):
        canvas.savefig(path, format="svg", metadata={"Date": None})
