"""What a sandbox has in place of sources: simulated bars, rate books and rate matrices, and the faults in them."""
