"""Access control: API keys, owners and roles, and the restrictions of a service without keys.

With keys, every request below ``/v1`` and ``/metrics`` must carry a Bearer token. Keys are in the database
(``hstar keys``, `store.owners.keys`), looked up at each request, so that a revocation takes effect at once; or in the
environment (``HSTAR_API_KEYS=alice:key1,bob:key2``), where each owner is an instructor without a course.

Without any key there is one owner, and the service is only for its own machine: it listens on loopback (`check_bind`),
answers only loopback clients, and only under a loopback name, so that a web page whose host name resolves to 127.0.0.1
cannot use it. Once the database has its first key this ends for good, within `LOOK_SECONDS`.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import socket
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Request
from sqlalchemy.exc import DBAPIError

from service.errors import ProblemError
from service.rates import REQUESTS, WRONG_KEYS, Quota, Rates
from store.database import Sessions
from store.owners import keys as made_keys
from store.owners.principal import LOCAL, Principal
from store.owners.roles import Role

# Headers that a proxy adds, in WSGI's names. A proxy on this machine has a loopback address, but its clients may not.
FORWARDED = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
HEALTH = "/health/"
OPEN_PATHS = (HEALTH, "/docs", "/manual", "/openapi.json", "/static/")
#: what a request without a key is told
_NO_KEY = (
    "the request carries no API key: send `Authorization: Bearer KEY`; hstar takes it from HSTAR_API_KEY or --api-key"
)
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?")
#: the principal of requests that need no key; owns nothing
NOBODY = Principal("")
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
#: of a key in HSTAR_API_KEYS
LEAST_KEY_LENGTH = 16
#: how often a service without keys checks whether the database has one
LOOK_SECONDS = 1.0


class AddressError(ValueError):
    """The service must not listen on the address that it was given."""


@dataclass(frozen=True, slots=True)
class EnvironmentKey:
    """An owner and the SHA-256 of their key. Digests have one length, so comparing leaks no key's length."""

    owner: str
    digest: bytes


def parse_api_keys(text: str) -> tuple[EnvironmentKey, ...]:
    """Parse ``owner:key,owner:key``; an owner may have several keys. Raises ValueError, whose message shows no key."""
    keys = []
    for number, entry in enumerate(filter(None, (part.strip() for part in text.split(","))), 1):
        owner, colon, key = entry.partition(":")
        if not (colon and owner and key) or len(owner) > 64 or not (owner.isprintable() and key.isascii()):
            raise ValueError(f"HSTAR_API_KEYS: entry {number} is not owner:key")
        if len(key) < LEAST_KEY_LENGTH:
            raise ValueError(f"HSTAR_API_KEYS: the key of entry {number} has fewer than {LEAST_KEY_LENGTH} characters")
        keys.append(EnvironmentKey(owner, hashlib.sha256(key.encode()).digest()))
    if len({key.digest for key in keys}) != len(keys):
        raise ValueError("HSTAR_API_KEYS: a key appears more than once")
    return tuple(keys)


