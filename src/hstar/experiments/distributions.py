"""Many distributions of one measure at once: moments, extremes, order statistics; exact, or in buckets.

    found = Distributions.of(values, groups, size)         # values[i] belongs to group groups[i], 0 <= groups[i] < size
    found.quantile(0.5)                                    # one number for each group
    small = found.in_buckets()                             # of bounded size
    both = Distributions.merged([small, other], [place_of_small, place_of_other], size)

All arrays have one entry for each group, or one for each entry of the histograms. There is no loop over groups or
values in Python.

**Exact** distributions keep every value. **Bucketed** ones keep the number of values in each bucket. A bucket goes from
2^e (1 + i/128) to 2^e (1 + (i+1)/128): the values with the same leading bits as float64. Its middle stands for the
values in it, so that an order statistic, or a quantile between two of them, has a relative error of at most
`QUANTILE_ERROR`; whole numbers below 256 have a bucket each and are exact. Counts and extremes are exact in both; means
and standard deviations are exact up to the rounding of sums in float64 (`MOMENT_ERROR`).

Values are finite and not negative; values smaller than a normal float64 count as 0 in buckets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

FRACTION_BITS = 7
_SHIFT = 52 - FRACTION_BITS
#: bits of a bucket's number; group and bucket together fit into one integer
_BUCKET_BITS = 20

QUANTILE_ERROR = 2.0 ** -(FRACTION_BITS + 1)
MOMENT_ERROR = 1e-9

#: an entry of a histogram in 64 bits: the bucket in the high bits, the number of its values in the low bits
_NUMBER_BITS = 43
_ENTRY = np.dtype("<u8")

#: the statistics of a group without values
_NOTHING: dict[str, int | float] = {
    "count": 0, "mean": 0.0, "squares": 0.0, "minimum": np.inf, "maximum": -np.inf, "logs_count": 0, "logs_mean": 0.0,
    "logs_squares": 0.0,
}  # fmt: skip
_ENTRY_FIELDS = ("group", "bucket", "number", "value")
_HEADER = np.dtype([(name, "<f8" if isinstance(nothing, float) else "<i8") for name, nothing in _NOTHING.items()])


@dataclass(frozen=True)
class Distributions:
    """One distribution for each of ``size`` groups.

    By group: ``count``, ``mean``, ``squares`` (the sum of squared differences from the mean), ``minimum`` and
    ``maximum``; ``logs_*`` are the same for the natural logarithms of the positive values. The entries of the
    histograms are sorted by group and then by value: ``group``, ``bucket``, ``number`` of values, and ``known`` values
    (None if the middles of the buckets stand for them).
    """

    exact: bool
    whole: bool
    count: Integers
    mean: Floats
    squares: Floats
    minimum: Floats
    maximum: Floats
    logs_count: Integers
    logs_mean: Floats
    logs_squares: Floats
    group: Integers
    bucket: Integers
    number: Integers
    known: Floats | None = None

    @property
    def size(self) -> int:
        """The number of groups."""
        return len(self.count)

    @cached_property
    def value(self) -> Floats:
        """The value that represents each entry."""
        if self.known is not None:
            return self.known
        return _middles(self.bucket, self.whole, self.minimum[self.group], self.maximum[self.group])

    @classmethod
    def of(cls, values: Floats, groups: Integers, size: int, *, whole: bool) -> Distributions:
        """Exact distributions of values; ``whole``: the measure has whole numbers only."""
        order = np.argsort(groups, kind="stable")
        values, groups = values[order], groups[order]
        count, mean, squares = _moments(values, groups, size)
        positive = values > 0
        logs = _moments(np.log(values[positive]), groups[positive], size)
        order = np.lexsort((values, groups))
        values = values[order]
        ends = np.cumsum(count)
        some = count > 0
        minimum, maximum = np.full(size, np.inf), np.full(size, -np.inf)
        minimum[some] = values[(ends - count)[some]]
        maximum[some] = values[(ends - 1)[some]]
        return cls(
            True,
            whole,
            count,
            mean,
            squares,
            minimum,
            maximum,
            *logs,
            group=groups,
            bucket=_buckets(values),
            number=np.ones(len(values), dtype=np.int64),
            known=values,
        )

    @classmethod
    def empty(cls, size: int, *, whole: bool) -> Distributions:
        """Distributions without values."""
        return cls.of(np.empty(0), np.empty(0, dtype=np.int64), size, whole=whole)

    def in_buckets(self) -> Distributions:
        """The bucketed form of these distributions."""
        return self.merged([self], [np.arange(self.size)], self.size) if self.exact else self

    @classmethod
    def merged(cls, parts: Sequence[Distributions], places: Sequence[Integers], size: int) -> Distributions:
        """Bucketed distributions of all parts' values; group g of a part becomes part of group ``places[part][g]``."""
        place = np.concatenate(places)
        count, mean, squares = _merged_moments(
            place, size, *(np.concatenate([getattr(p, name) for p in parts]) for name in ("count", "mean", "squares"))
        )
        logs = _merged_moments(
            place,
            size,
            *(np.concatenate([getattr(p, f"logs_{name}") for p in parts]) for name in ("count", "mean", "squares")),
        )
        minimum, maximum = np.full(size, np.inf), np.full(size, -np.inf)
        np.minimum.at(minimum, place, np.concatenate([p.minimum for p in parts]))
        np.maximum.at(maximum, place, np.concatenate([p.maximum for p in parts]))
        keys = np.concatenate(
            [(where[p.group] << _BUCKET_BITS) | p.bucket for p, where in zip(parts, places, strict=True)]
        )
        group, bucket, number = _joined(keys, np.concatenate([p.number for p in parts]))
        whole = all(p.whole for p in parts)
        return cls(
            False, whole, count, mean, squares, minimum, maximum, *logs, group=group, bucket=bucket, number=number
        )

    def placed(self, place: Integers, size: int) -> Distributions:
        """The same among ``size`` groups: group g becomes group ``place[g]``; no two become one."""
        if np.array_equal(place, np.arange(size)):
            return self
        moved = {}
        for name, nothing in _NOTHING.items():
            before = getattr(self, name)
            moved[name] = np.full(size, nothing, dtype=before.dtype)
            moved[name][place] = before
        order = np.argsort(place[self.group], kind="stable")
        group, bucket, number = place[self.group][order], self.bucket[order], self.number[order]
        known = None if self.known is None else self.known[order]
        return Distributions(self.exact, self.whole, group=group, bucket=bucket, number=number, known=known, **moved)

    def deviation(self) -> Floats:
        """The sample's standard deviation (n - 1) of each group; NaN below two values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.sqrt(self.squares / (self.count - 1))
        return np.where(self.count > 1, found, np.nan)

    def quantile(self, q: float) -> Floats:
        """Quantile q of each group, interpolated as by NumPy's "linear" method; NaN without values."""
        found = np.full(self.size, np.nan)
        some = self.count > 0
        if not some.any():
            return found
        place = (self.count - 1) * q
        low = np.floor(place).astype(np.int64)
        a, b = (self.value[self._entry(at, some)] for at in (low, np.minimum(low + 1, self.count - 1)))
        found[some] = _between(a, b, (place - low)[some])
        return found

    def with_lower_bounds(self, bounds: Distributions) -> Distributions:
        """Values and bounds together, each bound with its own value; only for `quantile` and ``count``."""
        if not len(bounds.group):
            return self
        entries: dict[str, Any]
        if self.exact and bounds.exact:
            group = np.concatenate([self.group, bounds.group])
            order = np.lexsort((np.concatenate([self.value, bounds.value]), group))
            entries = {
                name: np.concatenate([getattr(self, name), getattr(bounds, name)])[order] for name in _ENTRY_FIELDS
            }
        else:
            # Both are sorted already, and lower bounds are few, so they are merged in.
            mine, theirs = ((side.group << _BUCKET_BITS) | side.bucket for side in (self, bounds))
            places = np.searchsorted(mine, theirs, side="right")
            entries = {name: np.insert(getattr(self, name), places, getattr(bounds, name)) for name in _ENTRY_FIELDS}
        return replace(self, count=self.count + bounds.count, known=entries.pop("value"), **entries)

    def is_open(self, q: float, bounds: Distributions, both: Distributions) -> NDArray[np.bool_]:
        """Whether the true quantile q may be larger than that of ``both`` (`with_lower_bounds`), for each group.

        It may be if one of the order statistics around it would change when all bounds were raised to infinity, leaving
        only the exact values. With buckets it is also True if a bucket hides whether one would change.
        """
        some = bounds.count > 0
        before = self._before(bounds)
        found = np.zeros(self.size, dtype=np.bool_)
        for rounded in (np.floor, np.ceil):
            place = rounded((both.count - 1) * q).astype(np.int64)
            known = some & (place < self.count)
            mine, theirs = self._entry(place, known), both._entry(place, known)
            if self.exact and bounds.exact:
                same = self.value[mine] == both.value[theirs]
            else:
                hidden = (place >= before)[known] & ~self._single(mine)
                same = (self.bucket[mine] == both.bucket[theirs]) & ~hidden
            found |= some & ~known
            found[known] |= ~same
        return found

    def _before(self, bounds: Distributions) -> Integers:
        """The number of values in buckets below those of all bounds, for each group."""
        first = _buckets(np.where(bounds.count > 0, bounds.minimum, 0.0))
        below = self.bucket < first[self.group]
        return _weigh(self.group[below], self.number[below], self.size).astype(np.int64)

    def _single(self, entries: Integers) -> NDArray[np.bool_]:
        """Whether the bucket of an entry has only one possible value."""
        low, width = _span(self.bucket[entries])
        single: NDArray[np.bool_] = (low == 0) | ((width <= 1) & self.whole)
        return single

    def _entry(self, place: Integers, of: NDArray[np.bool_]) -> Integers:
        """The entry that holds order statistic ``place[group]``, counted from 0, of each group that ``of`` names."""
        found: Integers = np.searchsorted(self._ends, (self._begins + place)[of], side="right")
        return found

    @cached_property
    def _ends(self) -> Integers:
        """The number of values up to each entry, over all groups."""
        return np.cumsum(self.number)

    @cached_property
    def _begins(self) -> Integers:
        """The number of values before each group."""
        return np.cumsum(self.count) - self.count

    def encode(self) -> list[bytes | None]:
        """Each bucketed distribution as bytes, None for one without values."""
        assert not self.exact
        headers = np.empty(self.size, dtype=_HEADER)
        for name in _NOTHING:
            headers[name] = getattr(self, name)
        entries = (self.bucket << _NUMBER_BITS | self.number).astype(_ENTRY)
        ends = np.searchsorted(self.group, np.arange(self.size + 1)).tolist()
        return [
            headers[group].tobytes() + entries[ends[group] : ends[group + 1]].tobytes() if some else None
            for group, some in enumerate((self.count > 0).tolist())
        ]

    @classmethod
    def decode(cls, texts: Sequence[bytes | None], *, whole: bool) -> Distributions:
        """The distributions that `encode` wrote, one group for each."""
        size = len(texts)
        places = [place for place, text in enumerate(texts) if text is not None]
        there = [text for text in texts if text is not None]
        headers = np.frombuffer(b"".join([text[: _HEADER.itemsize] for text in there]), _HEADER)
        entries = np.frombuffer(b"".join([text[_HEADER.itemsize :] for text in there]), _ENTRY).astype(np.int64)
        kept: dict[str, Any] = {}
        for name, nothing in _NOTHING.items():
            kept[name] = np.full(size, nothing, dtype=headers[name].dtype.newbyteorder("="))
            kept[name][places] = headers[name]
        lengths = [(len(text) - _HEADER.itemsize) // _ENTRY.itemsize for text in there]
        group = np.repeat(np.array(places, dtype=np.int64), lengths)
        bucket, number = entries >> _NUMBER_BITS, entries & ((1 << _NUMBER_BITS) - 1)
        return cls(False, whole, **kept, group=group, bucket=bucket, number=number)


def _moments(values: Floats, groups: Integers, size: int) -> tuple[Integers, Floats, Floats]:
    """Count, mean and sum of squared differences of each group, the same as NumPy's; values are sorted by group."""
    count = np.bincount(groups, minlength=size).astype(np.int64)
    mean = _sums(values, groups, count) / np.maximum(count, 1)
    differences = values - mean[groups]
    return count, mean, _sums(differences * differences, groups, count)


def _sums(values: Floats, groups: Integers, count: Integers) -> Floats:
    """The sum of each group, equal to the last digit to ``values.sum()`` of its values."""
    # NumPy adds up to seven numbers one after the other, as bincount does, and more numbers pairwise.
    found = _weigh(groups, values, len(count))
    ends = np.cumsum(count)
    for group in np.flatnonzero(count >= 8):
        found[group] = values[ends[group] - count[group] : ends[group]].sum()
    return found


def _merged_moments(
    place: Integers, size: int, count: Integers, mean: Floats, squares: Floats
) -> tuple[Integers, Floats, Floats]:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, place, count)
    with np.errstate(invalid="ignore", divide="ignore"):
        together = _weigh(place, count * mean, size) / total
    together = np.where(total > 0, together, 0.0)
    apart = mean - together[place]
    return total, together, _weigh(place, squares + count * apart * apart, size)


