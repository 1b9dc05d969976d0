"""How the service's log reads: one line a message, UTC, to standard error."""

from __future__ import annotations

import logging
import time
from typing import Any

_LINE = "%(asctime)s %(levelname)-7s %(message)s"


class UtcFormatter(logging.Formatter):
    """Writes times as `2026-11-20T10:00:00Z`."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = ""


class OneLineFormatter(UtcFormatter):
    """Escapes what a client may have put into a path to write lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  the name is logging's
        """Write the line with control characters escaped."""
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in super().formatMessage(record))


def log_config(level: str) -> dict[str, Any]:
    """Give the logging configuration of the supervisor and of every worker."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": UtcFormatter, "fmt": _LINE}, "one line": {"()": OneLineFormatter, "fmt": _LINE}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"},
            "access": {"class": "logging.StreamHandler", "formatter": "one line", "stream": "ext://sys.stderr"},
        },
        "loggers": {
            "cambist": {"handlers": ["stderr"], "level": level.upper(), "propagate": False},
            "granian.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
            "_granian": {"handlers": ["stderr"], "propagate": False},
        },
    }
