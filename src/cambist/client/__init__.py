"""Clients of the service: the stream as any client listens to it."""
