"""Public sources: the protocol of adapters, their parsing, the adapters, and declared sources."""
