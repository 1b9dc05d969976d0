"""Ask several sources, each once, and compare what they send."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from stamina.instrumentation import set_on_retry_hooks

from cambist.accounts.names import echo
from cambist.admin.source_check.answers import CheckedAnswer, ask
from cambist.admin.source_check.comparison import compare, newest_rates
from cambist.admin.source_check.report import CheckReport, make_report
from cambist.errors import BadParameter
from cambist.registry.sources.source_adapters import load_adapters, reasons_off, source_keys
from cambist.settings import Settings
from cambist.settings.outgoing import outgoing_proxies
from cambist.sources.base import Adapter
from cambist.sources.published_currencies import published_currencies
from cambist.suggestions import did_you_mean

_SOURCES_AT_ONCE = 4
_NEEDS_KEY = "needs a key"


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """Asks real sources. It stores nothing, and needs neither a service nor a data folder."""

    settings: Settings
    environment: Mapping[str, str]
    clock: Callable[[], datetime]

    def choose(self, keys: Sequence[str]) -> list[Adapter]:
        """Return the adapters of some sources, or of all that are on. Errors: BadParameter, SourceRefused."""
        found = load_adapters(self.settings)
        off = reasons_off(self.settings, found, self._keys(found.values()))
        for key in keys:
            if key not in found:
                raise BadParameter(f"Unknown source: [{echo(key)}]; {did_you_mean(key, found)}")
            if off.get(key, "").startswith(_NEEDS_KEY):
                raise BadParameter(f"The source [{key}] cannot be asked: it {off[key]}")
        return [adapter for key, adapter in found.items() if (key in keys if keys else key not in off)]

    def run(self, adapters: Sequence[Adapter], on_answer: Callable[[str], None] = lambda _key: None) -> CheckReport:
        """Ask these sources, several at once, and compare their answers. `on_answer` is called after each."""
        now = self.clock()
        answers = asyncio.run(self._ask(adapters, now, on_answer))
        rates = {one.source.key: newest_rates(one.source, answers[one.source.key]) for one in adapters}
        listed = published_currencies()
        return make_report(
            [
                compare(
                    one.source,
                    answers[one.source.key],
                    listed.get(one.source.key, ()),
                    [each for key, each in rates.items() if key != one.source.key],
                    now.date(),
                )
                for one in adapters
            ],
            now,
        )

    def answer(self, adapter: Adapter) -> CheckedAnswer:
        """Ask one source and return its answer."""
        return asyncio.run(self._ask([adapter], self.clock(), lambda _key: None))[adapter.source.key]

    async def _ask(
        self, adapters: Sequence[Adapter], now: datetime, on_answer: Callable[[str], None]
    ) -> dict[str, CheckedAnswer]:
        set_on_retry_hooks([])
        proxies = outgoing_proxies(self.settings, self.environment)
        keys, slots = self._keys(adapters), asyncio.Semaphore(_SOURCES_AT_ONCE)

        async def ask_one(adapter: Adapter) -> CheckedAnswer:
            async with slots:
                answer = await ask(adapter, now.date(), self.settings.gateway, keys, proxies)
            on_answer(answer.key)
            return answer

        return {answer.key: answer for answer in await asyncio.gather(*map(ask_one, adapters))}

    def _keys(self, adapters: Iterable[Adapter]) -> dict[str, str]:
        return source_keys(self.settings, adapters, self.environment)
