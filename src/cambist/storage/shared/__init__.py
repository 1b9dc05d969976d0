"""Files that processes share: the rate book, the rate matrix, notifications of changes, and usage counters."""
