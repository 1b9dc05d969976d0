"""What watches a running service: health checks, metrics, the rate matrix's file, disk space."""
