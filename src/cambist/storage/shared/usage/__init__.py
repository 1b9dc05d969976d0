"""Usage counters: calls are counted in memory-mapped files, without locks, and written to the database exactly once.

`counter` is eight bytes with a check. `counter_file` is a file of counters by account, row and writer slot; `layout` is
its header. `file_set` has the files of a directory. Each thread of a worker counts in its own `writer_slot` through
`worker_counters`. `usage_writer` writes what `changed_counters` finds to the database, and `space` creates files before
they are needed. `request_counters` counts requests for the metrics.

Counts survive the end of all processes, because the kernel keeps the mapped memory. They do not survive a sudden end of
the machine: a file may then be as it was half a minute before.
"""
