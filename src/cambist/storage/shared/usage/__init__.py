"""The ledger as a folder of mapped files: calls counted without locks or system calls, folded exactly once.

`cell` is eight bytes that can be checked; a `page` (laid out by `layout`) is a file of them by account, row and column;
each thread writes into a `column` of its own. A `file_set` holds the pages of a folder, and is told of others.
`worker` counts, `keeper` folds what `reading` finds, `room` makes pages before they are needed.

What is counted survives the end of every process at once, for the kernel keeps the mapped memory. It does not survive
the machine's sudden end: then a page may have fallen back to what was last written to the disk, half a minute before.
"""
