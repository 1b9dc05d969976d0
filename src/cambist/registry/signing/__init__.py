"""The signing key of this node, and the public log of editions that is signed with it."""
