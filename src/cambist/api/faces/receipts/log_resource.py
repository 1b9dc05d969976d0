"""`/log/…`: the static files of the public log of editions, open to all."""

from __future__ import annotations

import falcon

from cambist.api.state.worker_state import WorkerState
from cambist.transparency.tiles import is_log_path

TEMPLATE = "/log/{name:path}"

_SHORT = "public, max-age=5"
_LONG = "public, max-age=31536000, immutable"


class LogResource:
    """Answers GET and HEAD with a file of the log. Tiles never change; the checkpoint does once a day."""

    def __init__(self, worker_state: WorkerState) -> None:
        self._worker_state = worker_state

    def on_get(self, _request: falcon.Request, response: falcon.Response, name: str) -> None:
        """Answer with a file."""
        folder = self._worker_state.log_folder
        if folder is None or not is_log_path(name):
            raise falcon.HTTPNotFound
        try:
            content = (folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise falcon.HTTPNotFound from None
        is_tile = name.startswith("tile/")
        response.content_type = "application/octet-stream" if is_tile else "text/plain; charset=utf-8"
        response.set_header("Cache-Control", _LONG if is_tile else _SHORT)
        response.data = content

    on_head = on_get
