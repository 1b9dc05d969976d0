"""The log of the service, to standard error: one line for each message, as text or as JSON, with times in UTC."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from cambist.redaction import without_keys

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
"""The identifier of the request that is being answered, which its messages have; empty: none is."""

_LINE = "%(asctime)s %(levelname)-7s %(message)s"

_LONGEST_PATH = 200


class UtcFormatter(logging.Formatter):
    """Formats times as `2026-11-20T10:00:00Z`, names the request if there is one, and hides API keys."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = ""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a message."""
        return without_keys(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  its name in the standard library
        """Return the line without a traceback."""
        request_id = REQUEST_ID.get()
        line = super().formatMessage(record)
        return f"{line} [request {request_id}]" if request_id else line


class AccessFormatter(UtcFormatter):
    """Formats one line for each HTTP answer: it escapes control characters of the path, and cuts a long path."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of an answer."""
        fields = record.args
        if isinstance(fields, Mapping):
            record = logging.makeLogRecord(
                {**vars(record), "args": {**fields, "path": _short(str(fields.get("path")))}}
            )
        return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats a message as one line of JSON, that of an HTTP answer with its fields, and hides API keys."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a message."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        if request_id := REQUEST_ID.get():
            fields["request_id"] = request_id
        if isinstance(record.args, Mapping):
            fields |= record.args
            fields["path"] = _short(str(fields.get("path")))
            del fields["message"]
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return without_keys(json.dumps(fields, ensure_ascii=False, default=str))


def _short(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}… {len(path)} characters"


def log_config(level: str, form: str = "text", access_log_file: str = "") -> dict[str, Any]:
    """Return the logging configuration of every process; `form` is `text` or `json`."""
    as_json = {"()": JsonFormatter}
    formatters = {"line": {"()": UtcFormatter, "fmt": _LINE}, "access": {"()": AccessFormatter, "fmt": _LINE}}
    stderr = {"class": "logging.StreamHandler", "stream": "ext://sys.stderr"}
    to_file = {"class": "cambist.log_file.RotatedFileHandler", "path": access_log_file}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters if form == "text" else {"line": as_json, "access": as_json},
        "handlers": {
            "stderr": {**stderr, "formatter": "line"},
            "access": {**(to_file if access_log_file else stderr), "formatter": "access"},
        },
        "loggers": {
            "cambist": {"handlers": ["stderr"], "level": level.upper(), "propagate": False},
            "cambist.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
        },
    }
