"""Messages of webhooks: what they say, and how they are signed, as Standard Webhooks has it (standardwebhooks.com).

>>> secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
>>> sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
"""

from __future__ import annotations

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import Field

from hstar.schema import JobStatus, Out, SolveOutcome

SECRET_PREFIX = "whsec_"
#: a message is refused if its time is further away than this, so that a recorded one cannot be sent again later
TOLERANCE_SECONDS = 300


class Ended(Out):
    """The job or experiment that has ended; ``url`` has all of it."""

    id: str = Field(description="of the job or experiment")
    kind: str = Field(description="the kind of the job, or `experiment`")
    status: JobStatus
    outcome: SolveOutcome | None = Field(None, description="how a search ended; null: it is none, or is not done")
    url: str = Field(description="path of the whole object")
    finished_at: datetime = Field(description="when it ended (UTC)")


class WebhookMessage(Out):
    """The body of a message."""

    type: Literal["job.ended", "experiment.ended"] = Field(description="what has happened")
    timestamp: datetime = Field(description="when it was sent (UTC)")
    data: Ended = Field(description="the job or experiment that has ended")


def sign(secret: str, id: str, timestamp: int, body: bytes) -> str:
    """The header ``webhook-signature`` of a message; ``timestamp``: seconds since 1970."""
    key = b64decode(secret.removeprefix(SECRET_PREFIX))
    digest = hmac.digest(key, f"{id}.{timestamp}.".encode() + body, "sha256")
    return "v1," + b64encode(digest).decode()


def is_genuine(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> bool:
    """Whether a message has been signed with the secret within the last five minutes.

    :param headers: of the request; their names in lower case, or a mapping that ignores case
    :param body: as it came, before it is parsed
    """
    try:
        id, timestamp, given = (headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        sent = int(timestamp)
    except (KeyError, ValueError):
        return False
    if abs((time.time() if now is None else now) - sent) > TOLERANCE_SECONDS:
        return False
    expected = sign(secret, id, sent, body).encode()
    return any(hmac.compare_digest(one.encode(), expected) for one in given.split(" "))
