"""The only writer of archive, image and book."""
