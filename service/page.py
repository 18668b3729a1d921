"""The page for people at ``/`` and its files below ``/static/``: the bundle that `make web` builds from ``web/``.

The files are small enough to be kept in memory, each also compressed. Their names contain a digest of their contents,
so browsers may cache them for ever; ``/`` itself is requested every time.
"""

from __future__ import annotations

import gzip
import mimetypes
from functools import cache
from pathlib import Path

from apiflask import APIBlueprint
from flask import Response, request

from service.errors import ProblemError

bp = APIBlueprint("page", __name__, enable_openapi=False)

BUNDLE = Path(__file__).parent / "static"

#: the one inline style of the page, set by Observable Plot, the same for every plot
#: (web/src/experiments/plot.ts)
PLOT_STYLE = "'sha256-CwqaIHRj8tayU9HaK/Lg4WR3seoL0Ma6YJipeqC7rxo='"

#: only scripts, styles and requests of this host; pictures may also be data and blob URLs
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {PLOT_STYLE}; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

COMPRESSED = (".html", ".js", ".css", ".svg", ".txt")


@bp.get("/")
def page() -> Response:
    """The page. Its view is in the fragment (``#...``) of the address, which browsers do not send."""
    response = _file("index.html")
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-cache"
    return response


@bp.get("/static/<path:name>")
def file(name: str) -> Response:
    """One file of the bundle."""
    if name not in _names():
        raise ProblemError("not-found", f"there is no file {name!r}")
    response = _file(name)
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response


def _file(name: str) -> Response:
    compress = name.endswith(COMPRESSED) and request.accept_encodings["gzip"] > 0
    content_type, _ = mimetypes.guess_type(name)
    response = Response(_compressed(name) if compress else _content(name), content_type=_typed(content_type))
    if compress:
        response.headers["Content-Encoding"] = "gzip"
    response.headers["Vary"] = "Accept-Encoding"
    response.add_etag()
    response.make_conditional(request)
    return response


def _typed(content_type: str | None) -> str:
    if content_type is None:
        return "application/octet-stream"
    return f"{content_type}; charset=utf-8" if content_type.startswith("text/") else content_type


@cache
def _names() -> frozenset[str]:
    return frozenset(path.relative_to(BUNDLE).as_posix() for path in BUNDLE.rglob("*") if path.is_file())


@cache
def _content(name: str) -> bytes:
    return (BUNDLE / name).read_bytes()


@cache
def _compressed(name: str) -> bytes:
    return gzip.compress(_content(name), mtime=0)
