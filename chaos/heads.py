"""`python -m chaos heads`: random heads and bodies, in random pieces, read as the service reads them, and at once.

The service decides in its loop when to ask gunicorn's parser, which alone decides what a request is
(`service/server.py`). So the requests that it reads from pieces must be those that the parser reads from all bytes at
once: none more, none other, and none less unless a head is too large.

>>> told = Counter()
>>> compare(random.Random(1), told)
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from gunicorn.config import Config
from gunicorn.http import get_parser
from gunicorn.http.errors import NoMoreData

from service.server import MOST_FIELDS, MOST_LINE_BYTES, Arrival, Arrived, HeadTooLargeError

JSON = b"Content-Type: application/json\r\n"
BODY = b'{"puzzle": "8-puzzle", "alg": ""}'
#: what is changed
WHOLE = (
    b"GET /v1/limits HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"HEAD /health/live HTTP/1.0\r\n\r\n",
    b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    b"POST /v1/solves HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    b"%x\r\n%s\r\n%x;a=b\r\n%s\r\n0\r\n\r\n" % (7, BODY[:7], len(BODY) - 7, BODY[7:]),
    b"POST /v1/states HTTP/1.1\r\nHost: localhost\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    b"%x\r\n%s\r\n0\r\nX-Note: a\r\n\r\n" % (len(BODY), BODY),
    b"POST /v1/solves HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
    b"GET /v1/puzzles/x%20y?fields=a,b HTTP/1.1\r\nHost: [::1]:8000\r\nConnection: close\r\n\r\n",
)
#: what is put in
TOKENS = (
    b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b" ", b"\t", b":", b";", b",", b"0", b"-", b"+", b"0\r\n\r\n",
    b"ffffffffff", b"9" * 25, b"Content-Length: 5\r\n", b"Content-Length: 0\r\n", b"content-length:\t33\r\n",
    b"Content-Length : 5\r\n", b"Content-Length: +5\r\n", b"Content-Length: 5, 5\r\n",
    b"Transfer-Encoding: chunked\r\n", b"TRANSFER-ENCODING: x\r\n", b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer_Encoding: chunked\r\n",
    b"Transfer-Encoding:\x0bchunked\r\n", b" folded\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n",
    b"X: " + b"a" * 9000 + b"\r\n", b"HTTP/0.9", b"\xff\xfe", b"GET / HTTP/1.1\r\n", b"X: " + b"b" * 66000,
)  # fmt: skip


def message(chance: random.Random) -> bytes:
    """One to three requests after each other, with up to five changes."""
    made = bytearray(b"".join(chance.choice(WHOLE) for _ in range(chance.choice((1, 1, 2, 3)))))
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3, 5))):
        at = chance.randrange(len(made) + 1)
        match chance.randrange(5):
            case 0:
                made[at:at] = chance.choice(TOKENS)
            case 1:
                del made[at : at + chance.randint(1, 12)]
            case 2:
                made[at : at + 1] = bytes([chance.randrange(256)])
            case 3:
                end = at + chance.randint(1, 40)
                made[at:at] = made[at:end]
            case _:
                # Where a line begins: another line.
                starts = [found + 2 for found in range(len(made)) if made.startswith(b"\r\n", found)] or [0]
                at = chance.choice(starts)
                made[at:at] = chance.choice(TOKENS)
    return bytes(made)


def pieces_of(whole: bytes, chance: random.Random) -> list[bytes]:
    """The same bytes, in up to eight pieces."""
    cuts = sorted(chance.randrange(len(whole) + 1) for _ in range(chance.randrange(8)))
    return [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


@cache
def _config() -> Config:
    config = Config()
    config.set("limit_request_line", MOST_LINE_BYTES)
    config.set("limit_request_field_size", MOST_LINE_BYTES)
    config.set("limit_request_fields", MOST_FIELDS)
    return config


#: method, address, version, headers and body; () after the last
Request = tuple[Any, ...]


def _next(parser: Any) -> Request | None:
    """The next request; None: refused, or it ends too early."""
    try:
        request = next(parser)
        body = bytearray()
        while piece := request.body.read(2**16):
            body += piece
    except (StopIteration, NoMoreData):
        return None
    except Exception:  # each of the parser's refusals is one
        return None
    length = next((value for name, value in request.headers if name == "CONTENT-LENGTH"), None)
    if length is not None and len(body) < int(length):
        return None
    return (request.method, request.uri, request.version, tuple(request.headers), bytes(body))


def _parser() -> Any:
    parser = get_parser(_config(), [], ("127.0.0.1", 1))
    parser.unreader = Arrived()
    return parser


def at_once(whole: bytes) -> list[Request]:
    """What gunicorn's parser reads from all bytes."""
    parser, found = _parser(), []
    parser.unreader.unread(whole)
    while (request := _next(parser)) is not None:
        found.append(request)
    return found


def in_pieces(pieces: Iterable[bytes]) -> Iterator[Request]:
    """What the service reads from pieces, up to where it closes the connection; raises `HeadTooLargeError`."""
    pieces, parser = iter(pieces), _parser()
    while True:
        arrival, ended = Arrival(None, 0, 0, bytearray(parser.unreader.take_buffered())), False
        while not ended and not arrival.complete():
            piece = next(pieces, None)
            ended = piece is None
            arrival.data += piece or b""
        if not arrival.data:
            return
        parser.unreader.unread(bytes(arrival.data))
        request = _next(parser)
        if request is None:
            return
        yield request
        if parser.unreader.exhausted or parser.mesg.should_close() or not parser.finish_body():
            return


def compare(chance: random.Random, told: Counter[str]) -> str | None:
    """Read one random message in both ways; returns how they disagree. ``told``: what it was."""
    whole = message(chance)
    pieces = pieces_of(whole, chance)
    mine: list[Request] = []
    with suppress(HeadTooLargeError):
        mine += in_pieces(pieces)
        mine.append(())
    every = [*at_once(whole), ()]
    told["messages"] += 1
    told["requests"] += sum(one != () for one in mine)
    if mine != every[: len(mine)]:
        return f"{pieces}\n  in pieces: {mine}\n  at once: {every}"
    return None
