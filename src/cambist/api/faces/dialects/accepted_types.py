"""Which media types a client accepts, by the header `Accept`."""

from __future__ import annotations

from operator import itemgetter


def accepted_types(accept: str) -> list[str]:
    """Return the media types of a header `Accept` in lower case, the most wanted first; all of them without one."""
    wanted = map(_weighed, (accept.lower().strip() or "*/*").split(","))
    return [media_type for weight, media_type in sorted(wanted, key=itemgetter(0), reverse=True) if weight > 0]


def _weighed(part: str) -> tuple[float, str]:
    """Return the weight and the media type of a part of `Accept`."""
    media_type, *parameters = (each.strip() for each in part.split(";"))
    weights = [each.removeprefix("q=") for each in parameters if each.startswith("q=")]
    try:
        return (float(weights[0]) if weights else 1.0), media_type
    except ValueError:
        return 0.0, media_type
