"""Results that will be asked for again: kept in this process, and beyond it where a store is shared.

A class hands in the same instances and the same heuristics hundreds of times, to any of several processes. What is
proven of one of them takes up to seconds and depends on nothing but the question, so it is computed once:

>>> DISTANCES = Remembered("distance", int)
>>> DISTANCES.get(["8-puzzle", "2 8 3 / 1 6 4 / 0 7 5"], lambda: 6)
6
>>> DISTANCES.get(["8-puzzle", "2 8 3 / 1 6 4 / 0 7 5"], lambda: 1 / 0)
6

`sharing` gives a store to what runs within it, in this thread.
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
#: raise it with any change of what is computed, so that no store answers with what an older program found
FORMAT = 1
#: results of one kind in a process
MOST = 4096


class Store(Protocol):
    """What several processes share: texts by key. Any text may be gone at any time."""

    def read(self, key: str) -> str | None:
        """The text of this key, if there is one; raises nothing."""

    def write(self, key: str, text: str) -> None:
        """Keep a text; raises nothing."""


_store: ContextVar[Store | None] = ContextVar("store", default=None)
_kinds: list[Remembered[Any]] = []


@contextmanager
def sharing(store: Store | None) -> Iterator[None]:
    """While the block runs, in this thread: results are read from and written to the store as well."""
    token = _store.set(store)
    try:
        yield
    finally:
        _store.reset(token)


def forget() -> None:
    """Forget what this process knows, as a new one would."""
    for kind in _kinds:
        kind.forget()


class Remembered(Generic[T]):
    """The results of one kind. Make one at the top of a module.

    ``computed``: how often this process had to compute one.
    """

    def __init__(self, name: str, result: Any) -> None:
        """``result``: their type, which has to be one that pydantic writes as JSON and reads again."""
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

        :param question: everything that the result depends on, JSON-ready
        :param keep: whether to remember a result; not one of a search that somebody stopped
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
        """Forget what this process knows."""
        with self._lock:
            self._known.clear()

    def _read(self, text: str | None) -> tuple[T] | None:
        if text is None:
            return None
        try:
            return (self._adapter.validate_json(text),)
        except ValidationError:  # another program wrote it
            return None
