"""`POST /alerts/add`: ask to be told when something happens to a rate, a publisher or the quota."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from cambist.accounts.alerts.definition import AlertDefinition
from cambist.api.answer.posted_endpoint import PostedEndpoint
from cambist.api.answer.request_context import RequestContext
from cambist.api.bodies.alert_questions import owner_of, read_definition
from cambist.api.bodies.alert_records import AlertRecord, alert_record


class AddAlertResponse(Struct, frozen=True):
    """The alert. With a webhook, `secret` signs what is sent to it; it is shown only here."""

    alert: AlertRecord
    secret: str | UnsetType = UNSET


def answer(context: RequestContext, question: AlertDefinition) -> AddAlertResponse:
    """Create an alert of the account, and return it.

    It fires when its condition begins: once, or with `repeat` each time, at most once a minute. A condition that is met
    already fires at once. What fires is delivered within seconds, and is tried again for three days.
    """
    owner = owner_of(context)
    definition = read_definition(context, owner, question)
    alert = owner.book.add(owner.payer.account.number, definition, owner.payer.plan.alerts)
    return AddAlertResponse(alert_record(alert, context.form), alert.secret or UNSET)


def cost(_context: RequestContext, _question: AlertDefinition) -> int:
    """One call."""
    return 1


endpoint: PostedEndpoint[AlertDefinition, AddAlertResponse] = PostedEndpoint(
    path="/alerts/add",
    tag="admin",
    summary="Be told when something happens",
    question=AlertDefinition,
    body=AddAlertResponse,
    answer=answer,
    cost=cost,
    changes=True,
    example=b'{"when": "above", "from": "EUR", "to": "USD", "level": 1.2, "deliver": "stream", "note": "buy dollars"}',
)
