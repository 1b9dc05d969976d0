"""Alerts: what an account wants to be told of, when that happens, and how it is told."""
