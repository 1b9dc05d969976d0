"""The public log of editions: a Merkle tree (RFC 6962) in static files, as C2SP's tlog-tiles describes them."""
