"""Searches in groups: how they ended, what they say about each measure, and its growth.

    found = Grouped.of(columns, keys, ["expanded"])        # from single searches, keys[i] is the group of search i
    found = Grouped.of_cells(columns, keys, ["expanded"])  # from a rollup, each cell for many searches
    Grouped.together([found, other]).summaries("expanded")

An experiment's table and the statistics of all solves are computed from it, so they agree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hstar.experiments.distributions import Distributions, Integers
from hstar.experiments.growth import grow
from hstar.experiments.observations import BOUND, EXACT, Columns, Observations, given_by, is_whole
from hstar.experiments.rows import number_groups
from hstar.experiments.schema import GROWING, PENDING, Fit, Outcomes
from hstar.experiments.summaries import Observed, Summary, summarise

#: the column with the number of searches of a cell
NUMBER = "number"


def kept_as(measure: str) -> str:
    """The column with the distribution of a measure in a cell, encoded."""
    return f"of_{measure}"


@dataclass(frozen=True)
class Grouped:
    """Searches by group. ``counts``: how many have each (number of the group, ending, optimality)."""

    keys: Sequence[Any]
    counts: Mapping[tuple[int, str | None, str | None], int]
    seen: Mapping[str, Observed]

    @classmethod
    def of(cls, columns: Columns, keys: Sequence[Any], measures: Sequence[str]) -> Grouped:
        """From single searches, with the columns that `hstar.experiments.observations` needs."""
        numbers, groups = number_groups(keys)
        observations = Observations(columns, measures)
        return cls(
            list(numbers),
            Counter(zip(groups.tolist(), columns["ending"], columns["optimality"], strict=True)),
            {measure: observations.observed(measure, groups, len(numbers)) for measure in measures},
        )

    @classmethod
    def of_cells(cls, columns: Columns, keys: Sequence[Any], measures: Sequence[str]) -> Grouped:
        """From cells that each stand for `NUMBER` searches of the same ending, algorithm and optimality."""
        numbers, groups = number_groups(keys)
        counts: Counter[tuple[int, str | None, str | None]] = Counter()
        for group, ending, optimality, number in zip(
            groups.tolist(), columns["ending"], columns["optimality"], columns[NUMBER], strict=True
        ):
            counts[group, ending, optimality] += number
        given = given_by(columns)

        def observed(measure: str) -> Observed:
            texts, given_here = columns[kept_as(measure)], given(measure)
            sides = []
            for wanted in (EXACT, BOUND):
                chosen = np.flatnonzero(given_here == wanted)
                if not len(chosen):
                    sides.append(_nothing(len(numbers), is_whole(measure)))
                    continue
                found = Distributions.decode([texts[place] for place in chosen.tolist()], whole=is_whole(measure))
                sides.append(_moved([found], [groups[chosen]], len(numbers)))
            return Observed(*sides)

        return cls(list(numbers), counts, {measure: observed(measure) for measure in measures})

    @classmethod
    def together(cls, parts: Sequence[Grouped]) -> Grouped:
        """One with the groups of all parts, in buckets if several have observations. All have the same measures."""
        numbers, all_places = number_groups([key for part in parts for key in part.keys])
        places = np.split(all_places, np.cumsum([len(part.keys) for part in parts])[:-1])
        counts: Counter[tuple[int, str | None, str | None]] = Counter()
        for part, place in zip(parts, places, strict=True):
            for (group, ending, optimality), number in part.counts.items():
                counts[int(place[group]), ending, optimality] += number
        # A part without ended searches has no observations.
        having = [(part, place) for part, place in zip(parts, places, strict=True) if part.ended] or [
            (parts[0], places[0])
        ]
        where = [place for _, place in having]
        seen = {}
        for measure in parts[0].seen:
            found = [part.seen[measure] for part, _ in having]
            exact = _moved([one.exact for one in found], where, len(numbers))
            seen[measure] = Observed(exact, _moved([one.bounds for one in found], where, len(numbers)))
        return cls(list(numbers), counts, seen)

    @cached_property
    def ended(self) -> int:
        """The number of searches that have ended."""
        return sum(n for (_, ending, _), n in self.counts.items() if ending is not None and ending not in PENDING)

    @property
    def exact(self) -> bool:
        """Whether every quantile is exact."""
        return all(side.exact for seen in self.seen.values() for side in (seen.exact, seen.bounds))

    def outcomes(self) -> list[Outcomes]:
        """How the searches of each group ended."""
        found: list[list[tuple[str | None, str | None, int]]] = [[] for _ in self.keys]
        for (group, ending, optimality), number in self.counts.items():
            found[group].append((ending, optimality, number))
        return list(map(Outcomes.of, found))

    def summaries(self, measure: str) -> list[Summary]:
        """The statistics of a measure in each group."""
        return summarise(self.seen[measure])

    def growth(self, axis: int, order: Iterable[int]) -> list[tuple[tuple[Any, ...], str, Fit]]:
        """For all groups that differ only in x the growth of each measure with x.

        :param axis: the place of x in the keys, which are tuples; the rest of a key is the series
        :param order: the numbers of the groups, in the order in which the series are wanted
        :return: the series, the measure, and its growth
        """
        series: dict[tuple[Any, ...], list[tuple[int | None, int]]] = {}
        for group in order:
            key = self.keys[group]
            series.setdefault(key[:axis] + key[axis + 1 :], []).append((key[axis], group))
        return [
            (key, measure, grow(places, self.seen[measure]))
            for key, places in series.items()
            for measure in self.seen
            if measure in GROWING
        ]


@lru_cache(64)
def _nothing(size: int, whole: bool) -> Distributions:
    return Distributions.empty(size, whole=whole)


def _moved(parts: Sequence[Distributions], places: Sequence[Integers], size: int) -> Distributions:
    """Group g of a part as group ``places[part][g]``, in buckets only if some become one."""
    if len(parts) == 1 and len(set(places[0].tolist())) == len(places[0]):
        return parts[0].placed(places[0], size)
    return Distributions.merged(parts, places, size)
