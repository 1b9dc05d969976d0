"""What the usage writer measures of itself, for the operator's port, which is another process."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from prometheus_client import REGISTRY
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

_FIGURES = (
    (GaugeMetricFamily, "cambist_usage_written_timestamp_seconds", "When counted calls were last written"),
    (CounterMetricFamily, "cambist_usage_write_failures", "Failed writes of calls and reservations; nothing is lost"),
    (CounterMetricFamily, "cambist_usage_rows_written", "Totals written into the database"),
    (GaugeMetricFamily, "cambist_archive_damaged_rows", "Damaged or missing rows, left out of all rates"),
    (CounterMetricFamily, "cambist_image_rebuilt", "Times that the rate matrix was missing or damaged, and rebuilt"),
)
_LAYOUT = struct.Struct(f"<{len(_FIGURES)}d")


@dataclass(frozen=True, slots=True)
class UsageFigures(Collector):
    """The figures in a file of fixed size, which is written in place: a full disk, of which they tell, takes it too."""

    path: Path

    def write(self) -> None:
        """Write the figures of this process. If they cannot be written, the last ones stay."""
        names = [f"{name}_total" if kind is CounterMetricFamily else name for kind, name, _ in _FIGURES]
        values = _LAYOUT.pack(*(REGISTRY.get_sample_value(name) or 0.0 for name in names))
        with suppress(OSError):
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
            try:
                os.pwrite(file, values, 0)
            finally:
                os.close(file)

    def collect(self) -> Iterator[Metric]:
        """Yield the figures that were written last; nothing before the first."""
        try:
            written = self.path.read_bytes()
        except OSError:
            return
        if len(written) == _LAYOUT.size:
            for (kind, name, help_text), value in zip(_FIGURES, _LAYOUT.unpack(written), strict=True):
                yield kind(name, help_text, value=value)
