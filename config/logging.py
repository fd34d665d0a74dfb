"""Structured logs: readable on a terminal, otherwise JSON. Constant event names, data in keywords, ids but never content."""

import logging
import os
import sys
from typing import Any

import structlog

from config.settings import Settings, unknown_settings


def configure_logging(settings: Settings) -> None:
    """Route structlog and the standard library's loggers through the same processors to standard error.

    Each process of the service calls this at its start, and logs the settings it does not know.
    """
    console = settings.log_format == "console" or (settings.log_format == "auto" and sys.stderr.isatty())
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.dev.ConsoleRenderer() if console else structlog.processors.JSONRenderer()
    handler = logging.StreamHandler(sys.stderr)
    clean: Any = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    shown = [renderer] if console else [structlog.processors.format_exc_info, renderer]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[clean, *shown]))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("httpx", "httpx2", "httpcore", "openai", "kombu", "alembic", "celery.redirected"):
        logging.getLogger(name).setLevel(logging.WARNING)
    for name, resembled in unknown_settings(os.environ).items():
        structlog.get_logger().warning("setting_unknown", setting=name, resembles=resembled)
