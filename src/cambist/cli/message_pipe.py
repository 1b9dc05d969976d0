"""Messages of the Model Context Protocol over a pair of pipes: one on each line."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from cambist.api.faces.mcp.messages import INTERNAL_ERROR, ProtocolError
from cambist.api.faces.mcp.protocol import CallTool, ToolResult, reply_to

log = logging.getLogger(__name__)

MAX_LINE_BYTES = 64 * 1024
"""The maximum length of a message, as over HTTP."""


def answer_lines(received: BinaryIO, sent: BinaryIO, listed: Sequence[Mapping[str, Any]], call: CallTool) -> None:
    """Answer messages in their order until there are no more, the reader has gone, or the user interrupts it.

    `listed` describes the tools, which `call` calls.
    """
    try:
        for line in _lines(received):
            content = reply_to(line, None, listed, lambda name, arguments: _safely(call, name, arguments)).content
            if content:
                sent.write(content + b"\n")
                sent.flush()
    except KeyboardInterrupt:
        pass
    except BrokenPipeError:
        with suppress(OSError):
            sent.close()  # what could not be written would be an error again when the program ends


def _lines(received: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not empty; of one that is too long the beginning, which is no message."""
    while line := received.readline(MAX_LINE_BYTES + 1):
        rest = line
        while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = received.readline(MAX_LINE_BYTES + 1)
        if line.strip():
            yield line


def _safely(call: CallTool, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool; an unexpected error is logged to standard error, and does not end the program."""
    try:
        return call(name, arguments)
    except ProtocolError:
        raise
    except Exception as error:
        log.exception("The tool %s failed", name)
        raise ProtocolError(INTERNAL_ERROR, "Internal error: the tool failed; standard error has the reason") from error
