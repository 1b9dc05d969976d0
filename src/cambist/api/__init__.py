"""The HTTP face: endpoints are declarations; what a handler reads is in memory."""
