"""`GET /corrections.atom`: the feed of corrections for feed readers (RFC 4287)."""

from __future__ import annotations

from typing import cast
from xml.etree.ElementTree import Element, SubElement, tostring

import falcon
from msgspec import UNSET

from cambist.api.answer.answer_headers import EDITION_HEADER
from cambist.api.answer.endpoint_answers import EndpointAnswers
from cambist.api.answer.request_context import written
from cambist.api.call.admission import Admission
from cambist.api.call.call import call_in_thread
from cambist.api.call.settlement import Settlement
from cambist.api.endpoints.currency.corrections import CorrectionsParams, CorrectionsResponse, read_feed
from cambist.api.questions.unknown_parameters import IGNORED_HEADER, UnknownParameters, ignored_header_value
from cambist.clock import WallClock
from cambist.history.correction_record import CauseRecord, CorrectionRecord, PublishedValue

ENDPOINT = "/corrections"
PATH = "/corrections.atom"

_NAMESPACE = "http://www.w3.org/2005/Atom"
_TITLE = "Corrections of exchange rates"


class CorrectionsAtomResource:
    """Answers GET and HEAD with what `/corrections` answers to the same `since`; without one with the newest."""

    def __init__(
        self,
        answers: EndpointAnswers,
        unknown: UnknownParameters,
        admission: Admission,
        settlement: Settlement,
        clock: WallClock,
    ) -> None:
        self._answers = answers
        self._unknown = unknown
        self._admission = admission
        self._settlement = settlement
        self._clock = clock

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """Answer; errors are JSON, as those of the endpoint."""
        call = call_in_thread(request.env, self._clock)
        self._admission.admit(call, (self._answers.endpoint.tag,))
        if ignored := self._unknown.ignored(call.query):
            response.set_header(IGNORED_HEADER, ignored_header_value(ignored))
        context, params, outline = self._answers.check(call)
        chosen = cast(CorrectionsParams, params)
        found = read_feed(context, chosen, chosen.since)
        response.data = atom_feed(found, request.prefix + request.path, str(written(context.now)))
        response.content_type = "application/atom+xml; charset=utf-8"
        response.set_header("Cache-Control", "no-store")
        response.set_header("X-Calls-Cost", str(outline.cost))
        if outline.edition:
            response.set_header(EDITION_HEADER, outline.edition)
        self._settlement.settle(call, outline.endpoint, outline.cost)

    on_head = on_get


def atom_feed(found: CorrectionsResponse, address: str, now: str) -> bytes:
    """Return corrections as an Atom feed, newest first. The times are ISO 8601."""
    feed = Element("feed", xmlns=_NAMESPACE)
    newest = max((each.corrected.received_at for each in found.corrections), default=None)
    _add(feed, "id", "urn:cambist:corrections")
    _add(feed, "title", _TITLE)
    _add(feed, "updated", now if newest is None else str(written(newest)))
    _add(SubElement(feed, "author"), "name", "Cambist")
    SubElement(feed, "link", rel="self", href=address)
    for each in reversed(found.corrections):
        _add_entry(feed, each)
    return bytes(tostring(feed, encoding="utf-8", xml_declaration=True))


def _add_entry(feed: Element, each: CorrectionRecord) -> None:
    entry = SubElement(feed, "entry")
    pair, earlier, corrected = f"{each.base}/{each.quote}", each.earlier, each.corrected
    _add(entry, "id", f"urn:cambist:correction:{each.id}")
    _add(entry, "updated", str(written(corrected.received_at)))
    until = "" if each.affected_until == each.day else f" to {each.affected_until}"
    if each.cause is not UNSET:
        before, after = _in_words(earlier), _in_words(corrected)
        _add(entry, "title", f"{pair} {each.day}: {before}, now {after}")
        content = f"{_cause(each.cause)} {pair} of {each.day} was {before} and is {after} now. "
        content += f"It changes the rates of {each.day}{until}."
        _add(entry, "content", content).set("type", "text")
        return
    _add(entry, "title", f"{each.source} {pair} {each.day}: {earlier.value}, now {corrected.value}")
    content = (
        f"{each.source} published {earlier.value} for {earlier.nominal} {pair} of {each.day}, received "
        f"{written(earlier.received_at)}, and corrected it to {corrected.value} for {corrected.nominal}. "
        f"It changes the rates of {each.day}{until}."
    )
    _add(entry, "content", content).set("type", "text")


def _in_words(value: PublishedValue) -> str:
    """Return what held by a verdict."""
    if value.status == "withdrawn":
        return "withdrawn"
    return f"{value.value} held over from before" if value.status else f"{value.value} by {value.source}"


def _cause(cause: CauseRecord) -> str:
    who = "a decision of the operator" if cause.decision else f"a delivery of {cause.source}"
    return f"Since {who} of {written(cause.received_at)},"


def _add(parent: Element, name: str, text: str) -> Element:
    child = SubElement(parent, name)
    child.text = text
    return child
