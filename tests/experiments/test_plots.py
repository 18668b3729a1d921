"""Plots: every search appears once, as a point or an open arrow, and the same rows give the same bytes."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product
from typing import get_args
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

from hstar.drawing import matplotlib_settings
from hstar.experiments.observations import observe
from hstar.experiments.plots import LETTERS, _draw, plot, setting
from hstar.experiments.rows import ExperimentRow, with_true_distances
from hstar.experiments.schema import Axis, PlotMeasure
from hstar.experiments.table import fit_growth
from hstar.schema import LimitsIn
from tests.conftest import instances
from tests.experiments.builders import row, searched_once, span

FOUR = ("s2-face-distance", "s1-misplaced-facelets", "misplaced-pieces", "face-distance")
SVG = "{http://www.w3.org/2000/svg}"


def marks(svg: bytes, kind: str) -> list[int]:
    """The number of marks of this kind for each series, in order."""
    root = ElementTree.fromstring(svg)
    groups = {group.get("id") or "": group for group in root.iter(f"{SVG}g")}
    found = sorted(name for name in groups if name.startswith(f"{kind}-"))
    # Matplotlib draws few marks as single paths, many as references to one path.
    return [len(list(groups[name].iter(f"{SVG}use")) or groups[name].findall(f"{SVG}path")) for name in found]


def texts(svg: bytes) -> list[str]:
    """Letters are drawn as outlines; Matplotlib keeps the text beside them."""
    return re.findall(r"<!-- (.*?) -->", svg.decode(), re.DOTALL)


def arrows(svg: bytes) -> int:
    """The number of searches that the arrows stand for."""
    many = [int(text.removeprefix("×")) for text in texts(svg) if re.fullmatch(r"×\d+", text)]
    return sum(marks(svg, "stopped")) + sum(many) - len(many)


def limited(**fields: object) -> list[ExperimentRow]:
    given: dict[str, object] = {
        "k": span(3, 8), "trials": 5, "heuristics": ("s2-face-distance", "s1-misplaced-facelets"),
        "limits": LimitsIn(expanded=60),
    }  # fmt: skip
    return list(searched_once(**(given | fields)))


def test_points_are_solved_and_arrows_are_limits() -> None:
    rows = limited()
    solved = [
        sum(one.outcome == "solved" and one.series == series for one in rows)
        for series in (rows[0].series, rows[1].series)
    ]
    assert 0 < solved[1] < 30
    svg = plot(rows, seed=7)
    assert marks(svg, "solved") == solved
    assert marks(svg, "stopped") == [30 - count for count in solved]
    assert any("stopped at a limit" in text for text in texts(svg))


@pytest.mark.parametrize(("trials", "heuristics"), instances(product([1, 5, 50], [FOUR[:1], FOUR]), few=2))
def test_every_number_of_trials_and_heuristics(trials: int, heuristics: tuple[str, ...]) -> None:
    rows = limited(trials=trials, heuristics=heuristics, k=span(3, 5))
    svg = plot(rows)
    assert len(marks(svg, "solved")) == len(heuristics)
    assert sum(marks(svg, "solved")) + arrows(svg) == len(rows) == 3 * trials * len(heuristics)


@pytest.mark.parametrize(("axis", "measure"), instances(product(get_args(Axis), get_args(PlotMeasure)), few=5))
def test_every_axis(axis: Axis, measure: PlotMeasure) -> None:
    rows = with_true_distances(limited(true_distance=True))
    svg = plot(rows, x=axis, y=measure)
    shown = observe([one for one in rows if one.role == "search"], measure)
    assert sum(marks(svg, "solved")) == sum(one is not None and one.kind == "exact" for one in shown)
    assert arrows(svg) == sum(one is not None and one.kind == "lower_bound" for one in shown)
    unknown = any(one.true_distance is None for one in rows)
    assert ("not known" in texts(svg)) == (unknown and axis == "true_distance")


def test_none_solved_and_nothing_ended() -> None:
    rows = limited(limits=LimitsIn(expanded=2))
    svg = plot(rows)
    assert (sum(marks(svg, "solved")), sum(marks(svg, "stopped"))) == (0, 60)
    crowded = plot(limited(limits=LimitsIn(expanded=2), trials=50, k=span(6, 7)))
    assert (sum(marks(crowded, "stopped")), arrows(crowded)) == (4, 200)
    assert "no search has ended yet" in texts(plot([row(0, ending="queued"), row(1, ending="failed")]))
    assert "no searches" in texts(plot([]))
    assert "no search has this measure" in texts(plot([row(0, ending="failed")]))


def test_a_series_is_described_by_all_of_its_searches() -> None:
    """Also searches that the plot cannot show: failed ones, and those without a value of the measure."""
    endings = ("solved", "solved", "limit_reached", "failed", "queued")
    rows = [row(n, k=n, ending=ending, expanded=5 + n) for n, ending in enumerate(endings)]
    rows += [row(9, k=5, algorithm="greedy", expanded=7)]
    drawn = texts(plot(rows, y="expanded_last_layer"))
    assert {"astar: 2 of 4 solved, 1 failed, 1 not ended", "greedy: 1 of 1 solved"} <= set(drawn)


def test_growth_names_the_k_that_it_is_of() -> None:
    rows = limited(heuristics=("s1-misplaced-facelets",))
    growth = fit_growth(rows, rows[0].series, "expanded", "k")
    assert growth.used == [3, 4, 5, 6]
    assert growth.censored == [7, 8]
    assert any(f"× {growth.factor:.2f} per move for k = 3 to 6 (95 %" in text for text in texts(plot(rows)))


@pytest.mark.parametrize("count", instances([40, 16], few=1))
def test_a_long_legend_leaves_the_axes_their_room(count: int) -> None:
    name = " + ".join(["misplaced_facelets"] * 40)
    rows = [row(n, k=3 + n % 2, heuristic=f"{n // 2} + {name}", expanded=9) for n in range(2 * count)]
    with matplotlib_settings():
        figure = _draw(rows, "k", "expanded", 1)
        figure.draw_without_rendering()
        (axes,), (legend,) = figure.axes, figure.legends
        assert axes.get_window_extent().height > 2.5 * figure.dpi
        with_labels = axes.get_tightbbox()
        assert with_labels is not None
        assert legend.get_window_extent().ymax < with_labels.ymin
        assert legend.get_window_extent().ymin >= 0
        assert any("and 8 more" in text.get_text() for text in legend.get_texts()) == (count == 40)


@pytest.mark.parametrize("value", [1, 2, 7, 1000, 3_000_000])
def test_no_two_ticks_carry_the_same_number(value: int) -> None:
    with matplotlib_settings():
        figure = _draw([row(0, expanded=value)], "k", "expanded", None)
        figure.draw_without_rendering()
        low, high = figure.axes[0].get_ylim()
        ticks = [tick for tick in figure.axes[0].yaxis.get_major_ticks() if low <= tick.get_loc() <= high]
        labels = [tick.label1.get_text() for tick in ticks]
    assert len(labels) == len(set(labels)) >= 2


def test_counts_of_arrows_do_not_run_into_one_another() -> None:
    rows = [
        row(n * 4 + h, k=3 + n // 50, trial=n % 50 + 1, heuristic=f"h{h}", ending="limit_reached", expanded=60)
        for n in range(300)
        for h in range(4)
    ]
    with matplotlib_settings():
        figure = _draw(rows, "k", "expanded", 1)
        figure.draw_without_rendering()
        counts = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(counts) == 24
    assert all(one.x1 < next_one.x0 for one, next_one in pairwise(sorted(counts, key=lambda box: box.x0)))


def test_the_title_is_the_whole_setting() -> None:
    rows = limited()
    title = " ".join(setting(rows, seed=7))
    for part in ("megaminx", "scrambled with cw", "solved with ccw", "k = 3 to 8", "5 trials", "seed 7", "astar",
                 "tie-breaking low_h", "60 expanded", "1,024 MiB"):  # fmt: skip
        assert part in title
    drawn = " ".join(texts(plot(rows, seed=7)))
    for word in title.split():
        assert word in drawn
    solved = sum(one.outcome == "solved" for one in rows if one.heuristic == "s2-face-distance")
    assert f"s2-face-distance: {solved} of 30 solved" in drawn


def test_the_same_rows_give_the_same_bytes_in_any_order_and_thread() -> None:
    rows = limited()
    before = dict(mpl.rcParams)
    once = plot(rows)
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(plot, [rows, rows[::-1], rows, rows[::-1]]))
    assert set(drawn) == {once}
    assert b"<dc:date>" not in once
    assert dict(mpl.rcParams) == before, "no setting of the process is left changed"


def test_png() -> None:
    png = plot(limited(), format="png")
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert (width, height) == (1440, 1040)
    assert plot(limited(), format="png") == png


def test_a_heuristics_name_is_text_not_markup() -> None:
    rows = [row(0, heuristic="$x_{<&>$", expanded=5), row(1, heuristic="a < b & c", expanded=6)]
    drawn = plot(rows)
    assert sum(marks(drawn, "solved")) == 2


def many(series: int, ks: int) -> list[ExperimentRow]:
    """Two searches of each k by each heuristic; the last five k are beyond the limit."""
    return [
        row(
            (k * series + h) * 2 + t, k=k, trial=t + 1, heuristic=f"h{h}", expanded=min(2**k + h, 2 ** (ks - 5)),
            ending="limit_reached" if k >= ks - 5 else "solved",
        )
        for k in range(ks)
        for h in range(series)
        for t in range(2)
    ]  # fmt: skip


def test_many_columns_are_lines_that_end_at_the_limit() -> None:
    rows = many(16, 40)
    svg = plot(rows)
    assert marks(svg, "solved") == []
    assert len(marks(svg, "medians")) == 16
    assert "line: median of all searches" in texts(svg)
    with matplotlib_settings():
        lines = [line for line in _draw(rows, "k", "expanded", 1).axes[0].lines if line.get_marker() != "None"]
    drawn = [np.asarray(line.get_xydata()) for line in lines]
    assert [one[:, 0].tolist() for one in drawn] == [list(range(35))] * 16
    assert [one[3, 1] for one in drawn] == [8 + h for h in range(16)]
    assert plot([one for one in rows if (one.k or 0) >= 35][:2], size="slide")


@pytest.mark.parametrize(("series", "ks"), instances([(1, 12), (16, 12), (3, 40), (16, 40)], few=2))
def test_a_slide_is_a_slide(series: int, ks: int) -> None:
    rows = many(series, ks)
    png = plot(rows, format="png", size="slide")
    assert (int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")) == (2133, 1200)
    with matplotlib_settings(LETTERS["slide"]["text"]):
        figure = _draw(rows, "k", "expanded", 1, "slide")
        figure.draw_without_rendering()
        (axes,), (legend,) = figure.axes, figure.legends
        assert axes.get_window_extent().height > 0.38 * figure.bbox.height
        with_labels = axes.get_tightbbox()
        assert with_labels is not None
        assert 0 <= legend.get_window_extent().ymin < legend.get_window_extent().ymax < with_labels.ymin
        assert legend.get_window_extent().xmax <= figure.bbox.xmax
        assert min(float(text.get_fontsize()) for text in legend.get_texts()) >= 11


def test_pdf() -> None:
    rows = many(2, 8)
    pdf = plot(rows, format="pdf")
    assert pdf.startswith(b"%PDF-")
    assert plot(rows[::-1], format="pdf") == pdf
    assert b"CreationDate" not in pdf
