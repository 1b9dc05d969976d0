"""The rate book in shared memory: a file of several buffers, each a whole rate book as columns, and the votes.

`layout` is the format of the file, `texts` that of the tables in it. `publisher` encodes a book, `buffers` writes it
into the next buffer and then moves the head to it. `reader` copies the newest buffer and checks it. `transfer` is one
buffer as a message to other machines. `votes` is a file of its own, for explanations.
"""
