"""A cache of results: in this process, and in a store that several processes share, if there is one.

A class submits the same instances and the same heuristics hundreds of times, to any of several processes. A proof about
one of them can take seconds and depends only on the question, so it is computed once:

>>> DISTANCES = Remembered("distance", int)
>>> DISTANCES.get(["8-puzzle", "2 8 3 / 1 6 4 / 0 7 5"], lambda: 6)
6
>>> DISTANCES.get(["8-puzzle", "2 8 3 / 1 6 4 / 0 7 5"], lambda: 1 / 0)
6

`sharing` sets the store for a block of code in this thread.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from hstar import __version__

__all__ = ["Remembered", "Store", "forget", "sharing"]

T = TypeVar("T")
#: increase it when the computed results change, so that no result of an older version is used
FORMAT = 2
#: the most results of one kind that a process keeps
MOST = 4096


class Store(Protocol):
    """Texts by key, shared by several processes. Any text may disappear at any time."""

    def read(self, key: str) -> str | None:
        """The text of this key, or None; raises nothing."""

    def write(self, key: str, text: str) -> None:
        """Keep a text; raises nothing."""


_store: ContextVar[Store | None] = ContextVar("store", default=None)
_kinds: list[Remembered[Any]] = []


@contextmanager
def sharing(store: Store | None) -> Iterator[None]:
    """While the block runs, results of this thread are also read from and written to the store."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


def forget() -> None:
    """Clear all caches of this process."""
    for kind in _kinds:
        kind.forget()


class Remembered(Generic[T]):
    """The results of one kind. Make one at the top of a module.

    ``computed``: how often this process had to compute one.
    """

    def __init__(self, name: str, result: Any) -> None:
        """``result``: the type of the results, which pydantic must be able to write as JSON and read again."""
        self.computed = 0
        self._name = name
        self._adapter: TypeAdapter[T] = TypeAdapter(result)
        self._known: OrderedDict[str, T] = OrderedDict()
        self._lock = Lock()
        _kinds.append(self)

    def get(
        self, question: Sequence[object], compute: Callable[[], T], keep: Callable[[T], bool] = lambda _: True
    ) -> T:
        """The result for a question.

        :param question: everything that the result depends on, as values for JSON
        :param keep: whether to keep a result; the result of a search that was stopped is not kept
        """
        text = json.dumps([FORMAT, __version__, self._name, *question])
        key = sha256(text.encode()).hexdigest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        store = _store.get()
        found = None if store is None else self._read(store.read(key))
        if found is None:
            self.computed += 1
            result = compute()
            if not keep(result):
                return result
            found = (result,)
            if store is not None:
                store.write(key, self._adapter.dump_json(result).decode())
        with self._lock:
            self._known[key] = found[0]
            while len(self._known) > MOST:
                self._known.popitem(last=False)
        return found[0]

    def forget(self) -> None:
        """Clear this cache."""
        with self._lock:
            self._known.clear()

    def _read(self, text: str | None) -> tuple[T] | None:
        if text is None:
            return None
        try:
            return (self._adapter.validate_json(text),)
        except ValidationError:  # written by another version
            return None
