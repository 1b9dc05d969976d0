"""The runbook: what each kind of problem means, what clients see, and what to do."""

from __future__ import annotations

from dataclasses import dataclass

from cambist.accounts.names import echo
from cambist.errors import BadParameter
from cambist.suggestions import did_you_mean


@dataclass(frozen=True, slots=True)
class RunbookEntry:
    """One kind of problem. `steps` are what to do, in this order; commands stand between backticks."""

    kind: str
    title: str
    meaning: str
    clients_see: str
    steps: tuple[str, ...]


RUNBOOK = (
    RunbookEntry(
        "ingest",
        "The ingest process does not run",
        "No source has been asked for a minute or longer. The process that asks them has ended, is stuck, or cannot "
        "write its report.",
        "The last prices, which become older. `as_of` and `received_at` of each answer say how old they are.",
        (
            "Read the end of the service's log: it says why the process ended.",
            "Run `cambist doctor`. It checks the disk, the clock, the database and the way to the sources.",
            (
                "If the process does not come back by itself within a minute, restart the service. Nothing is lost: "
                "missed days are asked for again."
            ),
        ),
    ),
    RunbookEntry(
        "source",
        "A source fails or is late",
        "A source cannot be reached, answers with an error or in another layout, or has published nothing for longer "
        "than it usually does.",
        "The rates of the other sources. A code that only this source publishes keeps its last rate, which becomes "
        "older.",
        (
            "Look at its error and its last day under Sources, or run `cambist sources status`.",
            "If all sources fail at once, see the section on the network.",
            "Ask it again: Ask now under Sources. Most failures end by themselves; it is asked again ever less often.",
            "If its layout has changed, run `cambist sources check KEY` and look for a newer release.",
            "If it will stay away, add its key to the setting `feeds_off`, so that it is asked no more.",
        ),
    ),
    RunbookEntry(
        "held",
        "Fixings of a source are held",
        "Newest fixings of a source differ so much from all others that they are not believed yet. They are stored, "
        "and count for nothing until others agree or you decide.",
        "The rates of the other sources, or the last rate that was believed if there is no other source.",
        (
            (
                "Look under Disputes, or run `cambist disputes list`: what each source says, and what each choice "
                "would serve."
            ),
            "Look up the rate elsewhere, such as on the page of the central bank.",
            "If the fixing is right, accept its level. If it is wrong, reject it. Either can be taken back.",
        ),
    ),
    RunbookEntry(
        "dispute",
        "Sources disagree about a code",
        "For more than a day two groups of sources have published levels of a code that are far from each other.",
        "The rate that was served before, until enough sources agree or you decide. `/explain` shows both levels.",
        (
            "Look under Disputes, or run `cambist disputes show CODE`.",
            (
                "Find out which level is real: a currency may have been devalued or redenominated, and one group still "
                "publishes the old rate."
            ),
            "Accept one level or reject the other. The choices show what each would serve before you decide.",
        ),
    ),
    RunbookEntry(
        "book",
        "The rate book is old",
        "Prices of now have not been published for 15 minutes, although a source with real-time prices is asked.",
        "The last prices. `as_of` says how old they are; the stream sends nothing new.",
        (
            (
                "Look whether the sources with real-time prices are fresh: Sources in the console, or `cambist sources "
                "status`."
            ),
            "Run `cambist doctor`: a full disk or a wrong clock keeps the book from being published.",
            "Restart the service if the sources are fresh and the book stays old, and keep the log for a report.",
        ),
    ),
    RunbookEntry(
        "quota",
        "An account has used most or all of its quota",
        "An account has used 80 % or more of the calls of its period. At 100 % its calls are refused.",
        "At 100 % status 429 with the end of the period. Calls of other accounts are answered as before.",
        (
            "Look at what it calls: Usage of the account, or `cambist usage ACCOUNT`.",
            "Add calls for this period: Add calls in its page, or `cambist account buy ACCOUNT CALLS`.",
            "If it needs more each month, change its plan: `cambist account move ACCOUNT --plan PLAN`.",
        ),
    ),
    RunbookEntry(
        "disk",
        "The disk of the data folder is nearly full or full",
        "Less than 5 % or 1 GB is free. On a full disk nothing new can be stored.",
        "Prices as before, from memory. With a full disk the history gets no new days, and counted calls wait in "
        "files that were reserved before.",
        (
            "Find what fills it: `df -h` and `du -xhd1` of its parent folders. It is often the log of another program.",
            "Free space, or enlarge the disk. The service goes on by itself; nothing that was answered is lost.",
            (
                "Remove no file of the data folder. Copies named `cambist.before-….db` may go once an upgrade has "
                "proved good."
            ),
        ),
    ),
    RunbookEntry(
        "certificate",
        "The certificate for HTTPS ends soon",
        "The certificate of the setting `tls_cert` ends within 14 days, or has ended.",
        "Nothing until it has ended. Then clients refuse to connect.",
        (
            "Renew it, write the new files in the place of the old ones, and restart the service.",
            "If a program renews it by itself, look why it did not: its log, and whether it may write the files.",
        ),
    ),
    RunbookEntry(
        "network",
        "No source answers",
        "All sources fail, or none has answered yet. The network of this machine is a likelier cause than the sources.",
        "The last prices, which become older; the history as before.",
        (
            "Run `cambist doctor`: it checks names, addresses, the proxy and the clock.",
            "Try one address of a source on this machine, such as with `curl`.",
            "If only a proxy leads out, set `proxy`; if the machine is new, look at its firewall.",
        ),
    ),
    RunbookEntry(
        "process",
        "A process does not answer",
        "A process of the service has ended, is stuck, or has not reported for 20 seconds.",
        "Of the API: errors or no answer at all. Of the stream: closed connections. Of ingest: prices become older.",
        (
            "Wait a minute: the service starts a process again that has ended.",
            (
                "Read the log: it names the process and why it ended. A process that was killed without a line had too "
                "little memory; the log of the system says so."
            ),
            "Run `cambist doctor`, then restart the service.",
        ),
    ),
    RunbookEntry(
        "node",
        "A node is cut off from the others",
        "Of several nodes this one cannot reach Redis or PostgreSQL, has an old history or a wrong clock, or knows of "
        "no leader.",
        "Answers from what the node has. Without Redis its prices may be older than those of other nodes; without "
        "PostgreSQL calls are counted on its own disk, and written later. By a clock that is ahead all prices are too "
        "old, and calls get 503.",
        (
            "Run `cambist nodes` on each node: it says what each sees.",
            "Look whether Redis and PostgreSQL run, and whether this machine reaches them.",
            "Set a wrong clock, on this machine or on that of PostgreSQL, and keep both by NTP.",
            "Take the node out of the load balancer while it is cut off; its readiness check says 503.",
        ),
    ),
)
"""One entry for each kind of problem, in the order of the guide."""


def runbook_entries(kind: str | None) -> tuple[RunbookEntry, ...]:
    """Return the entry of a kind of problem, or all of them. Errors: BadParameter."""
    found = tuple(entry for entry in RUNBOOK if kind in (None, entry.kind))
    if not found:
        kinds = [entry.kind for entry in RUNBOOK]
        raise BadParameter(f"The runbook has no [{echo(kind or '')}]; {did_you_mean(kind or '', kinds)}")
    return found
