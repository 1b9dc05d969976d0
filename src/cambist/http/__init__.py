"""The HTTP/1.1 server of a worker: one event loop that answers from memory, and threads for what has to wait."""
