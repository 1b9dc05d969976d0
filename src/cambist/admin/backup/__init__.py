"""Backups of a service: make one while the service runs, and restore it into a new data folder."""
