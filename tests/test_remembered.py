"""Results are computed once: in a process, and once for all processes that share a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hstar import remembered
from hstar.remembered import Remembered, sharing


class Shared(dict[str, str]):
    """A store in memory, in place of one that processes share."""

    def read(self, key: str) -> str | None:
        return self.get(key)

    def write(self, key: str, text: str) -> None:
        self[key] = text


@pytest.fixture
def squares() -> Iterator[Remembered[int | None]]:
    yield Remembered("squares", int | None)
    remembered._kinds.pop()


def square(n: int) -> Callable[[], int]:
    return lambda: n * n


def test_once_in_a_process(squares: Remembered[int | None]) -> None:
    assert [squares.get([n], square(n)) for n in (3, 4, 3, 3)] == [9, 16, 9, 9]
    assert squares.computed == 2
    assert squares.get([5], lambda: None) is None
    assert squares.get([5], square(5)) is None  # nothing is a result, too
    assert squares.computed == 3


def test_once_for_all_that_share_a_store(squares: Remembered[int | None]) -> None:
    store = Shared()
    for _ in range(3):
        squares.forget()  # as another process
        with sharing(store):
            assert [squares.get([n], square(n)) for n in (3, 4)] == [9, 16]
    assert (squares.computed, len(store)) == (2, 2)
    squares.forget()
    squares.get([3], square(3))  # no sharing outside of the block
    assert squares.computed == 3


def test_uncacheable_results_are_computed_again(squares: Remembered[int | None]) -> None:
    store = Shared()
    with sharing(store):
        assert [squares.get([3], square(3), keep=lambda found: found != 9) for _ in range(2)] == [9, 9]
    assert (squares.computed, store) == (2, {})


def test_a_text_that_another_program_wrote_is_not_believed(squares: Remembered[int | None]) -> None:
    store = Shared()
    with sharing(store):
        squares.get([3], square(3))
        store.update(dict.fromkeys(store, '"nine"'))
        squares.forget()
        assert squares.get([3], square(3)) == 9
    assert squares.computed == 2


def test_a_process_drops_the_least_recently_used_results(
    squares: Remembered[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    for n in (1, 2, 1, 3, 1):
        squares.get([n], square(n))
    assert squares.computed == 3
    squares.get([2], square(2))
    assert squares.computed == 4
