"""HTML within bounds."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from cambist.sources.payloads.bounds import DEEPEST_HTML, check_html


def parse_html(text: str) -> LexborHTMLParser:
    """Parse a page. Errors: ValueError if it has too many tags, or is too deep."""
    check_html(text)
    try:
        page = LexborHTMLParser(text)
    except SelectolaxError as error:  # there was not enough memory
        raise ValueError(f"the page cannot be read: {error}") from error
    _check_depth(page)
    return page


def _check_depth(page: LexborHTMLParser) -> None:
    """Errors: ValueError if an element is too deep: whoever looks for its parents would never end."""
    node: LexborNode | None = page.root
    depth = 0
    while node is not None:
        child = node.first_child
        if child is not None:
            node, depth = child, depth + 1
            if depth > DEEPEST_HTML:
                raise ValueError(f"the page is more than {DEEPEST_HTML:,} elements deep")
            continue
        while node is not None and node.next is None:
            node, depth = node.parent, depth - 1
        node = node.next if node is not None else None
