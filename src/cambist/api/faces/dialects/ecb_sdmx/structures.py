"""Writing structures as SDMX-ML 2.1: the dataflow EXR, its data structure, and their codelists and concepts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from xml.sax.saxutils import escape, quoteattr

from cambist.api.faces.dialects.ecb_sdmx.attributes import FLOW
from cambist.api.faces.dialects.ecb_sdmx.codelists import (
    CODED,
    CONCEPTS,
    OBSERVATION_ATTRIBUTES,
    SERIES_ATTRIBUTES,
    Codelist,
    codelists,
)
from cambist.api.faces.dialects.ecb_sdmx.query import DIMENSIONS, NO_RESULTS
from cambist.api.faces.dialects.ecb_sdmx.xml_envelope import AGENCY, FLOW_NAME, STRUCTURE_ID, VERSION, envelope, header
from cambist.errors import NoRate

_SCHEME = "ECB_CONCEPTS"
_URN = "urn:sdmx:org.sdmx.infomodel"
_EVERYTHING = ("dataflow", "codelist", "conceptscheme", "datastructure")
"""The kinds of structures, in the order of a message."""


def write_structures(kind: str, wanted: str, references: str, prepared: datetime) -> bytes:
    """Write the structures of a kind with an id, or `all`, and with those that belong to them unless none are wanted.

    Errors: NoRate if there is none.
    """
    ids = {"dataflow": [FLOW], "datastructure": [STRUCTURE_ID], "conceptscheme": [_SCHEME], "codelist": [*codelists()]}
    chosen = ids[kind] if wanted.lower() == "all" else [each for each in wanted.split("+") if each in ids[kind]]
    if not chosen:
        raise NoRate(NO_RESULTS)
    is_alone = references.lower() in {"", "none"} or kind in {"codelist", "conceptscheme"}
    content = {kind: chosen} if is_alone else ids
    parts = "".join([_WRITERS[each](content[each]) for each in _EVERYTHING if each in content])
    message = f"{header(prepared)}<message:Structures>{parts}</message:Structures>"
    return envelope("Structure", ("message", "structure", "common", "xsi"), message)


def _maintainable(tag: str, package: str, identity: tuple[str, str], content: str) -> str:
    """Write an artefact of the agency, given its id and name."""
    own_id, name = identity
    urn = f"{_URN}.{package}.{tag}={AGENCY}:{own_id}({VERSION})"
    about = f'urn={quoteattr(urn)} isExternalReference="false" agencyID="{AGENCY}" id="{own_id}" version="{VERSION}"'
    return f'<structure:{tag} {about} isFinal="false">{_named(name)}{content}</structure:{tag}>'


def _named(name: str) -> str:
    return f'<common:Name xml:lang="en">{escape(name)}</common:Name>'


def _items(tag: str, urn: str, items: Iterable[tuple[str, str]]) -> str:
    written = [
        f"<structure:{tag} urn={quoteattr(f'{urn}.{own_id}')} id={quoteattr(own_id)}>{_named(name)}</structure:{tag}>"
        for own_id, name in items
    ]
    return "".join(written)


def _dataflows(_ids: Iterable[str]) -> str:
    reference = _reference("DataStructure", "datastructure", STRUCTURE_ID)
    content = f"<structure:Structure>{reference}</structure:Structure>"
    flow = _maintainable("Dataflow", "datastructure", (FLOW, FLOW_NAME), content)
    return f"<structure:Dataflows>{flow}</structure:Dataflows>"


def _codelists(ids: Iterable[str]) -> str:
    return f"<structure:Codelists>{''.join([_codelist(each, codelists()[each]) for each in ids])}</structure:Codelists>"


def _codelist(own_id: str, codelist: Codelist) -> str:
    codes = _items("Code", f"{_URN}.codelist.Code={AGENCY}:{own_id}({VERSION})", codelist.codes.items())
    return _maintainable("Codelist", "codelist", (own_id, codelist.name), codes)


def _concepts(_ids: Iterable[str]) -> str:
    concepts = _items("Concept", f"{_URN}.conceptscheme.Concept={AGENCY}:{_SCHEME}({VERSION})", CONCEPTS.items())
    scheme = _maintainable("ConceptScheme", "conceptscheme", (_SCHEME, "Concepts of exchange rates"), concepts)
    return f"<structure:Concepts>{scheme}</structure:Concepts>"


def _data_structures(_ids: Iterable[str]) -> str:
    dimensions = [_component("Dimension", own_id, f' position="{n}"') for n, own_id in enumerate(DIMENSIONS, 1)]
    time = _component("TimeDimension", "TIME_PERIOD", f' position="{len(DIMENSIONS) + 1}"')
    to_series = "".join([f'<structure:Dimension><Ref id="{own_id}"/></structure:Dimension>' for own_id in DIMENSIONS])
    to_value = '<structure:PrimaryMeasure><Ref id="OBS_VALUE"/></structure:PrimaryMeasure>'
    attributes = [_attribute(own_id, to_series) for own_id in SERIES_ATTRIBUTES]
    attributes += [_attribute(own_id, to_value) for own_id in OBSERVATION_ATTRIBUTES]
    components = (
        _component_list("Dimension", (*dimensions, time)),
        _component_list("Attribute", attributes),
        _component_list("Measure", (_component("PrimaryMeasure", "OBS_VALUE"),)),
    )
    content = f"<structure:DataStructureComponents>{''.join(components)}</structure:DataStructureComponents>"
    structure = _maintainable("DataStructure", "datastructure", (STRUCTURE_ID, FLOW_NAME), content)
    return f"<structure:DataStructures>{structure}</structure:DataStructures>"


def _component_list(kind: str, components: Iterable[str]) -> str:
    return f'<structure:{kind}List id="{kind}Descriptor">{"".join(components)}</structure:{kind}List>'


def _attribute(own_id: str, relationship: str) -> str:
    related = f"<structure:AttributeRelationship>{relationship}</structure:AttributeRelationship>"
    return _component("Attribute", own_id, ' assignmentStatus="Mandatory"', related)


def _component(tag: str, own_id: str, more: str = "", content: str = "") -> str:
    parent = f'maintainableParentID="{_SCHEME}" maintainableParentVersion="{VERSION}"'
    concept = f'<Ref id="{own_id}" {parent} agencyID="{AGENCY}" package="conceptscheme" class="Concept"/>'
    identity = f"<structure:ConceptIdentity>{concept}</structure:ConceptIdentity>"
    return f'<structure:{tag} id="{own_id}"{more}>{identity}{_representation(own_id)}{content}</structure:{tag}>'


def _representation(own_id: str) -> str:
    if own_id in CODED:
        reference = _reference("Codelist", "codelist", CODED[own_id])
        inner = f"<structure:Enumeration>{reference}</structure:Enumeration>"
    elif own_id == "TIME_PERIOD":
        inner = '<structure:TextFormat textType="ObservationalTimePeriod"/>'
    else:
        return ""
    return f"<structure:LocalRepresentation>{inner}</structure:LocalRepresentation>"


def _reference(kind: str, package: str, own_id: str) -> str:
    return f'<Ref id="{own_id}" version="{VERSION}" agencyID="{AGENCY}" package="{package}" class="{kind}"/>'


_WRITERS: dict[str, Callable[[Iterable[str]], str]] = {
    "dataflow": _dataflows,
    "codelist": _codelists,
    "conceptscheme": _concepts,
    "datastructure": _data_structures,
}
