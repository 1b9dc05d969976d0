"""How an endpoint is answered: from its declaration and the caches, once for every face of the API."""
