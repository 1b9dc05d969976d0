"""How the service's log reads: one line a message, UTC, to standard error."""

from __future__ import annotations

import logging
import time
from typing import Any


class UtcFormatter(logging.Formatter):
    """Writes times as `2026-11-20T10:00:00Z`."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = ""


def log_config(level: str) -> dict[str, Any]:
    """Give the logging configuration of the supervisor and of every worker."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": UtcFormatter, "fmt": "%(asctime)s %(levelname)-7s %(message)s"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"}},
        "loggers": {
            "cambist": {"handlers": ["stderr"], "level": level.upper(), "propagate": False},
            "granian.access": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
            "_granian": {"handlers": ["stderr"], "propagate": False},
        },
    }
