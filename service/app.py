"""The application: `create_app` puts the parts together.

>>> app = create_app(Settings.from_env())                                         # doctest: +SKIP
"""

from __future__ import annotations

import re
import time
import uuid

import structlog
from apiflask import APIFlask
from flask import Response, g, request
from structlog.contextvars import bind_contextvars, clear_contextvars
from werkzeug.middleware.proxy_fix import ProxyFix

import hstar
import service.reading  # noqa: F401  # from here on APIFlask reads pydantic models strictly
from hstar.errors import Fault
from hstar.puzzles.added import looking_in
from service import manual, openapi, page, site
from service.access import DatabaseKeys, Gate, parse_api_keys
from service.apart import Helpers
from service.context import Context, context
from service.errors import ProblemError, register_errors
from service.formats import EVENTS
from service.long_polling import LongPolling
from service.metrics import count_requests
from service.rates import Rates
from service.reading import FIELDS_PARAMETER, MAX_BODY_BYTES
from service.resources import RESOURCES
from service.selection import compress, select_fields
from store.database import make_engine, make_sessions
from store.doorbell import Doorbell
from store.puzzles.definitions import StoredDefinitions
from store.settings import Settings

log = structlog.get_logger(__name__)

REQUEST_ID = "X-Request-Id"
# A valid request id of a client or a proxy: short, and without characters that could break a line of the log.
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")

SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}


def create_app(settings: Settings) -> APIFlask:
    """The service as a WSGI application; connects to nothing yet. Raises ValueError for malformed API keys."""
    app = APIFlask(
        "service",
        title="hstar",
        version=hstar.__version__,
        spec_path="/openapi.json",
        docs_path=None,
        json_errors=False,
        static_folder=None,  # type: ignore[arg-type]  # service.page serves the files
    )
    app.config.update(MAX_CONTENT_LENGTH=MAX_BODY_BYTES, MAX_FORM_MEMORY_SIZE=0, PROPAGATE_EXCEPTIONS=False)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.url_map.strict_slashes = False
    make_context(settings).attach(app.extensions)
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=settings.proxies)  # type: ignore[method-assign]
    count_requests(app)
    app.before_request(_name_request)
    _guard(app)
    register_errors(app)
    openapi.configure(app)
    for resource in RESOURCES:
        app.register_blueprint(resource.bp)
    app.register_blueprint(site.bp)
    app.register_blueprint(manual.bp)
    app.register_blueprint(page.bp)
    return app


def make_context(settings: Settings) -> Context:
    """What an application with these settings works with. Raises ValueError for malformed API keys."""
    keys = parse_api_keys(settings.api_keys)
    hosts = [host.strip().strip("[]").lower() for host in settings.allowed_hosts.split(",") if host.strip()]
    sessions = make_sessions(make_engine(settings.database_url, pool_size=max(2, settings.api_threads // 2)))
    doorbell = Doorbell(settings.broker_url)
    return Context(
        settings=settings,
        sessions=sessions,
        doorbell=doorbell,
        gate=Gate(
            keys,
            DatabaseKeys(sessions),
            Rates(settings.broker_url),
            hosts,
            most_wrong_keys=settings.wrong_keys_per_minute,
            most_requests=settings.requests_per_minute,
        ),
        long_polling=LongPolling(
            sessions, doorbell, most=max(1, settings.api_threads // 2), cap_seconds=settings.wait_cap_seconds
        ),
        helpers=Helpers(settings.api_threads),
    )


def _name_request() -> None:
    """Give the request an id (the client's, if it sent one), which every log line of the request has."""
    given = request.headers.get(REQUEST_ID, "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
    clear_contextvars()
    bind_contextvars(request_id=g.request_id)


def _guard(app: APIFlask) -> None:
    def check() -> None:
        here = context()
        g.principal = here.gate.check(request)
        g.quota = here.gate.count(g.principal)
        g.looking = looking_in(StoredDefinitions(here.sessions, g.principal.owner))
        g.looking.__enter__()
        _refuse_unknown_parameters(app)

    def finish(response: Response) -> Response:
        if request.path.startswith("/v1/"):
            response = select_fields(request, response)
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers[REQUEST_ID] = g.request_id
        if (quota := g.get("quota")) is not None:
            response.headers.update(quota.headers())
        if request.path.startswith("/v1/") and response.status_code < 400:
            response.headers.setdefault("Cache-Control", "private, no-cache")
            response.headers["Vary"] = "Authorization, Prefer, Accept"
            if response.mimetype == EVENTS:
                return response
            if request.method in ("GET", "HEAD"):
                response.add_etag()
                response.make_conditional(request)
        return compress(request, response)

    def write_log(response: Response) -> Response:
        # Successful health probes are not logged: they come every few seconds.
        if not request.path.startswith("/health/") or response.status_code >= 400:
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                # The id of the job that the request made, or was answered with before; the worker's log lines have it,
                # too.
                location=response.headers.get("Location"),
                owner=g.principal.owner if "principal" in g else None,
                seconds=round(time.perf_counter() - g.began, 4) if "began" in g else None,
            )
        return response

    def look_elsewhere(_error: BaseException | None) -> None:
        if (looking := g.pop("looking", None)) is not None:
            looking.__exit__(None, None, None)

    app.before_request(check)
    app.teardown_request(look_elsewhere)
    app.after_request(finish)
    app.after_request(write_log)


def _refuse_unknown_parameters(app: APIFlask) -> None:
    # Views that read the query check it themselves; for all others any parameter is a mistake.
    if not request.args or request.endpoint is None or not request.path.startswith("/v1/"):
        return
    spec = getattr(app.view_functions[request.endpoint], "_spec", {})
    others = [name for name in request.args if name != FIELDS_PARAMETER]
    if others and not any(location == "query" for _, location in spec.get("args", ())):
        faults = [Fault(f"query:{name}", "there is no such parameter here") for name in others]
        raise ProblemError("invalid-request", "this request takes no query parameters", faults)
