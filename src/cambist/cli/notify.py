"""`cambist notify`: in which ways alarms are sent, which are open, and a test message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.options import AsJson, DataFolder, read_folder_settings
from cambist.cli.output import print_json
from cambist.cli.printed_tables import print_table
from cambist.settings import Settings

if TYPE_CHECKING:
    from cambist.monitoring.alarm_watch import AlarmState

_NO_WAY = "No alarms are sent: set notify_webhook, notify_email or notify_command"


def notify(
    *,
    test: Annotated[bool, typer.Option("--test", help="Send a test message in each way that is set.")] = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Show in which ways alarms are sent, and the alarms that are open; or send a test message in each way.

    The ways are the settings notify_webhook, notify_email and notify_command. The exit code of a test is 1 if a message
    could not be sent, or if no way is set.
    """
    settings = read_folder_settings(data)
    if test:
        _test(settings, as_json=as_json)
        return
    from cambist.monitoring.alarm_watch import read_alarms

    _show(settings, read_alarms(settings), as_json=as_json)


def _test(settings: Settings, *, as_json: bool) -> None:
    from cambist.clock import utc_now
    from cambist.monitoring.notifications.message import NotificationFailed, trial_message
    from cambist.monitoring.notifications.ways import notification_ways

    message = trial_message(settings.issuer or "cambist", settings.node, utc_now())
    results: dict[str, str] = {}
    for name, send in notification_ways(settings).items():
        try:
            send(message)
            results[name] = ""
        except NotificationFailed as failed:
            results[name] = str(failed)
    if as_json:
        print_json({name: {"sent": not problem, "problem": problem} for name, problem in results.items()})
    else:
        for name, problem in results.items():
            typer.echo(f"{name}: {problem or 'sent'}")
        if not results:
            typer.echo(_NO_WAY, err=True)
    if not results or any(results.values()):
        raise typer.Exit(1)


def _show(settings: Settings, state: AlarmState, *, as_json: bool) -> None:
    ways = [name for name in ("webhook", "email", "command") if getattr(settings, f"notify_{name}")]
    waiting = {name: len(messages) for name, messages in state.waiting.items()}
    alarms = [alarm for alarm in state.alarms.values() if alarm.told]
    if as_json:
        rows: list[dict[str, Any]] = [
            {"key": alarm.trouble.key, "text": alarm.trouble.text, "since": alarm.since} for alarm in alarms
        ]
        print_json({"ways": ways, "waiting": waiting, "alarms": rows})
        return
    typer.echo(f"Alarms are sent by {', '.join(ways)}" if ways else _NO_WAY)
    for name, count in waiting.items():
        if count:
            typer.echo(f"{count} messages wait for {name}: it does not take them, see the log")
    if alarms:
        print_table(("Since", "Alarm"), ((f"{alarm.since:%Y-%m-%d %H:%M}", alarm.trouble.text) for alarm in alarms))
    else:
        typer.echo("No alarm is open")
