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
from service.errors import ProblemError

# A key, bare or as the quoted string of the IETF draft; in both it is what stands between the quotes.
KEY_PATTERN = r'^([!#-~]{1,255}|"[!#-~]{1,255}")$'

_WAIT = re.compile(r'\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?', re.IGNORECASE | re.ASCII)


def preferred_wait(prefer: str | None) -> int | None:
    """Seconds of the first ``wait`` preference; None without one. What is malformed is ignored, as the RFC demands."""
    for preference in parse_list_header(prefer or ""):
        if found := _WAIT.fullmatch(preference):
            return int(found[1])
    return None


def idempotency_key(header: str | None) -> str | None:
    """The key, without its quotes if it has them; raises `ProblemError` for what is no key."""
    if header is None:
        return None
    if not re.fullmatch(KEY_PATTERN, header):
        message = "a key is 1 to 255 visible ASCII characters, bare or in double quotes, without spaces and quotes"
        fault = Fault("header:Idempotency-Key", message)
        raise ProblemError("bad-request", "the Idempotency-Key cannot be read", [fault])
    return header.strip('"')


def retry_after(since: datetime | None, now: datetime | None = None) -> int:
    """Seconds after which polling again makes sense: a tenth of the time since then, from 1 to 10."""
    if since is None:
        return 1
    elapsed = ((now or datetime.now(UTC)) - since).total_seconds()
    return max(1, min(10, int(elapsed / 10)))
