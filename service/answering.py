"""Answers that several resources share: objects, pages and their links."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from urllib.parse import urlencode

from flask import Response, request
from pydantic import BaseModel

from hstar.errors import Fault, HstarError
from hstar.heuristics import canonical, canonical_anywhere, get_heuristic
from hstar.puzzles import get_puzzle
from hstar.schema import HeuristicUsed
from service.errors import ProblemError
from store.ids import parse_id


def object_response(model: BaseModel, status: int = 200, location: str | None = None) -> Response:
    """``model`` as JSON; ``location``: path of the new resource."""
    response = Response(model.model_dump_json(), status, content_type="application/json")
    if location is not None:
        response.headers["Location"] = location
    return response


def page_response(page: BaseModel, next_path: str | None) -> Response:
    """A page of a list, with the next page in a ``Link`` header (RFC 8288)."""
    return linked(page.model_dump_json(), next_path)


def linked(page: str, next_path: str | None) -> Response:
    """The same of the JSON of a page."""
    response = Response(page, content_type="application/json")
    if next_path is not None:
        response.headers["Link"] = f'<{next_path}>; rel="next"'
    return response


def split_tags(texts: Iterable[str]) -> dict[str, str] | None:
    """The tags of ``key:value`` texts; None if one has two values, which no solve can match."""
    tags = {(key, value) for key, _, value in (text.partition(":") for text in texts)}
    return dict(tags) if len(dict(tags)) == len(tags) else None


def heuristic_texts(text: str, puzzles: Iterable[str] = ()) -> list[str]:
    """The canonical texts under which a filter's heuristic may be stored, and the text itself.

    puzzles: those that the filter names; every registered one if it names none.
    """
    found = [text]
    for name in puzzles:
        with suppress(HstarError):
            found.append(canonical(text, get_puzzle(name)))
    if len(found) == 1:
        found += canonical_anywhere(text)
    return list(dict.fromkeys(found))


@lru_cache(512)
def verdict_of(puzzle: str, goal: str | None, moves: str, text: str) -> HeuristicUsed | None:
    """The verdict on a heuristic, from the states near the goal, too; None if the heuristic cannot be read any more."""
    try:
        board = get_puzzle(puzzle, None if goal is None else [int(cell) for cell in goal.split(",")])
        chosen = board.move_set(moves)
        heuristic = get_heuristic(text, board, chosen)
        found = heuristic.verdicts(chosen)
    except (HstarError, ValueError):  # stored by another version
        return None
    return HeuristicUsed(
        name=heuristic.name,
        expression=heuristic.expression.text,
        admissible=found.admissible,
        consistent=found.consistent,
        reason=found.reason,
    )


def next_path(cursor: str | None) -> str | None:
    """Path of the current list's page after ``cursor``, with the same filters; None on the last page."""
    if cursor is None:
        return None
    parameters = dict(request.args.lists()) | {"cursor": [cursor]}
    return f"{request.path}?{urlencode(parameters, doseq=True)}"


def check_cursor(cursor: str | None) -> str | None:
    """``cursor`` in its canonical form; raises `ProblemError` for one that cannot come from a page."""
    if cursor is None:
        return None
    found = parse_id(cursor)
    if found is None:
        fault = Fault("query:cursor", "not a cursor of this list; take the one in `next`")
        raise ProblemError("invalid-request", "the query parameters do not fit their schema", [fault])
    return found
