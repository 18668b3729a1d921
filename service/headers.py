"""Request headers with their own grammar: ``Prefer`` (RFC 7240) and ``Idempotency-Key``.

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
from service.errors import ProblemError

# A key, bare or in quotes as in the IETF draft; the quotes are not part of the key.
KEY_PATTERN = r'^([!#-~]{1,255}|"[!#-~]{1,255}")$'

_WAIT = re.compile(r'\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?', re.IGNORECASE | re.ASCII)


def preferred_wait(prefer: str | None) -> int | None:
    """Seconds of the first ``wait`` preference; None without one. Malformed preferences are ignored (RFC 7240)."""
    for preference in parse_list_header(prefer or ""):
        if found := _WAIT.fullmatch(preference):
            return int(found[1])
    return None


def idempotency_key(header: str | None) -> str | None:
    """The key, without its quotes if it has them; raises `ProblemError` if it is malformed."""
    if header is None:
        return None
    if not re.fullmatch(KEY_PATTERN, header):
        message = "a key is 1 to 255 visible ASCII characters, bare or in double quotes, without spaces and quotes"
        fault = Fault("header:Idempotency-Key", message)
        raise ProblemError("bad-request", "the Idempotency-Key cannot be read", [fault])
    return header.strip('"')


def retry_after(since: datetime | None, now: datetime | None = None) -> int:
    """Seconds until the next poll makes sense: a tenth of the time since then, from 1 to 10."""
    if since is None:
        return 1
    elapsed = ((now or datetime.now(UTC)) - since).total_seconds()
    return max(1, min(10, int(elapsed / 10)))
