"""The way of a call: whose it is, what its plan allows, and how it is counted. The same for every face of the API."""
