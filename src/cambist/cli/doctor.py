"""`cambist doctor`: find what is wrong with an installation."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from cambist.cli.options import AsJson, DataFolder
from cambist.cli.output import print_json, styled

if TYPE_CHECKING:
    from cambist.admin.doctor.finding import Finding

_COLORS = {"ok": "green", "warning": "yellow", "problem": "red"}


def doctor(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Find what is wrong with an installation, and say what to do.

    Checks Python, packages, settings, clock, ports, certificates, the data folder with its database, rates and plans,
    the sources and the stream. Exit with 1 if there is a problem. The command changes nothing; the service may be
    running.
    """
    from cambist.admin.doctor.examination import examine
    from cambist.clock import utc_now

    found = []
    for finding in examine(os.environ, {"data": data}, utc_now):
        found.append(finding)
        if not as_json:
            _print(finding)
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        typer.echo(_summary(found))
    if any(each.severity == "problem" for each in found):
        raise typer.Exit(1)


def _print(finding: Finding) -> None:
    typer.echo(f"{styled(f'{finding.severity:8}', fg=_COLORS[finding.severity])} {finding.check}: {finding.found}")
    if finding.remedy:
        typer.echo(f"{'':8}  what to do: {finding.remedy}")


def _summary(found: list[Finding]) -> str:
    counts = {severity: sum(each.severity == severity for each in found) for severity in _COLORS}
    if counts["ok"] == len(found):
        return f"\nAll {len(found)} checks ok"
    return f"\nproblems: {counts['problem']}, warnings: {counts['warning']}, ok: {counts['ok']}"
