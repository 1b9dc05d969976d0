"""Parts of the bodies of answers that several endpoints have in common."""
