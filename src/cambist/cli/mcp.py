"""`cambist mcp`: answer a language model over standard input and output."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer

from cambist.cli.options import DataFolder, ServiceKey, ServiceUrl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.api.faces.mcp.protocol import ToolResult
    from cambist.cli.remote_service import RemoteService
    from cambist.cli.service_answers import Target


def mcp(
    *,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Answer a chat application or a coding assistant, which starts this command: tools for rates (MCP).

    The running service answers, or without one the data folder. It ends when its input ends.
    """
    from cambist.api.faces.mcp.catalogue import described_tools
    from cambist.cli.message_pipe import answer_lines
    from cambist.cli.service_answers import Target

    target = Target(data, url, key)
    output = sys.stdout.buffer
    sys.stdout = sys.stderr  # standard output is for messages alone
    if sys.stdin.isatty():
        typer.echo(
            "This command is started by an application that speaks MCP: see the guide. Ctrl-C ends it.", err=True
        )
    answer_lines(sys.stdin.buffer, output, described_tools(), lambda name, arguments: _call(target, name, arguments))


def _call(target: Target, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    """Call a tool; whatever keeps it from answering is its answer. Errors: ProtocolError if there is no such tool."""
    from cambist.api.faces.mcp.catalogue import find_tool, refusal
    from cambist.api.faces.mcp.protocol import ToolResult
    from cambist.cli.service_answers import consult
    from cambist.errors import CambistError

    find_tool(name)
    try:
        return consult(target, lambda answers: _use(answers, name, arguments))
    except CambistError as error:
        return refusal(error)
    except OSError as error:
        return ToolResult(str(error), is_error=True)


def _use(answers: RemoteService | StoredAnswers, name: str, arguments: Mapping[str, Any]) -> ToolResult:
    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.api.faces.mcp.catalogue import find_tool, run_tool
    from cambist.cli.remote_tools import call_remote_tool
    from cambist.status.environment import Environment

    if not isinstance(answers, StoredAnswers):
        return call_remote_tool(answers.configuration, name, arguments)
    tool = find_tool(name)
    environment = "" if answers.environment is Environment.LIVE else answers.environment
    return run_tool(tool, answers.context(), tool.read(arguments), environment)
