"""`cambist alert`: what the account of a key is told of. The running service keeps the alerts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cambist.cli.options import AsJson, DataFolder, ServiceKey, ServiceUrl
from cambist.cli.printed_tables import print_table
from cambist.errors import BadParameter

if TYPE_CHECKING:
    from cambist.admin.history.stored_answers import StoredAnswers
    from cambist.cli.remote_service import RemoteService
    from cambist.cli.service_answers import Target

app = typer.Typer(add_completion=False, help="Be told when a rate passes a level, and more.", no_args_is_help=True)

_POSITIONAL = {
    "above": ("from", "to", "level"),
    "below": ("from", "to", "level"),
    "outside": ("from", "to", "low", "high"),
    "moves": ("from", "to", "change", "within"),
    "published": ("source",),
    "corrected": ("from", "to", "date"),
    "quota": ("change",),
}
_LEAST = {"corrected": 2}

AlertNumber = Annotated[int, typer.Argument(help="Number of an alert, as the list shows it.")]


@app.command()
def add(  # noqa: PLR0913  the options of a command
    when: Annotated[str, typer.Argument(help="above, below, outside, moves, published, corrected or quota.")],
    about: Annotated[
        list[str], typer.Argument(help="What that needs, such as EUR USD 1.2 for above, or EUR USD 2% PT1H for moves.")
    ],
    *,
    deliver: Annotated[str, typer.Option(help="webhook, email or stream.")] = "stream",
    address: Annotated[str | None, typer.Option(help="Address of the webhook.")] = None,
    repeat: Annotated[bool, typer.Option("--repeat", help="Tell each time, not only once.")] = False,
    note: Annotated[str | None, typer.Option(help="A text for yourself that is delivered too.")] = None,
    as_json: AsJson = False,
    url: ServiceUrl = None,
    key: ServiceKey = None,
    data: DataFolder = None,
) -> None:
    """Add an alert, and show it; for a webhook also the secret that signs what is sent, once."""
    names = _POSITIONAL.get(when)
    if names is None:
        raise BadParameter(f"Unknown condition: [{when}]; there are {', '.join(_POSITIONAL)}")
    if not _LEAST.get(when, len(names)) <= len(about) <= len(names):
        raise BadParameter(f"An alert [{when}] takes {' '.join(name.upper() for name in names)}")
    given = {"deliver": deliver, "address": address, "repeat": repeat, "note": note}
    question = {"when": when, **dict(zip(names, about, strict=False)), **given}
    sent = {name: value for name, value in question.items() if value is not None}
    answer = _post(_target(data, url, key), "/alerts/add", sent)
    if as_json:
        typer.echo(json.dumps(answer))
        return
    typer.echo(f"Alert {answer['alert']['id']} is watched.")
    if secret := answer.get("secret"):
        typer.echo(f"Secret of its webhook, shown only now: {secret}")


@app.command("list")
def list_alerts(
    *, as_json: AsJson = False, url: ServiceUrl = None, key: ServiceKey = None, data: DataFolder = None
) -> None:
    """List the alerts of the account, and what has fired last."""
    from cambist.cli.service_answers import RateAnswer, consult

    def listed(answers: RemoteService | StoredAnswers) -> RateAnswer:
        service = _service(answers)
        return RateAnswer(service.get("/alerts", {}), service.place, service.environment)

    answer = consult(_target(data, url, key), listed)
    if as_json:
        typer.echo(answer.content)
        return
    found = answer.exact
    print_table(("Alert", "When", "Delivered by", "Fired", "Ended"), map(_row, found["alerts"]))
    for event in found["events"][:10]:
        state = event.get("delivered_at") or event.get("failure") or "waits"
        typer.echo(f"{event['at']}  alert {event['alert']}: {event['text']}  ({state})")


@app.command("test")
def try_out(number: AlertNumber, *, url: ServiceUrl = None, key: ServiceKey = None, data: DataFolder = None) -> None:
    """Deliver a message that says that it is a test."""
    answer = _post(_target(data, url, key), "/alerts/test", {"id": number})
    typer.echo(
        f"A test of alert {number} is on its way: event {answer['event']}. `cambist alert list` shows how it went."
    )


@app.command()
def remove(number: AlertNumber, *, url: ServiceUrl = None, key: ServiceKey = None, data: DataFolder = None) -> None:
    """Remove an alert."""
    _post(_target(data, url, key), "/alerts/remove", {"id": number})
    typer.echo(f"Alert {number} is removed.")


def _row(alert: dict[str, Any]) -> tuple[object, ...]:
    return alert["id"], _about(alert), alert["deliver"], alert["fired"], alert.get("ended_at", "")


def _about(alert: dict[str, Any]) -> str:
    names = _POSITIONAL[alert["when"]]
    repeated = " (repeats)" if alert["repeat"] else ""
    return " ".join([alert["when"], *(str(alert[name]) for name in names if name in alert)]) + repeated


def _target(data: Any, url: str | None, key: str | None) -> Target:
    from cambist.cli.service_answers import Target

    return Target(data, url, key)


def _post(target: Target, path: str, question: Mapping[str, object]) -> Any:
    from cambist.cli.service_answers import consult

    return json.loads(consult(target, lambda answers: _answer(answers, path, question)))


def _answer(answers: RemoteService | StoredAnswers, path: str, question: Mapping[str, object]) -> bytes:
    return _service(answers).post(path, json.dumps(question).encode())


def _service(answers: RemoteService | StoredAnswers) -> RemoteService:
    from cambist.cli.remote_service import RemoteService

    if not isinstance(answers, RemoteService):
        raise BadParameter("No service answers: start it with [cambist serve], alerts are kept by a running service")
    return answers
