"""Several nodes that work as one service, through PostgreSQL and Redis."""
