"""Metrics of the machine: free space on the disk of the data folder, and until when the certificate is valid."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography.x509 import load_pem_x509_certificates
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


@dataclass(frozen=True, slots=True)
class MachineMetrics(Collector):
    """The disk with the data folder, and the certificate for HTTPS if there is one; both are read at each scrape."""

    folder: Path
    certificate: Path | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield what can be read."""
        try:
            usage = shutil.disk_usage(self.folder)
        except OSError:
            usage = None
        if usage is not None:
            yield GaugeMetricFamily(
                "cambist_disk_free_bytes", "Free space on the disk of the data folder", value=usage.free
            )
            yield GaugeMetricFamily("cambist_disk_size_bytes", "Size of the disk of the data folder", value=usage.total)
        ends = certificate_ends(self.certificate) if self.certificate else None
        if ends is not None:
            yield GaugeMetricFamily(
                "cambist_certificate_expiry_timestamp_seconds",
                "When the certificate for HTTPS ends",
                value=ends.timestamp(),
            )


def certificate_ends(certificate: Path) -> datetime | None:
    """Return when the first certificate of a chain to expire ends; None if the file cannot be read."""
    try:
        return min(each.not_valid_after_utc for each in load_pem_x509_certificates(certificate.read_bytes()))
    except (OSError, ValueError):
        return None
