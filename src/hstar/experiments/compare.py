"""Compare two ways to search on the same instances: ratios, wins, and what the counts prove.

Each pair of searches of one instance gives two observations (`hstar.experiments.observations`). If both are exact, the
smaller one wins. If one is a lower bound above the other's exact value, the exact one wins, whatever the true value is.
Every other pair with a lower bound is undecided.

What is claimed, and what is not: *count dominance* is about these instances only. It says nothing about others, nor
that one set of expanded states contains the other. Two searches by A* with consistent heuristics allow more: before its
last f-layer, each expands exactly the states with g* + h < h*(start). So if h1 >= h2 everywhere, the first one's
``expanded_before_last_layer`` is smaller or equal on every instance. An instance where it is larger therefore *proves*
that some state has h1 < h2. If there are instances of both kinds, neither heuristic dominates the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import exp, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from hstar.errors import Fault, InvalidRequest
from hstar.experiments.distributions import Distributions
from hstar.experiments.observations import observe
from hstar.experiments.quality import quality_of
from hstar.experiments.rows import ExperimentRow, searches, series_of, with_true_distances
from hstar.experiments.schema import MEASURES, Comparison, Ratios, Series
from hstar.experiments.significance import significance
from hstar.experiments.summaries import Observed, Summary, summarise
from hstar.options import OPTIONS, Options


class Pair(NamedTuple):
    """Two searches of one instance."""

    first: ExperimentRow
    second: ExperimentRow


class _Values(NamedTuple):
    first: float
    second: float
    first_exact: bool
    second_exact: bool


def compare_series(
    rows: Iterable[ExperimentRow], first: Series, second: Series, measure: str = "expanded"
) -> Comparison:
    """Compare two ways to search within one experiment."""
    rows = searches(rows)
    return compare([row for row in rows if row.series == first], [row for row in rows if row.series == second], measure)


def compare_all(rows: Iterable[ExperimentRow], measure: str = "expanded") -> list[Comparison]:
    """Compare every two series of an experiment. Their sentences name them as its table does."""
    rows = searches(rows)
    series = series_of(rows)
    names = dict(zip(series, name_apart(series), strict=True))
    found = [compare_series(rows, first, second, measure) for first, second in combinations(series, 2)]
    return [c.model_copy(update={"sentence": _sentence(c, names[c.first], names[c.second])}) for c in found]


def compare(first: Iterable[ExperimentRow], second: Iterable[ExperimentRow], measure: str = "expanded") -> Comparison:
    """Compare two lists of rows, of one experiment or of two, on the instances that both have.

    :raises KeyError: there is no such measure
    :raises ValueError: a list is empty, or has several series
    """
    first, second = searches(first), searches(second)
    sides = _only_series(first), _only_series(second)
    pairs = list(_pairs(first, second))
    values = _observe_both(pairs, measure)
    verdicts = [_winner(pair) for pair in values]
    wins, losses, ties = verdicts.count("first"), verdicts.count("second"), verdicts.count("tie")
    both_exact = [pair for pair in values if pair.first_exact and pair.second_exact]
    known = _with_distances(first, second)
    comparison = Comparison(
        first=sides[0],
        second=sides[1],
        measure=measure,
        instances=len(values),
        both_solved=len(both_exact),
        wins=wins,
        ties=ties,
        losses=losses,
        undecided=verdicts.count("undecided"),
        decided_by_limit=wins + losses + ties - len(both_exact),
        ratios=_ratios(both_exact),
        median_ratio_all=_median_interval(values),
        dominance=_dominance(wins, ties, losses),
        proven=_proven(pairs, sides),
        tests=significance(values, wins, losses),
        quality=[quality_of(sides[0], known[: len(first)]), quality_of(sides[1], known[len(first) :])],
        sentence="",
    )
    return comparison.model_copy(update={"sentence": _sentence(comparison, *_two_names(comparison))})


def _with_distances(first: list[ExperimentRow], second: list[ExperimentRow]) -> list[ExperimentRow]:
    """All rows, each with h* of its instance if it is known or any row of the two sides has proven it."""
    rows = [*first, *second]
    try:
        proven = with_true_distances(rows)
        return [row if one.true_distance is None else one for row, one in zip(rows, proven, strict=True)]
    except ValueError as error:
        raise InvalidRequest("the searches contradict each other", [Fault("", str(error))]) from None


def _only_series(rows: list[ExperimentRow]) -> Series:
    found = series_of(rows)
    if len(found) != 1:
        raise ValueError(f"a comparison has one series on each side, not {len(found)}")
    return found[0]


def _pairs(first: list[ExperimentRow], second: list[ExperimentRow]) -> Iterator[Pair]:
    """Pairs of searches of the same instance; if a scramble was drawn twice, they are paired in the order of the
    trials."""
    waiting: dict[object, list[ExperimentRow]] = {}
    for row in second:
        waiting.setdefault(row.identity, []).append(row)
    for row in first:
        partners = waiting.get(row.identity)
        if partners:
            yield Pair(row, partners.pop(0))


def _observe_both(pairs: list[Pair], measure: str) -> list[_Values]:
    """The values of the pairs of which both searches say something."""
    sides = observe([pair.first for pair in pairs], measure), observe([pair.second for pair in pairs], measure)
    return [
        _Values(first.value, second.value, first.kind == "exact", second.kind == "exact")
        for first, second in zip(*sides, strict=True)
        if first is not None and second is not None
    ]


def _winner(pair: _Values) -> str:
    if pair.first_exact and pair.second_exact:
        return "tie" if pair.first == pair.second else "first" if pair.first < pair.second else "second"
    if pair.first_exact and pair.first < pair.second:
        return "first"
    if pair.second_exact and pair.second < pair.first:
        return "second"
    return "undecided"


def _dominance(wins: int, ties: int, losses: int) -> Any:
    if wins and losses:
        return "neither"
    if wins:
        return "first"
    if losses:
        return "second"
    return "equal" if ties else "none"


def _ratios(pairs: list[_Values]) -> Ratios:
    values = np.asarray([a / b for a, b, *_ in pairs if a > 0 and b > 0], dtype=np.float64)
    if not len(values):
        return Ratios(count=0)
    ratios = Distributions.of(values, np.zeros(len(values), dtype=np.int64), 1, whole=False)
    (found,) = summarise(Observed(ratios, Distributions.empty(1, whole=False)))
    spread = exp(sqrt(ratios.logs_squares[0] / (len(values) - 1))) if len(values) > 1 else None
    same = {name: getattr(found, name) for name in Ratios.model_fields if name in Summary.model_fields}
    return Ratios(
        count=found.exact, geometric_mean=exp(ratios.logs_mean[0]), geometric_standard_deviation=spread, **same
    )


def _median_interval(pairs: list[_Values]) -> tuple[float | None, float | None]:
    """The interval in which the median of first / second lies, whatever the values behind the lower bounds are."""
    lows, highs = [], []
    for pair in pairs:
        if pair.first == pair.second == 0 and pair.first_exact and pair.second_exact:
            continue  # 0 / 0 is undefined
        lows.append(_over(pair.first, pair.second) if pair.second_exact else 0.0)
        highs.append(_over(pair.first, pair.second) if pair.first_exact else inf)
    if not lows:
        return None, None
    return _finite_median(lows), _finite_median(highs)


def _over(a: float, b: float) -> float:
    return a / b if b else inf


def _finite_median(values: list[float]) -> float | None:
    """The median; None where it is infinite, or between a finite value and an infinite one."""
    ordered = sorted(values)
    middle = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1]
    return None if inf in middle else sum(middle) / len(middle)


def _proven(pairs: list[Pair], sides: tuple[Series, Series]) -> list[str]:
    """What the counts before the last f-layer prove of two consistent heuristics of A*."""
    smaller = {"first": 0, "second": 0}
    for a, b in pairs:
        if not (_theory_holds(a) and _theory_holds(b)) or a.moves != b.moves:
            continue
        if a.expanded_before_last_layer is None or b.expanded_before_last_layer is None:
            continue
        if a.expanded_before_last_layer != b.expanded_before_last_layer:
            smaller["first" if a.expanded_before_last_layer < b.expanded_before_last_layer else "second"] += 1
    names = name_apart(sides)
    claims = [
        f"{names[other]} does not dominate {names[one]}: some state has a larger h with {names[one]}"
        f" (it expanded fewer nodes before the last f-layer on {_count(smaller[key], 'instance')})"
        for key, one, other in (("first", 0, 1), ("second", 1, 0))
        if smaller[key]
    ]
    if len(claims) == 2:
        claims.append(f"neither of {names[0]} and {names[1]} dominates the other")
    return claims


def _theory_holds(row: ExperimentRow) -> bool:
    return row.outcome == "solved" and row.algorithm == "astar" and row.weight == 1 and row.consistent == "proven"


def name_apart(series: Iterable[Series]) -> list[str]:
    """A name for each, with those of algorithm, heuristic and options in which they differ."""
    series = list(series)
    varies = {field: len({getattr(one, field) for one in series}) > 1 for field in Series.model_fields}
    if not any(varies.values()):
        varies["heuristic"] = True
    names = []
    for one in series:
        parts = [one.algorithm] if varies["algorithm"] or one.heuristic is None else []
        if varies["heuristic"] and one.heuristic is not None:
            parts.append(one.heuristic)
        options = {name: getattr(one, name) for name in Options.model_fields if varies[name]}
        parts += [OPTIONS[name].shown.series.format(value) for name, value in options.items() if value is not None]
        names.append(" · ".join(parts))
    return names


def _sentence(c: Comparison, a: str, b: str) -> str:
    if not c.instances:
        return f"{a} and {b} have no instance in common."
    what = MEASURES[c.measure]
    said = [
        f"{what[0].upper()}{what[1:]}: of {_count(c.instances, 'common instance')}, {a} has the smaller value on"
        f" {c.wins} and {b} on {c.losses}; {c.ties} {'is' if c.ties == 1 else 'are'} equal"
        + (f" and {c.undecided} undecided, because a limit was hit." if c.undecided else ".")
    ]
    r = c.ratios
    if r.geometric_mean is not None and r.median is not None:
        spread = f"; quartiles {_ratio(r.lower_quartile)} to {_ratio(r.upper_quartile)}" if r.count > 1 else ""
        said.append(
            f"Where both were solved ({r.count}), {a} / {b} is {_ratio(r.geometric_mean)} in the geometric mean and"
            f" {_ratio(r.median)} in the median{spread}."
        )
    if c.dominance in ("first", "second"):
        less, more = (a, b) if c.dominance == "first" else (b, a)
        said.append(f"By these counts {less} dominates: {more} never has the smaller one on a decided instance.")
    elif c.dominance == "neither":
        said.append("Neither dominates by counts.")
    if c.proven:
        said.append("Both heuristics are consistent, so these counts prove: " + "; ".join(c.proven) + ".")
    # With longer solutions, fewer nodes do not make a heuristic better.
    said += [f"{name}: {quality.sentence}." for name, quality in zip((a, b), c.quality, strict=True)]
    return " ".join(said)


def _two_names(c: Comparison) -> tuple[str, str]:
    a, b = name_apart((c.first, c.second))
    return (f"{a} (first)", f"{b} (second)") if a == b else (a, b)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _ratio(value: float | None) -> str:
    return "?" if value is None else f"{value:.3g}"
