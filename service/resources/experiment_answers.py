"""Below ``/v1/experiments/{id}/``: the rows of an experiment as files, its table, its plots, its comparisons.

Each is made from one snapshot of the rows, and has an ETag that changes when any row does, so that a repeated request
costs nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product
from tempfile import TemporaryFile
from typing import IO, Any, TypeVar

from apiflask import APIBlueprint
from flask import Response, request, send_file
from sqlalchemy.orm import Session

from hstar import __version__
from hstar.errors import Fault
from hstar.experiments.compare import compare, name_apart
from hstar.experiments.export import rows_csv, rows_json, table_csv, write_parquet
from hstar.experiments.plots import plot
from hstar.experiments.rows import ExperimentRow, searches, with_true_distances_in_turn
from hstar.experiments.schema import MEASURES, ComparisonList, PlotFormat, Series, Table
from service.answering import heuristic_texts, object_response
from service.apart import apart
from service.context import context
from service.errors import ProblemError
from service.formats import CSV, JSON, PARQUET, PDF, PNG, SVG, chosen, content, link_formats, suffix
from service.openapi import READ_PROBLEMS, answers, refers, responses
from service.resources.experiments import TAG, find
from service.schema import (
    ComparisonOptions,
    EtagHeader,
    PlotOptions,
    RowInShort,
    RowsOptions,
    RowsPart,
    TableMeasures,
)
from store.database import take_snapshot
from store.experiments import finished, models, records

bp = APIBlueprint("experiment_answers", __name__, url_prefix="/v1", tag=TAG)

#: more comparisons than this would be too long to read
MAX_COMPARISONS = 64

Rows = Iterator[ExperimentRow]
F = TypeVar("F", bound=Callable[..., Any])


def _documented(operation: str, what: str, files: Mapping[str, Any], *codes: str) -> Callable[[F], F]:
    """The documentation of an operation that answers in these formats."""
    found: dict[str, Any] = {"description": what, "headers": answers("ETag"), "content": content(**files)}
    own = {200: found, 304: {"description": "Nothing changed", "headers": answers("ETag")}}
    document: Callable[[F], F] = bp.doc(
        operation_id=operation, responses=responses(own, *READ_PROBLEMS, "not-found", *codes)
    )
    return document


@bp.get("/experiments/<id>/rows")
@bp.input(RowsOptions, location="query")
@bp.input(EtagHeader, location="headers")
@bp.output(RowsPart, description="Some rows")
@_documented(
    "getExperimentRows", "Rows", {"json": refers(RowsPart), "csv": True, "parquet": True}, "parquet-not-installed"
)
def get_rows(id: str, query_data: RowsOptions, headers_data: EtagHeader) -> Response:
    """Get the rows

    As JSON some rows by their number, so that a client can scroll through a hundred thousand without loading all. As a
    file, all rows: `Accept: text/csv` and `application/vnd.apache.parquet`, or the paths `rows.csv`, `rows.parquet` and
    `rows.json`. One line for each search: instance, settings, outcome, solution, all counters. Cells that a spreadsheet
    would run as a formula begin with an apostrophe.
    """
    format = chosen(JSON, CSV, PARQUET)

    def make(session: Session, found: models.Experiment) -> Response:
        if format == CSV:
            return _text_file(rows_csv(_rows(session, found)), f"{found.id}.csv", CSV)
        if suffix() == "json":
            return _text_file(rows_json(_rows(session, found)), f"{found.id}.json", JSON)
        if format == PARQUET:
            about = {"experiment": found.id, "request": found.request}
            return _file(lambda sink: write_parquet(sink, _rows(session, found), about), f"{found.id}.parquet", PARQUET)
        return object_response(_some_rows(session, found, query_data.first, query_data.first + query_data.limit))

    return _answer(id, make)


def _some_rows(session: Session, found: models.Experiment, first: int, last: int) -> RowsPart:
    # Whole instances: a distance that one search has proven is shown in all rows of the instance.
    size = len(found.configurations)
    whole = records.rows(session, found, texts=False, first=first // size * size, last=-(-last // size) * size)
    ids = records.solve_ids(session, found, first, last)
    rows = [row for row in with_true_distances_in_turn(whole) if first <= row.index < last]
    names = RowInShort.model_fields.keys() - {"id"}
    items = [
        RowInShort.model_validate({"id": ids[row.index], **{name: getattr(row, name) for name in names}})
        for row in rows
    ]
    return RowsPart(rows=found.row_count, items=items)


@bp.get("/experiments/<id>/table")
@bp.input(TableMeasures, location="query")
@bp.input(EtagHeader, location="headers")
@bp.output(Table, description="The table of what has ended so far")
@_documented("getExperimentTable", "The table of what has ended so far", {"json": refers(Table), "csv": True})
def get_table(id: str, query_data: TableMeasures, headers_data: EtagHeader) -> Response:
    """Get the table

    A line for each k (or true distance) and search setting, with the censored statistics of every measure, and the
    factor by which each measure grows with a move. `Accept: text/csv`, or the path `table.csv`: its lines.
    """
    format = chosen(JSON, CSV)

    def make(session: Session, found: models.Experiment) -> Response:
        table = finished.table(session, found, query_data.x, query_data.measure or tuple(MEASURES))
        if format == CSV:
            return _text_file(table_csv(table), f"{found.id}-table.csv", CSV)
        return object_response(table)

    return _answer(id, make)


@bp.get("/experiments/<id>/plot")
@bp.input(PlotOptions, location="query")
@bp.input(EtagHeader, location="headers")
@_documented("plotExperiment", "The plot", {"svg": True, "png": True, "pdf": True}, "plots-not-installed")
def get_plot(id: str, query_data: PlotOptions, headers_data: EtagHeader) -> Response:
    """Plot an experiment

    Each search is a point, medians are lines, quartiles are boxes, on a logarithmic scale. Searches that stopped at a
    limit are open arrows. If there is no room for all searches, only the lines of medians are drawn. An SVG, or with
    `Accept` (or `plot.png`, `plot.pdf`) a PNG or a PDF.
    """
    formats: dict[str, PlotFormat] = {SVG: "svg", PNG: "png", PDF: "pdf"}
    media = chosen(*formats)

    def make(session: Session, found: models.Experiment) -> Response:
        seed = records.request_of(found).seed
        rows = _rows(session, found, texts=False)
        drawn = plot(rows, x=query_data.x, y=query_data.y, format=formats[media], seed=seed, size=query_data.size)
        return Response(drawn, content_type=f"{media}; charset=utf-8" if media == SVG else media)

    response = _answer(id, make)
    if media == SVG:
        # Matplotlib writes colours as inline styles; if they are forbidden, browsers show a black square.
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
        )
    return response


link_formats(bp, "/experiments/<id>/rows", get_rows, "csv", "json", "parquet")
link_formats(bp, "/experiments/<id>/table", get_table, "csv")
link_formats(bp, "/experiments/<id>/plot", get_plot, "svg", "png", "pdf")


@bp.get("/experiments/<id>/comparison")
@bp.input(ComparisonOptions, location="query")
@bp.input(EtagHeader, location="headers")
@bp.output(ComparisonList, description="The comparisons")
@_documented("compareExperiment", "The comparisons", {"json": refers(ComparisonList)})
@apart
def get_comparison(id: str, query_data: ComparisonOptions, headers_data: EtagHeader) -> Response:
    """Compare search settings on the same instances

    Every pair of this experiment's settings; with `other`, each setting of this experiment with each of the other.
    `first` and `second` select heuristics by name or expression.
    """

    def make(session: Session, found: models.Experiment) -> Response:
        mine = _by_series(session, found)
        theirs = mine if query_data.other is None else _by_series(session, find(session, query_data.other))
        pairs = _pairs(mine, theirs, query_data)
        return object_response(
            ComparisonList(items=[compare(mine[one], theirs[two], query_data.measure) for one, two in pairs])
        )

    return _answer(id, make, query_data.other)


def _answer(id: str, make: Callable[[Session, models.Experiment], Response], other: str | None = None) -> Response:
    """The answer of ``make`` for an experiment, or 304 if the client has it; the ETag depends on ``other``, too."""
    with context().sessions.read() as session:
        take_snapshot(session)
        found = find(session, id)
        parts = [__version__, request.full_path, request.headers.get("Accept", "")]
        for one in (found, *([] if other is None else [find(session, other)])):
            parts += [one.id, repr(records.version_of(session, one))]
        tag = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:40]
        response = Response(status=304) if request.if_none_match.contains_weak(tag) else make(session, found)
    response.set_etag(tag)
    return response


def _rows(session: Session, found: models.Experiment, *, texts: bool = True) -> Rows:
    return with_true_distances_in_turn(records.rows(session, found, texts=texts))


def _text_file(pieces: Iterator[str], name: str, media: str) -> Response:
    return _file(lambda sink: sink.writelines(piece.encode() for piece in pieces), name, media)


def _file(write: Callable[[IO[bytes]], None], name: str, media: str) -> Response:
    """The output of ``write``, through a file, so that many rows neither fill memory nor hold a connection."""
    file = TemporaryFile()  # noqa: SIM115  # the response closes it
    write(file)
    size = file.tell()
    file.seek(0)
    response = send_file(file, media, as_attachment=True, download_name=name, conditional=False, etag=False)
    response.content_length = size
    response.cache_control.private = True
    return response


def _by_series(session: Session, found: models.Experiment) -> dict[Series, list[ExperimentRow]]:
    by_series: dict[Series, list[ExperimentRow]] = {}
    for row in searches(_rows(session, found, texts=False)):
        by_series.setdefault(row.series, []).append(row)
    return by_series


def _pairs(
    mine: dict[Series, list[ExperimentRow]], theirs: dict[Series, list[ExperimentRow]], options: ComparisonOptions
) -> list[tuple[Series, Series]]:
    """The pairs to compare; raises `ProblemError` for heuristics that no row has."""
    firsts, seconds = _picked("first", mine, options.first), _picked("second", theirs, options.second)
    if mine is not theirs:
        pairs = list(product(firsts, seconds))
    elif options.first is None and options.second is None:
        pairs = list(combinations(firsts, 2))
    else:
        pairs = [(one, two) for one, two in product(firsts, seconds) if one != two]
    if len(pairs) > MAX_COMPARISONS:
        text = f"{len(pairs)} comparisons are more than {MAX_COMPARISONS}; pick heuristics with `first` and `second`"
        raise ProblemError("invalid-request", "there would be too many comparisons", [Fault("query:first", text)])
    return pairs


def _is_meant(text: str, series: Series, row: ExperimentRow) -> bool:
    return text == series.heuristic or row.expression in heuristic_texts(text, [row.puzzle])


def _picked(name: str, series: dict[Series, list[ExperimentRow]], heuristic: str | None) -> list[Series]:
    if heuristic is None:
        return list(series)
    found = [one for one, rows in series.items() if _is_meant(heuristic, one, rows[0])]
    if not found:
        text = f"no row has the heuristic {heuristic!r}; known: {', '.join(name_apart(series))}"
        raise ProblemError("invalid-request", "no such search setting", [Fault(f"query:{name}", text)])
    return found
