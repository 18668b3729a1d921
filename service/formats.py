"""Formats of one resource: chosen by the request's ``Accept``, or by a suffix of its path, as links need it.

@bp.get("/stats")
@bp.input(StatsQuery, location="query")
@bp.doc(...)
def get_stats(query_data: StatsQuery) -> Response:
    if chosen(JSON, CSV) == CSV: ...

link_formats(bp, "/stats", get_stats, "csv")           # /stats.csv
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from apiflask import APIBlueprint
from flask import Response, g, request, stream_with_context

from service.context import context

JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
SVG, PNG, PDF = "image/svg+xml", "image/png", "application/pdf"
EVENTS, CERTIFICATE = "text/event-stream", "application/vnd.hstar.certificate"
#: by suffix
SUFFIXES = {
    "json": JSON,
    "csv": CSV,
    "parquet": PARQUET,
    "svg": SVG,
    "png": PNG,
    "pdf": PDF,
    "events": EVENTS,
    "hcert": CERTIFICATE,
}


def suffix() -> str | None:
    """The suffix of the path, if it chose the format."""
    found: str | None = g.get("suffix")
    return found


def chosen(*formats: str) -> str:
    """The one of these media types that the request wants; the first, if it has no preference, or none is there."""
    named = suffix()
    if named is not None:
        return SUFFIXES[named]
    return request.accept_mimetypes.best_match(formats, formats[0]) or formats[0]


def link_formats(bp: APIBlueprint, path: str, view: Callable[..., Response], *suffixes: str) -> None:
    """Let paths with these suffixes show the view in these formats. The OpenAPI document has only the path without."""
    for name in suffixes:

        def show(suffix: str = name, **arguments: Any) -> Response:
            g.suffix = suffix
            return view(**arguments)

        show.__name__ = f"{view.__name__}_{name}"
        shown: Any = bp.doc(hide=True)(show)
        shown._spec["args"] = view._spec.get("args", ())  # type: ignore[attr-defined]  # it reads the query
        bp.get(f"{path}.{name}")(shown)


def event_stream(look: Callable[[], tuple[str, bool]]) -> Response:
    """Server-sent events: what ``look`` shows, in JSON, until it says that this was the end."""
    # With a request's context, because a puzzle that was added is found by its owner.
    events = stream_with_context(context().long_polling.events(look))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nginx would keep events back
    return Response(events, content_type=EVENTS, headers=headers)


def content(**formats: Any) -> dict[str, Any]:
    """The ``content`` of a response in formats, by suffix: the schema of JSON, True for files."""
    schemas = {name: {"type": "string"} for name in ("csv", "svg", "events")}
    return {
        SUFFIXES[name]: {"schema": schemas.get(name, {}) if schema is True else schema}
        for name, schema in formats.items()
    }
