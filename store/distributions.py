"""Many distributions of one measure at once: moments, extremes, order statistics; exact, or in buckets.

    found = Distributions.of(values, groups, size)         # values[i] belongs to group groups[i], 0 <= groups[i] < size
    found.quantile(0.5)                                    # one number for each group
    small = found.in_buckets()                             # bounded in size, whatever the number of values
    both = Distributions.merged([small, other], [place_of_small, place_of_other], size)

All arrays have one entry a group, or one an entry of the histograms. There is no loop over groups or values in Python.

**Exact** distributions keep every value. **Bucketed** ones keep how many values fell into each bucket. A bucket is what
the first 8 bits of the fraction of a float64 tell apart: from 2^e (1 + i/256) to 2^e (1 + (i+1)/256). The middle of a
bucket stands for what is in it, so that an order statistic, and a quantile between two of them, is off by at most
`QUANTILE_ERROR` of its value; whole numbers below 512 have a bucket each and are exact. Counts and extremes are exact
in both; means and standard deviations are so up to the rounding of sums in float64 (`MOMENT_ERROR`).

Values are finite and not negative.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

FRACTION_BITS = 8
_SHIFT = 52 - FRACTION_BITS
#: a bucket's number is below 2 to this, so that group and bucket fit into one integer
_BUCKET_BITS = 20

QUANTILE_ERROR = 2.0 ** -(FRACTION_BITS + 1)
MOMENT_ERROR = 1e-9

_HEADER = struct.Struct("<qddddqddIBB")
_WIDTHS: dict[int, np.dtype[Any]] = {1: np.dtype("<u1"), 2: np.dtype("<u2"), 4: np.dtype("<u4"), 8: np.dtype("<u8")}


@dataclass(frozen=True)
class Distributions:
    """One distribution for each of ``size`` groups.

    ``count``, ``mean``, ``squares`` (the sum of squared differences from the mean), ``minimum`` and ``maximum`` are by
    group; ``logs_*`` the same of the natural logarithms of the positive values. The entries of the histograms, sorted
    by group and then by value: ``group``, ``bucket``, ``number`` of values; ``value``, exact or the bucket's middle.
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
    value: Floats

    @property
    def size(self) -> int:
        """How many groups."""
        return len(self.count)

    # -- making them -------------------------------------------------------------------------------------------------

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
            value=values,
        )

    @classmethod
    def empty(cls, size: int, *, whole: bool) -> Distributions:
        """Groups without values."""
        return cls.of(np.empty(0), np.empty(0, dtype=np.int64), size, whole=whole)

    def in_buckets(self) -> Distributions:
        """The same in buckets."""
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
            False, whole, count, mean, squares, minimum, maximum, *logs, group=group, bucket=bucket, number=number,
            value=_middles(bucket, whole, minimum[group], maximum[group]),
        )  # fmt: skip

    def placed(self, place: Integers, size: int) -> Distributions:
        """The same among ``size`` groups: group g becomes group ``place[g]``; no two become one."""
        moved = {}
        for name, nothing in _NOTHING.items():
            before = getattr(self, name)
            moved[name] = np.full(size, nothing, dtype=before.dtype)
            moved[name][place] = before
        order = np.argsort(place[self.group], kind="stable")
        entries = {name: getattr(self, name)[order] for name in ("bucket", "number", "value")}
        return Distributions(self.exact, self.whole, group=place[self.group][order], **moved, **entries)

    # -- asking them -------------------------------------------------------------------------------------------------

    def deviation(self) -> Floats:
        """The sample's standard deviation (n - 1) of each group; NaN below two values."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Floats = np.sqrt(self.squares / (self.count - 1))
        return np.where(self.count > 1, found, np.nan)

    def quantile(self, q: float) -> Floats:
        """Quantile q of each group, between neighbours as NumPy's "linear" has it; NaN without values."""
        found = np.full(self.size, np.nan)
        some = self.count > 0
        if not some.any():
            return found
        ends = np.cumsum(self.number)
        begin = (np.cumsum(self.count) - self.count)[some]
        place = (self.count[some] - 1) * q
        low = np.floor(place).astype(np.int64)
        high = np.minimum(low + 1, self.count[some] - 1)
        a = self.value[np.searchsorted(ends, begin + low, side="right")]
        b = self.value[np.searchsorted(ends, begin + high, side="right")]
        found[some] = _between(a, b, place - low)
        return found

    def with_lower_bounds(self, bounds: Distributions) -> Distributions:
        """Both together, each bound with its own value; for `quantile` and ``count`` alone."""
        order = np.lexsort(
            (np.concatenate([self.value, bounds.value]), group := np.concatenate([self.group, bounds.group]))
        )
        return replace(
            self,
            count=self.count + bounds.count,
            group=group[order],
            bucket=np.concatenate([self.bucket, bounds.bucket])[order],
            number=np.concatenate([self.number, bounds.number])[order],
            value=np.concatenate([self.value, bounds.value])[order],
        )

    def is_open(self, q: float, bounds: Distributions) -> NDArray[np.bool_]:
        """Whether the true quantile q over values and bounds may be larger than the one that takes bounds for values.

        It may if a bound stands at or before place ceil(q (n - 1)) of the sorted order, bounds behind equal values. Of
        buckets it is said also where that place and the least bound share a bucket.
        """
        if self.exact and bounds.exact:
            before = self.value <= bounds.minimum[self.group]
        else:
            before = self.bucket < _buckets(np.where(bounds.count > 0, bounds.minimum, 0.0))[self.group]
        first = _weigh(self.group, self.number * before, self.size)
        found: NDArray[np.bool_] = (bounds.count > 0) & (first <= np.ceil((self.count + bounds.count - 1) * q))
        return found

    # -- keeping them ------------------------------------------------------------------------------------------------

    def encode(self, group: int) -> bytes | None:
        """One bucketed distribution as bytes, None if it has no values. Little-endian, smallest widths that do."""
        assert not self.exact
        if not self.count[group]:
            return None
        begin, end = np.searchsorted(self.group, [group, group + 1])
        bucket, number = self.bucket[begin:end], self.number[begin:end]
        steps = np.diff(bucket)
        step_width, number_width = _width(steps), _width(number)
        header = _HEADER.pack(
            self.count[group], self.mean[group], self.squares[group], self.minimum[group], self.maximum[group],
            self.logs_count[group], self.logs_mean[group], self.logs_squares[group],
            bucket[0], step_width, number_width,
        )  # fmt: skip
        return header + steps.astype(_WIDTHS[step_width]).tobytes() + number.astype(_WIDTHS[number_width]).tobytes()

    @classmethod
    def decode(cls, texts: Sequence[bytes | None], *, whole: bool) -> Distributions:
        """The distributions that `encode` wrote, one group for each."""
        headers = np.zeros((11, len(texts)))
        headers[3], headers[4] = np.inf, -np.inf
        counts = np.zeros((2, len(texts)), dtype=np.int64)
        groups: list[int] = []
        buckets: list[Any] = []
        numbers: list[Any] = []
        for group, text in enumerate(texts):
            if text is None:
                continue
            header = _HEADER.unpack_from(text)
            counts[0, group], counts[1, group] = header[0], header[5]
            headers[:, group] = header
            step_width, number_width = header[9], header[10]
            size = (len(text) - _HEADER.size + step_width) // (step_width + number_width)
            bucket = np.empty(size, dtype=np.int64)
            bucket[0] = header[8]
            bucket[1:] = np.frombuffer(text, _WIDTHS[step_width], size - 1, _HEADER.size)
            buckets.append(np.cumsum(bucket))
            numbers.append(np.frombuffer(text, _WIDTHS[number_width], size, len(text) - size * number_width))
            groups.append(group)
        sizes = [len(bucket) for bucket in buckets]
        belongs = np.repeat(np.asarray(groups, dtype=np.int64), np.asarray(sizes, dtype=np.int64))
        bucket = np.concatenate([np.empty(0, dtype=np.int64), *buckets])
        number = np.concatenate([np.empty(0, dtype=np.int64), *numbers]).astype(np.int64)
        minimum, maximum = headers[3], headers[4]
        return cls(
            False, whole, counts[0], headers[1], headers[2], minimum, maximum, counts[1], headers[6], headers[7],
            group=belongs, bucket=bucket, number=number,
            value=_middles(bucket, whole, minimum[belongs], maximum[belongs]),
        )  # fmt: skip


