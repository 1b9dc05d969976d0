"""The log of the service: one line for each message, times in UTC, to standard error."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from typing import Any

_LINE = "%(asctime)s %(levelname)-7s %(message)s"


_KEY = re.compile(r"cmb_[0-9A-Za-z]{5,}", re.IGNORECASE)
"""What may be an API key: longer than the prefix that names one."""

_LONGEST_PATH = 200


class UtcFormatter(logging.Formatter):
    """Formats times as `2026-11-20T10:00:00Z`, and hides API keys."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = ""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a message."""
        return _KEY.sub("cmb_…", super().format(record))


class AccessFormatter(UtcFormatter):
    """Formats one line for each HTTP answer: it escapes control characters of the path, and cuts a long path."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an answer."""
        fields = record.args
        if isinstance(fields, Mapping) and len(path := str(fields.get("path"))) > _LONGEST_PATH:
            cut = f"{path[:_LONGEST_PATH]}… {len(path)} characters"
            record = logging.makeLogRecord({**vars(record), "args": {**fields, "path": cut}})
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in super().format(record))


def log_config(level: str) -> dict[str, Any]:
    """Return the logging configuration of every process."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": UtcFormatter, "fmt": _LINE}, "access": {"()": AccessFormatter, "fmt": _LINE}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line", "stream": "ext://sys.stderr"},
            "access": {"class": "logging.StreamHandler", "formatter": "access", "stream": "ext://sys.stderr"},
        },
        "loggers": {
            "cambist": {"handlers": ["stderr"], "level": level.upper(), "propagate": False},
            "cambist.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        },
    }