class DatabaseKeys:
    """The keys in the database, and whether there was ever one."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._any = False
        self._look_at = 0.0

    def any_made(self) -> bool:
        """Whether a key was ever made; until there is one, looked up at most once in `LOOK_SECONDS`."""
        if not self._any and time.monotonic() >= self._look_at:
            with self._sessions.read() as session:
                self._any = made_keys.any_made(session)
            self._look_at = time.monotonic() + LOOK_SECONDS
        return self._any

    def any_known(self) -> bool:
        """The last known answer of `any_made`: for requests that must be answered without the database."""
        return self._any

    def find(self, key: str) -> Principal | None:
        """The principal of a key, looked up without a cache."""
        if not made_keys.FORM.fullmatch(key):
            return None
        with self._sessions.read() as session:
            return made_keys.find(session, made_keys.digest(key))


@dataclass(frozen=True, slots=True)
class Gate:
    """The checks that come before every view."""

    keys: Sequence[EnvironmentKey]
    made: DatabaseKeys
    rates: Rates
    hosts: Sequence[str] = ()
    #: limits a minute: wrong keys from one address, and requests of one owner; 0: no limit
    most_wrong_keys: int = 0
    most_requests: int = 0

    def count(self, principal: Principal) -> Quota | None:
        """Count a request with a key; raises `ProblemError` if the owner sent too many."""
        if not self.most_requests or principal is NOBODY or principal is LOCAL:
            return None
        quota = self.rates.count(REQUESTS, self.most_requests, principal.owner)
        if not quota.allowed:
            headers = {"Retry-After": str(quota.reset), **quota.headers()}
            detail = f"more than {quota.limit} requests of {principal.owner} within a minute"
            raise ProblemError("too-many-requests", detail, headers=headers)
        return quota

    def secured(self) -> bool:
        """Whether requests need a key; the last known answer while the database does not answer."""
        try:
            return bool(self.keys) or self.made.any_made()
        except DBAPIError:
            return self.made.any_known()

    def check(self, request: Request) -> Principal:
        """The principal of ``request``; raises `ProblemError` if the request is refused."""
        is_open = request.path == "/" or request.path.startswith(OPEN_PATHS)
        secured = bool(self.keys) or (self.made.any_known() if is_open else self.made.any_made())
        self._check_host(request, secured)
        self._check_site(request)
        if not secured:
            if not is_loopback(request.remote_addr or ""):
                raise ProblemError("forbidden", "the service has no API keys, so it answers only its own machine")
            if any(name.startswith(FORWARDED) for name in request.environ):
                raise ProblemError("forbidden", "the service has no API keys, so it refuses requests from a proxy")
            return LOCAL
        if is_open:
            return NOBODY
        return self._authenticate(request)

    def _authenticate(self, request: Request) -> Principal:
        given = request.authorization
        token = (given.token if given is not None and given.type == "bearer" else None) or ""
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        # Looked up by digest: timing could at most leak a digest, from which no key can be made. Nobody can guess 256
        # bits, so these keys are accepted however many wrong keys came from the same address (it may be a whole
        # class's).
        found = self.made.find(token)
        if found is not None:
            return found
        # A key of the environment was chosen by a person and might be guessed, so the limit of wrong keys holds for it.
        address = request.remote_addr or ""
        if token and self.most_wrong_keys:
            quota = self.rates.look(WRONG_KEYS, self.most_wrong_keys, address)
            if not quota.allowed:
                detail = f"more than {quota.limit} wrong API keys from this address within a minute"
                raise ProblemError("too-many-wrong-keys", detail, headers={"Retry-After": str(quota.reset)})
        # Every key is compared in full, so that timing does not leak which one matched or how many characters did.
        owners = [key.owner for key in self.keys if hmac.compare_digest(key.digest, digest)]
        if token and owners:
            return Principal(owners[0], Role.INSTRUCTOR)
        if token and self.most_wrong_keys:
            self.rates.count(WRONG_KEYS, self.most_wrong_keys, address)
        detail = "the API key is unknown, revoked or expired" if token else _NO_KEY
        challenge = 'Bearer realm="hstar"' + (', error="invalid_token"' if token else "")
        raise ProblemError("unauthorized", detail, headers={"WWW-Authenticate": challenge})

    def _check_host(self, request: Request, secured: bool) -> None:
        name = _name_in(request.host) if _HOST.fullmatch(request.host) else None
        if name is None:
            raise ProblemError("bad-request", "the Host header cannot be read")
        # Supervisors and load balancers ask for the health under any name, mostly an address.
        hosts = () if self.hosts and request.path.startswith(HEALTH) else self.hosts
        hosts = hosts or (() if secured or self.hosts else LOOPBACK_NAMES)
        if hosts and name not in hosts:
            raise ProblemError("misdirected-host", f"{request.host!r} is not a name of this service")

    @staticmethod
    def _check_site(request: Request) -> None:
        if request.method in SAFE_METHODS:
            return
        origin = request.headers.get("Origin")
        foreign = origin is not None and _place(origin) != request.host.lower()
        if foreign or request.headers.get("Sec-Fetch-Site") == "cross-site":
            raise ProblemError("forbidden", "requests from other web sites may not change anything")


def _name_in(host: str) -> str | None:
    """The name in a Host header, in lower case without its port; None if there is none."""
    # Not werkzeug's host_is_trusted: it mistakes the colons of an IPv6 address for the port's.
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _place(origin: str) -> str | None:
    """The host and port of an Origin header, in lower case; None if it cannot be read."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def is_loopback(address: str) -> bool:
    """Whether ``address`` (an IP address; empty for a Unix socket) is on this machine."""
    if not address:
        return True
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback


def check_bind(binds: Iterable[str], secured: bool) -> None:
    """Raise `AddressError` if a service without keys (not ``secured``) would listen on more than loopback.

    binds: addresses as gunicorn takes them, such as 127.0.0.1:8000, [::1]:8000, unix:/run/hstar.sock.
    """
    if secured:
        return
    for bind in binds:
        if bind.startswith(("unix:", "fd://")):
            continue
        host = urlsplit(f"//{bind.removeprefix('tcp://')}").hostname or "0.0.0.0"
        try:
            addresses = {str(found[4][0]) for found in socket.getaddrinfo(host, None)}
        except OSError:
            addresses = {host}
        if not all(map(is_loopback, addresses)):
            raise AddressError(
                f"hstar has no API keys, so it may listen on loopback only, not on {bind}. Make one (python -m store "
                "keys create NAME --role operator), or set HSTAR_API_KEYS=owner:key[,owner:key...], or "
                "HSTAR_BIND=127.0.0.1:8000."
            )


def any_key(sessions: Sessions) -> bool:
    """Whether the database has ever had a key; also False if there is no database or it was never migrated."""
    try:
        with sessions.read() as session:
            return made_keys.any_made(session)
    except DBAPIError:
        return False