#: what is said of a group without values
_NOTHING = {
    "count": 0, "mean": 0.0, "squares": 0.0, "minimum": np.inf, "maximum": -np.inf, "logs_count": 0, "logs_mean": 0.0,
    "logs_squares": 0.0,
}  # fmt: skip


def _moments(values: Floats, groups: Integers, size: int) -> tuple[Integers, Floats, Floats]:
    """Count, mean and sum of squared differences of each group, as NumPy has them; values are sorted by group."""
    count = np.bincount(groups, minlength=size).astype(np.int64)
    mean = _sums(values, groups, count) / np.maximum(count, 1)
    differences = values - mean[groups]
    return count, mean, _sums(differences * differences, groups, count)


def _sums(values: Floats, groups: Integers, count: Integers) -> Floats:
    """The sum of each group, to the last digit as ``values.sum()`` of its values alone."""
    # NumPy adds up to seven numbers one after the other, as bincount does, and more of them pairwise.
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


def _middles(bucket: Integers, whole: bool, minimum: Floats, maximum: Floats) -> Floats:
    """What stands for the values of each bucket; never outside of the values that there are."""
    low = (bucket << _SHIFT).view(np.float64)
    width = ((bucket + 1) << _SHIFT).view(np.float64) - low
    middle = low + np.maximum(width - 1, 0) / 2 if whole else low + width / 2
    return np.clip(middle, minimum, maximum)


def _between(a: Floats, b: Floats, share: Floats) -> Floats:
    """NumPy's interpolation, rounding included."""
    step = b - a
    found: Floats = np.where(share >= 0.5, b - step * (1 - share), a + step * share)
    return found


def _width(numbers: Integers) -> int:
    largest = int(numbers.max(initial=0))
    return 1 if largest < 2**8 else 2 if largest < 2**16 else 4 if largest < 2**32 else 8
