"""Notations: ways to write algs. Each puzzle lists its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notation:
    """A way to write algs of one puzzle. Both functions raise `hstar.errors.InvalidAlg`, and nothing else.

    ``parse(format(moves)) == moves`` wherever ``format`` succeeds, and ``format(parse(text))`` is ``text`` in its
    shortest form.
    """

    name: str
    description: str
    example: str
    parse: Callable[[str], tuple[str, ...]]
    format: Callable[[Sequence[str]], str]
