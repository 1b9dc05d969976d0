"""Exports: the daily rates of the archive as one file a year, with a manifest that tells whether they are complete."""