def _weigh(groups: Integers, weights: Floats | Integers, size: int) -> Floats:
    """The sum of each group's weights, added one after the other."""
    return np.bincount(groups, weights=weights, minlength=size).astype(np.float64, copy=False)


def _joined(keys: Integers, number: Integers) -> tuple[Integers, Integers, Integers]:
    """Group, bucket and number of each distinct key, in order."""
    if not len(keys):
        return keys, keys, number
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    distinct = keys[first]
    return distinct >> _BUCKET_BITS, distinct & ((1 << _BUCKET_BITS) - 1), np.add.reduceat(number[order], first)


def _buckets(values: Floats) -> Integers:
    found: Integers = np.ascontiguousarray(values, dtype=np.float64).view(np.int64) >> _SHIFT
    return found


def _span(bucket: Integers) -> tuple[Floats, Floats]:
    """The start and the width of each bucket."""
    low = (bucket << _SHIFT).view(np.float64)
    return low, ((bucket + 1) << _SHIFT).view(np.float64) - low


def _middles(bucket: Integers, whole: bool, minimum: Floats, maximum: Floats) -> Floats:
    """The value that represents each bucket; never beyond the minimum and maximum."""
    low, width = _span(bucket)
    middle = low + np.maximum(width - 1, 0) / 2 if whole else low + width / 2
    middle[bucket == 0] = 0.0
    return np.clip(middle, minimum, maximum)


def _between(a: Floats, b: Floats, share: Floats) -> Floats:
    """NumPy's interpolation, rounding included."""
    step = b - a
    found: Floats = np.where(share >= 0.5, b - step * (1 - share), a + step * share)
    return found
