"""Receipts: signed statements of what the service answered, when, and to which question."""
