"""Request headers with a grammar of their own: ``Prefer`` (RFC 7240) and ``Idempotency-Key``.

>>> preferred_wait('respond-async, wait=10; foo="bar"')
10
>>> idempotency_key('"8e03978e-40d5-43dd-bc93-6894a57f9324"')
'8e03978e-40d5-43dd-bc93-6894a57f9324'
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from werkzeug.http import parse_list_header

from hstar.errors import Fault
from hstar.schema import Solve
from service.errors import ProblemError

MAX_KEY_LENGTH = 255

_WAIT = re.compile(r'\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?', re.IGNORECASE | re.ASCII)
_KEY = re.compile(r"[\x21-\x7e]{1,255}")


def preferred_wait(prefer: str | None) -> int | None:
    """Seconds of the first ``wait`` preference; None without one. What is malformed is ignored, as the RFC demands."""
    for preference in parse_list_header(prefer or ""):
        if found := _WAIT.fullmatch(preference):
            return int(found[1])
    return None


def idempotency_key(header: str | None) -> str | None:
    """The key, given as a quoted string (as in the IETF draft) or bare; raises `ProblemError` for neither."""
    if header is None:
        return None
    key = header.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if not _KEY.fullmatch(key):
        message = f"a key is 1 to {MAX_KEY_LENGTH} visible ASCII characters, without spaces"
        fault = Fault("header:Idempotency-Key", message)
        raise ProblemError("bad-request", "the Idempotency-Key cannot be read", [fault])
    return key


def retry_after(solve: Solve, now: datetime | None = None) -> int:
    """Seconds after which polling again makes sense: a tenth of the time it took so far, from 1 to 10."""
    started = solve.started_at or solve.created_at
    if started is None:
        return 1
    elapsed = ((now or datetime.now(UTC)) - started).total_seconds()
    return max(1, min(10, int(elapsed / 10)))
