"""The ledger of a solve: shares, what counts in them, and which limit is named at the end."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest

from hstar.schema import Limits
from hstar.search.budget import GRACE, Budget, Counted
from hstar.search.control import Control, Stopped
from tests.conftest import instances


@dataclass
class Clock:
    """A clock that goes on when it is told to."""

    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def budget(clock: Clock | None = None, **limits: float) -> Budget:
    return Budget(Limits.model_validate({"memory_mib": 64} | limits), Control(), clock=clock or Clock())


def test_shares_count_in_one_ledger() -> None:
    whole = budget(expanded=1000, generated=5000)
    most = whole.share(nodes=0.75)
    first = most.share(expanded=20, together=True)
    assert (first.left("expanded"), most.left("expanded"), most.left("generated")) == (20, 750, 3750)
    first.count(Counted(expanded=20, generated=100, evaluated=90, reopened=3, stored=7, max_open=5, peak_bytes=11))
    assert (first.ended(), most.ended()) == ("method", None)
    second = most.share(expanded=300, together=True)
    assert second.left("expanded") == 280
    assert most.share(expanded=300).left("expanded") == 300
    second.count(Counted(expanded=730, generated=10, evaluated=1, reopened=1, stored=6, max_open=9, peak_bytes=3))
    assert (most.ended(), whole.ended(), whole.left("expanded")) == ("expanded", None, 250)
    assert whole.counted == Counted(750, 110, 91, 4, 7, 9, 11)
    assert whole.share(beyond=True).kernel()["max_expanded"] is None
    assert (whole.control.expanded, whole.control.stored) == (750, 7)


def test_parts_of_the_time_count_from_the_beginning() -> None:
    clock = Clock()
    whole = budget(clock, seconds=10)
    clock.now += 1
    early, late = whole.share(until=0.25), whole.share(until=0.9)
    assert (early.seconds_left, late.seconds_left, whole.seconds) == (1.5, 8.0, 1.0)
    assert late.share(until=0.5).seconds_left == 3.5
    assert late.share(seconds=2).seconds_left == 2
    assert late.share(seconds=2).share(until=0.1).seconds_left == 0
    inner = late.begun()
    assert inner.share(until=0.5).seconds_left == 4.0
    clock.now += 1.5
    assert (early.ended(), late.ended(), early.over()) == ("seconds", None, True)
    clock.now += 7.5
    with pytest.raises(Stopped):
        whole.check()
    whole.check_late()
    clock.now += GRACE
    with pytest.raises(Stopped):
        whole.check_late()


def test_the_limit_of_a_share_is_its_own_unless_the_caller_asked_for_it() -> None:
    clock = Clock()
    whole = budget(clock)
    assert (whole.kernel()["seconds"], whole.kernel(held=60 << 20)["memory_bytes"]) == (None, 4 << 20)
    own = whole.share(seconds=3, expanded=5)
    clock.now += 3
    assert (own.ended(), whole.ended()) == ("method", None)
    asked = budget(expanded=5)
    asked.reach("generated")
    assert asked.ended() is None
    asked.reach("expanded")  # a layer would have exceeded it
    assert (asked.ended(), asked.share().ended(), asked.left("expanded")) == ("expanded", "expanded", 5)


def test_a_share_as_large_as_the_limit_ends_at_the_limit_of_the_caller() -> None:
    clock = Clock()
    whole = budget(clock, expanded=5, seconds=3)
    own = whole.share(seconds=3, expanded=5)
    own.count(Counted(expanded=5))
    assert own.ended() == "expanded"
    clock.now += 3
    assert own.ended() == "seconds"


def test_what_a_search_did_beyond_its_limit_leaves_nothing() -> None:
    """The kernel generates all successors of the last node that it expands."""
    whole = budget(generated=10, expanded=3)
    whole.count(Counted(expanded=3, generated=12))
    assert (whole.left("expanded"), whole.left("generated"), whole.kernel()["max_generated"]) == (0, 0, 0)
    assert whole.kernel(held=65 << 20)["memory_bytes"] == 1  # 0 is no limit


def test_only_limits_of_the_caller_are_reached_early_and_only_where_they_count() -> None:
    whole = budget(expanded=5)
    own = whole.share(expanded=2)
    own.reach("expanded")
    whole.reach("memory")
    assert (own.ended(), whole.ended()) == (None, None)
    whole.reach("expanded")
    assert whole.ended() == "expanded"
    assert whole.share(beyond=True).ended() is None


def test_a_search_without_counters_of_its_own_evaluates_what_it_generates() -> None:
    """A beam has no queue, opens nothing again, and looks at every path."""

    @dataclass
    class Beam:
        expanded: int = 2
        generated: int = 7
        stored: int = 5
        peak_bytes: int = 3

    whole = budget()
    whole.count(Beam())
    assert whole.counted == Counted(expanded=2, generated=7, evaluated=7, stored=5, peak_bytes=3)
    assert (whole.counted.reopened, whole.counted.max_open) == (0, 0)


def test_a_cancel_ends_every_share() -> None:
    whole = budget()
    share = whole.share(until=0.5).begun()
    search = share.search()
    whole.control.cancel()
    assert share.over()
    assert search.cancelled
    assert share.search().cancelled  # also one that begins after it
    with pytest.raises(Stopped):
        share.check()


@pytest.mark.parametrize("seed", instances(range(300), few=30))
def test_no_share_allows_more_than_what_it_is_a_share_of(seed: int) -> None:
    """Random trees of shares: what is left is at most what is left of the parent, and what is used is gone for all."""
    random = Random(seed)
    clock = Clock()
    shares = [budget(clock, expanded=random.randint(0, 1000), generated=random.randint(0, 1000), seconds=5.0)]
    used = {"expanded": 0, "generated": 0}
    for _ in range(40):
        parent = random.choice(shares)
        child = parent.share(
            until=random.choice([1.0, 0.3]), nodes=random.choice([1.0, 0.5]),
            expanded=random.choice([None, random.randint(0, 200)]), together=random.random() < 0.5,
        )  # fmt: skip
        if random.random() < 0.3:
            child = child.begun()
        for name in used:
            left, of_parent = child.left(name), parent.left(name)
            assert left is not None
            assert of_parent is not None
            assert 0 <= left <= of_parent
        assert child.seconds_left <= parent.seconds_left
        shares.append(child)
        if not child.over():
            spent = {name: random.randint(0, min(child.left(name) or 0, 20)) for name in used}
            before = {name: shares[0].left(name) or 0 for name in used}
            child.count(Counted(**spent))
            for name in used:
                used[name] += spent[name]
                assert shares[0].left(name) == before[name] - spent[name]
        clock.now += random.random() / 10
    assert {name: getattr(shares[0].counted, name) for name in used} == used
