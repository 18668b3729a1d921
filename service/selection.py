"""Selection and compression of answers: the fields that the client asks for, and gzip.

    GET /v1/jobs?fields=id,status,counters.expanded

In a list the fields are those of each item. An unknown name is refused, with a suggestion.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from flask import Request, Response

from hstar.errors import MAX_NAME, Fault, clipped
from service.errors import ERROR_KINDS, problem_response
from service.reading import FIELDS_PARAMETER

MOST_FIELDS = 64
# A shorter answer is one packet anyway.
LEAST_BYTES = 1400
LEVEL = 5
COMPRESSIBLE = ("application/json", "application/problem+json", "text/", "image/svg+xml")


def select_fields(request: Request, response: Response) -> Response:
    """The answer reduced to the fields of the query; unchanged without that parameter."""
    wanted = request.args.get(FIELDS_PARAMETER)
    if wanted is None or response.mimetype != "application/json" or response.status_code >= 300:
        return response
    answer = None if response.is_streamed else json.loads(response.get_data())
    if not isinstance(answer, dict):
        return response
    is_list = isinstance(answer.get("items"), list)
    items = answer["items"] if is_list else [answer]
    paths = [name.strip() for name in wanted.split(",") if name.strip()]
    faults = [fault for path in paths[:MOST_FIELDS] if (fault := _fault(items, path))]
    if not paths or len(paths) > MOST_FIELDS:
        faults = [Fault(f"query:{FIELDS_PARAMETER}", f"expected 1 to {MOST_FIELDS} names, separated by commas")]
    if faults:
        return problem_response(ERROR_KINDS["invalid-request"], "the answer has no such field", faults)
    tree = _tree(paths)
    picked = [_picked(item, tree) for item in items]
    response.set_data(json.dumps({**answer, "items": picked} if is_list else picked[0], separators=(",", ":")))
    return response


def compress(request: Request, response: Response) -> Response:
    """The answer in gzip, if the client accepts it and it is large enough; files are compressed while they are sent."""
    others = response.headers.get("Vary", "")
    if "Accept-Encoding" not in others:
        response.headers["Vary"] = f"{others}, Accept-Encoding".removeprefix(", ")
    if (
        "HTTP_ACCEPT_ENCODING" not in request.environ  # werkzeug is slow to parse an absent header
        or request.accept_encodings["gzip"] <= 0
        or request.method == "HEAD"
        or response.status_code in (204, 206, 304)
        or "Content-Encoding" in response.headers
        or not (response.mimetype or "").startswith(COMPRESSIBLE)
    ):
        return response
    if response.is_streamed:
        if (response.content_length or LEAST_BYTES) < LEAST_BYTES:
            return response
        response.direct_passthrough = False
        response.response = _gzipped(response.iter_encoded())
        del response.headers["Content-Length"]
    else:
        data = response.get_data()
        if len(data) < LEAST_BYTES:
            return response
        response.set_data(gzip.compress(data, LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:  # the bytes differ, the meaning does not
        response.set_etag(etag, weak=True)
    return response


def _gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(LEVEL, wbits=zlib.MAX_WBITS | 16)
    for piece in pieces:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _fault(items: list[dict[str, Any]], path: str) -> Fault | None:
    """The fault if no item can have this field; None below a null, where any field may exist."""
    for item in items:
        here: Any = item
        for name in path.split("."):
            if not isinstance(here, dict):
                break
            if name not in here:
                close = get_close_matches(name[:MAX_NAME], list(here), n=1)
                meant = f"did you mean {close[0]!r}?" if close else f"Known: {', '.join(here)}"
                return Fault(f"query:{FIELDS_PARAMETER}", f"there is no field {clipped(path, MAX_NAME)!r}; {meant}")
            here = here[name]
    return None


def _tree(paths: Iterable[str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for path in sorted(paths, key=len, reverse=True):
        *above, last = path.split(".")
        here = tree
        for name in above:
            here = here.setdefault(name, {})
        here[last] = {}  # all of it, even if parts of it were named, too
    return tree


def _picked(value: Any, tree: dict[str, Any]) -> Any:
    if not tree or not isinstance(value, dict):
        return value
    return {name: _picked(part, tree[name]) for name, part in value.items() if name in tree}
