"""`GET /alerts`: the alerts of the account, and what has fired."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from cambist.accounts.alerts.alerts import AlertEvent
from cambist.accounts.alerts.messages import TRIAL, AlertMessage
from cambist.api.answer.endpoint import Endpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.alert_questions import owner_of
from cambist.api.bodies.alert_records import AlertEventRecord, AlertRecord, alert_record, event_record
from cambist.api.questions.parameters import NoParameters

_EVENTS = 50


class AlertsResponse(Struct, frozen=True):
    """The alerts, oldest first, those that have ended too; and the newest 50 events, newest first."""

    alerts: list[AlertRecord]
    events: list[AlertEventRecord]


def answer(context: RequestContext, _params: NoParameters) -> AlertsResponse:
    """Return the alerts of the account, and how the delivery of what has fired went."""
    owner = owner_of(context)
    alerts, events = owner.book.of_account(owner.payer.account.number, _EVENTS)
    return AlertsResponse(
        [alert_record(alert, context.form) for alert in alerts], [_event(context, each) for each in events]
    )


def _event(context: RequestContext, event: AlertEvent) -> AlertEventRecord:
    message = msgspec.json.decode(event.body, type=AlertMessage)
    return event_record(event, str(message.data["text"]), context.form, is_trial=message.type == TRIAL)


endpoint: Endpoint[NoParameters, AlertsResponse] = Endpoint(
    path="/alerts",
    tag="admin",
    summary="What the account is told of",
    params=NoParameters,
    body=AlertsResponse,
    answer=answer,
    personal=True,
)
