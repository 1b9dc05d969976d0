"""The rates in an archive: their revisions, disputed levels, and answers without a service."""
