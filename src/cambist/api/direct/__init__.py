"""The straight way: hot questions are answered from the bytes of a request, without an environ and without a cache.

A request is a request line and a block of headers. The line differs each time; the block is the same for all requests
of a client, so what it means is remembered by its bytes (`header_blocks`). The line is read by the reader of its
endpoint (`question`). Prices are looked up in dictionaries that fill as they are asked for, once a rate book
(`book_view`, `legs`), and an answer is one format operation (one file for each kind).

The general way (`api.worker_application`) is the truth. Whatever the straight way is not sure of it declines, by
returning None before anything is counted: it knows no refusals. `tests/api/direct` holds both ways to the same bytes.
"""
