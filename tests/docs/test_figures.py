"""Figures in the documentation that are constants in the code."""

from pathlib import Path

import pytest

from cambist.accounts.failed_keys import FAILURES_A_SECOND, FAILURES_AT_ONCE
from cambist.api.bodies import bar_pages
from cambist.api.endpoints.currency import fetch_matrix
from cambist.api.questions import parameters, symbol_parameters, unknown_parameters
from cambist.api.state import compression
from cambist.history.as_of import CARRY_DAYS
from cambist.history.bar_aggregator import MOST_UNFILED
from cambist.http import connection_limit
from cambist.ingest import coin_closes, polling_round, steady_clock
from cambist.monitoring import health_http
from cambist.pricing import consensus
from cambist.pricing.freshness import FIXING_MAX_AGE
from cambist.pricing.metals.digits import COMPUTED_DIGITS, LEAST_DIGITS
from cambist.pricing.number_format import SHOWN_DIGITS, TIES_UP
from cambist.pricing.rate_book import RECENT
from cambist.processes import archive_worker
from cambist.stream import messages, session, subscription
from cambist.stream.admission import MAX_UNAUTHENTICATED

DOCS = Path(__file__).parents[2] / "docs"
WORDS = {2: "two", 5: "five", 8: "eight", 10: "ten", 14: "fourteen", 20: "twenty"}

FIGURES = [
    ("adr/0002-exact-numbers", f"{WORDS[SHOWN_DIGITS]} significant digits"),
    ("adr/0002-exact-numbers", f"1 + {TIES_UP - 1:.0e}"),
    ("adr/0006-what-is-listed", f"at most {RECENT.days} days older"),
    ("adr/0008-sync-server", f"An answer above {compression.MIN_COMPRESSED_BYTES // 1024} KB"),
    ("adr/0009-what-a-call-costs", f"at most {bar_pages.MAX_BARS} bars"),
    ("adr/0010-columnar-history", f"at most {CARRY_DAYS} days"),
    ("adr/0012-the-rate-limit", f"After {WORDS[FAILURES_AT_ONCE]} failures"),
    ("adr/0012-the-rate-limit", f"then one in {WORDS[round(1 / FAILURES_A_SECOND)]} seconds"),
    ("adr/0014-consensus", f"{WORDS[consensus._DEVIATIONS]} median deviations"),
    ("adr/0014-consensus", f"than {consensus._TOLERANCE * 100:g} %"),
    ("adr/0015-ingest", f"{WORDS[int(archive_worker._DEADLINE_SECONDS / 60)]} minutes, the archive worker is killed"),
    ("adr/0015-ingest", f"{WORDS[polling_round._SUSPICIOUS_RUN].title()} working days in a row"),
    ("adr/0016-closes-of-coins", f"is tried {WORDS[coin_closes._ATTEMPTS]} times"),
    ("adr/0017-prices-of-metals", f"{WORDS[COMPUTED_DIGITS]} if something was"),
    ("adr/0017-prices-of-metals", f"never fewer than {WORDS[LEAST_DIGITS]}"),
    ("adr/0018-the-stream", f"more than {subscription.BATCH_SIZE} pairs"),
    ("adr/0018-the-stream", f"messages over {messages.MAX_MESSAGE_BYTES // 1024} KB"),
    ("adr/0018-the-stream", f"{MAX_UNAUTHENTICATED} connections without a key"),
    ("adr/0019-bars", f"lasted {WORDS[int(steady_clock.ACCEPTED_AFTER / 60)]} minutes"),
    ("adr/0019-bars", f"Beyond {MOST_UNFILED:,}"),
    ("reference/freshness", f"| daily fixing, with bid and ask, also of metals | {FIXING_MAX_AGE.days} days |"),
    ("reference/metrics", f"holds {health_http.MAX_CONNECTIONS} connections"),
    ("reference/requests", f"| query | {parameters.MAX_QUERY_LENGTH // 1024} KB |"),
    ("reference/requests", f"A list can hold {symbol_parameters.MAX_CODES} codes"),
    ("reference/requests", f"a matrix {fetch_matrix.MAX_PAIRS:,} pairs"),
    ("reference/requests", f"more than {unknown_parameters.MAX_UNKNOWN} are refused"),
    ("reference/stream", f"{session.FRAMES_PER_SECOND:g} a second, {session.FRAME_BURST} at once"),
    ("reference/stream", f"every {subscription.PING_INTERVAL:g} seconds"),
    ("../SECURITY", f"Each worker holds {connection_limit.MAX_CONNECTIONS}"),
    ("../SECURITY", f"lists {symbol_parameters.MAX_CODES} codes"),
]


@pytest.mark.parametrize(("page", "figure"), FIGURES)
def test_a_figure_in_the_documentation_matches_the_code(page, figure):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert figure in " ".join(text.split()), f"{page}.md does not say [{figure}]"
