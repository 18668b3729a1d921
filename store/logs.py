"""Logging for all our programs: one line for each event on standard error, as text at a terminal and JSON otherwise."""

from __future__ import annotations

import logging
import os
import sys

import structlog


def configure(level: str = "") -> None:
    """Format all log records, ours and the libraries', in one way.

    The level is ``level``, else ``HSTAR_LOG_LEVEL``, else ``info``; ``HSTAR_LOG_FORMAT`` is ``text`` or ``json``.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    wanted = os.environ.get("HSTAR_LOG_FORMAT") or ("text" if sys.stderr.isatty() else "json")
    last: list[structlog.typing.Processor]
    if wanted == "json":
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        # Not rich's tracebacks, because they print every local variable: passwords, keys, whole requests.
        plain = structlog.dev.plain_traceback
        last = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel((level or os.environ.get("HSTAR_LOG_LEVEL") or "info").upper())
    # Celery's line for each wake-up message is useless: the runner logs the jobs.
    logging.getLogger("celery.app.trace").setLevel(logging.WARNING)
    logging.getLogger("celery.worker.strategy").setLevel(logging.WARNING)
