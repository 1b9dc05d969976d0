"""Notifications: how alarms reach the operator."""
