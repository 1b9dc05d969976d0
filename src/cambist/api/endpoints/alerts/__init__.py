"""The endpoints of alerts."""
