"""The pages of a worker: the OpenAPI document, the reference, and the page of the service."""
