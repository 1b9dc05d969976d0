"""The HTTP API: each endpoint is a declaration, and answers are computed from what is in memory."""
