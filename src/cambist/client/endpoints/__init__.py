"""The calls of all endpoints and their answers. No I/O.

A function is named as the path that it calls, and a class as the schema in the service's OpenAPI document. A parameter
whose name Python needs for itself has an underscore at its end, such as `from_`.
"""
