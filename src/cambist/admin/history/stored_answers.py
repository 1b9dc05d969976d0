"""Answers of the API from a data folder, without a service: computed by the endpoints themselves, as a worker does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path
from time import time

import msgspec

from cambist.accounts.principal import Principals
from cambist.api.answer.rendering import encode_without_ms
from cambist.api.answer.request_context import RequestContext
from cambist.api.faces.bulk.conversion_file import ConversionFile
from cambist.api.faces.bulk.converting import BulkParams, row_converter
from cambist.api.questions.parameters import ParamsReader
from cambist.api.state.archive_reader import ArchiveReader
from cambist.api.state.reader_pool import ReaderPool
from cambist.api.state.readers import Readers
from cambist.clock import WallClock, utc_now
from cambist.errors import CannotStart
from cambist.pricing.rate_book import RateBook
from cambist.registry.wiring.components import endpoints, open_store
from cambist.registry.wiring.worker_state import build_worker_state
from cambist.settings import Settings
from cambist.status.environment import Environment, check_rate_book, check_rate_matrix
from cambist.status.source_report import SourceReports
from cambist.storage import ReadOnlyStore
from cambist.storage.data_directory import DataDirectory
from cambist.storage.json_file import read_json_file
from cambist.storage.shared.rate_book_file import stored_rate_book, stored_votes
from cambist.storage.shared.rate_matrix_file import open_rate_matrix

_READ_SECONDS = 10.0


class StoredAnswers:
    """Answers requests from the last rate book, the rate matrix and the archive of a data folder.

    Nothing is written, no key is needed and no call is counted.
    Errors when made: CannotStart without a data folder, RateBookDamaged, RateMatrixDamaged.
    """

    def __init__(self, settings: Settings, clock: WallClock = time) -> None:
        folder = DataDirectory(settings.data)
        self.environment = _environment_of(folder)
        self.place = f"the data folder {folder.path.resolve()}"
        matrix = check_rate_matrix(open_rate_matrix(folder.matrix), self.environment)
        self._book = _last_book(folder, self.environment)
        self._clock = clock
        self._opened: list[ReadOnlyStore | ReaderPool] = []
        in_use = msgspec.structs.replace(settings, sandbox=self.environment is Environment.SANDBOX)
        readers = self._with_archive(Readers(votes=stored_votes(folder.path)), in_use)
        self._state = build_worker_state(settings, self._book, matrix, Principals({}, {}), readers)
        self._state.apply_source_reports(read_json_file(folder.source_reports, SourceReports))

    def get(self, path: str, query: Mapping[str, str]) -> bytes:
        """Return the JSON of an answer, as the service would write it. Errors: RequestRefused."""
        endpoint = next(endpoint for endpoint in endpoints() if endpoint.path == path)
        body = endpoint.answer(self.context(), ParamsReader(endpoint.params).read(query))
        return encode_without_ms(body) + b"0}"

    def convert_file(self, content: str, query: Mapping[str, str]) -> bytes:
        """Return a CSV file of amounts with its results, as the service would write it. Errors: RequestRefused."""
        params = ParamsReader(BulkParams).read(query)
        text = StringIO(newline="")
        file = ConversionFile(content, params.delimiter)
        file.write_converted(text, row_converter(self.context(), params))
        return text.getvalue().encode()

    def context(self) -> RequestContext:
        """Return what an answer of now is computed from."""
        return RequestContext(self._state, self._book, self._clock())

    def close(self) -> None:
        """Close the database."""
        for opened in self._opened:
            opened.close()

    def _with_archive(self, readers: Readers, settings: Settings) -> Readers:
        """Read the database too, if there is one: opening a missing one would create it."""
        if not settings.database and not Path(settings.database_url.removeprefix("sqlite:///")).exists():
            return readers
        store = open_store(settings).read_only(1, _READ_SECONDS)
        pool = ReaderPool(1, readers=1, within=_READ_SECONDS)
        self._opened = [pool, store]
        reader = ArchiveReader(store.archive, store.bars, pool, utc_now)
        fixings = reader.published_fixings if self.environment is Environment.LIVE else None
        return replace(
            readers, closes=reader.close, bars=reader, fixings=fixings, source_rates=reader.source_rates,
            coin_series=reader.coin_series,
        )  # fmt: skip


def _environment_of(folder: DataDirectory) -> Environment:
    if not folder.path.is_dir():
        raise CannotStart(f"There is no data folder {folder.path}: run [cambist serve] once, or name one with --data")
    environment = folder.environment
    if environment is None:
        raise CannotStart(f"No service has run in the folder {folder.path}: run [cambist serve] once, or name --data")
    return environment


def _last_book(folder: DataDirectory, environment: Environment) -> RateBook:
    book = stored_rate_book(folder.path)
    if book is None:
        raise CannotStart(f"There is no rate book in {folder.path}: run [cambist serve] once")
    return check_rate_book(book, environment)
