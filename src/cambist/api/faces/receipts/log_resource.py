"""`/log/…`: the static files of the public log of editions, open to all."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from math import ceil

import falcon

from cambist.api import errors
from cambist.api.state.worker_state import WorkerState
from cambist.transparency.tiles import CHECKPOINT, KEYS, is_log_path

TEMPLATE = "/log/{name:path}"

_SHORT = "public, max-age=5"
_LONG = "public, max-age=31536000, immutable"

_NOT_YET = errors.Problem(404, "no_checkpoint_yet")
_SIGNING = timedelta(minutes=2)
"""The service looks once a minute whether a day has ended, and then signs."""


class LogResource:
    """Answers GET and HEAD with a file of the log. Tiles never change; the checkpoint does once a day."""

    def __init__(self, worker_state: WorkerState) -> None:
        self._worker_state = worker_state

    def on_get(self, _request: falcon.Request, response: falcon.Response, name: str) -> None:
        """Answer with a file."""
        folder = self._worker_state.readers.log_folder
        if folder is None or not is_log_path(name):
            raise falcon.HTTPNotFound
        try:
            content = (folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            if name not in (CHECKPOINT, KEYS):
                raise falcon.HTTPNotFound from None
            self._refuse_until_midnight(response)
            return
        is_tile = name.startswith("tile/")
        response.content_type = "application/octet-stream" if is_tile else "text/plain; charset=utf-8"
        response.set_header("Cache-Control", _LONG if is_tile else _SHORT)
        response.data = content

    on_head = on_get

    def _refuse_until_midnight(self, response: falcon.Response) -> None:
        """Answer that nothing was signed yet, what for, and when it will be."""
        now = datetime.fromtimestamp(self._worker_state.clock(), UTC)
        midnight = datetime.combine((now - _SIGNING).date() + timedelta(days=1), time(), UTC)
        wait = ceil((midnight + _SIGNING - now).total_seconds())
        more = (("Retry-After", str(wait)), ("Cache-Control", _SHORT))
        errors.write_response(response, errors.error_response(_NOT_YET, _sentence(midnight), *more))


def _sentence(midnight: datetime) -> str:
    return (
        "The log has no checkpoint yet: the first is signed when a day (UTC) with an edition has ended, shortly after "
        f"{midnight:%Y-%m-%dT%H:%M:%SZ}"
    )
