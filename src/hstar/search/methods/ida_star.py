"""IDA*. A heuristic of only databases for these moves has a special search, which looks them up for all symmetries."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from hstar import _kernel
from hstar.errors import Fault, InvalidRequest
from hstar.heuristics.databases import matching
from hstar.search import sharing
from hstar.search.method import Constants, Count, Method
from hstar.search.run import Found, Search


class Settings(Constants):
    """``partitions``: it learns cost partitions, and uses them instead of the heuristic, which is one of them.

    ``learn_after``: when an iteration expanded so many; 0: before the first iteration. ``order``: the moves that are
    tried first, in this order, and then the others in their own; searches over only databases have their own.
    ``share_after``: after an iteration of so many expansions the next one is shared, if there are workers to share it
    with. ``subtrees``: for each of them, so that none waits long for the last one. ``subtree_expanded``: more subtrees,
    of so many expansions each, if the iterations go on growing; so little is lost with a worker.
    """

    partitions: bool = False
    learn_after: Annotated[int, Field(ge=0)] = 50_000
    order: tuple[str, ...] = ()
    share_after: Count = 1_000_000
    subtrees: Count = 16
    subtree_expanded: Count = 50_000_000


def search(asked: Search) -> Found:
    workers = asked.problem.workers
    settings = _settings(asked)
    alone = asked.options.weight != 1 or settings.partitions
    if asked.queue is not None and workers > 1 and not alone:
        part = partial(search_part, asked)
        sizes = (settings.share_after, settings.subtrees * workers, settings.subtree_expanded)
        return sharing.search(asked, asked.queue, part, *sizes)
    return search_part(asked)


def search_part(asked: Search, part: _kernel.Part | None = None) -> _kernel.Outcome:
    """The whole search, or a part of one iteration."""
    settings = _settings(asked)
    weight, moves = asked.options.weight, asked.problem.moves
    plain = weight == 1 and not moves.costs and not asked.problem.puzzle.forbids
    databases = matching(asked.heuristic.expression, moves) if plain else None
    limits = asked.limits
    if databases is None:
        kernel, start, numbers = asked.question
        named = asked.problem.puzzle.moves
        ordered = sorted(numbers, key=lambda number: (*settings.order, named[number]).index(named[number]))
        costs = [moves.cost(named[number]) for number in ordered] if moves.costs else []
        try:
            return _kernel.ida_star(
                kernel,
                start,
                ordered,
                asked.heuristic.kernel,
                weight=weight,
                partitions=settings.partitions,
                learn_after=settings.learn_after,
                threads=asked.threads,
                part=part,
                keep_tree=asked.keep,
                costs=costs,
                **limits,
            )
        except ValueError as error:  # the rest of the question has been checked
            raise InvalidRequest("ida_star cannot be used so", [Fault("/plan", str(error))]) from None
    del limits["memory_bytes"]  # it needs almost no memory
    shorter = None if asked.known is None else len(asked.known) - 1  # exhausted: the known one is shortest
    return databases.search(asked.problem.start, longest=shorter, threads=asked.threads, part=part, **limits)


def _settings(asked: Search) -> Settings:
    settings = Settings() if asked.settings is None else asked.settings
    assert isinstance(settings, Settings)
    return settings


METHOD = Method(
    name="ida_star",
    summary="depth-first below rising thresholds of f: hardly any memory",
    duplicates="none (tree search), canonical pruning",
    forbidden=True,
    search=search,
    options=("heuristic", "weight", "threads"),
    optimal=True,
    costs=True,
    layers=True,
    shared=True,
    settings=Settings,
)
