"""Where paths lead: those without names are looked up in a dictionary, the others are matched by Falcon's router."""

from __future__ import annotations

from typing import Any

from falcon.routing import CompiledRouter, map_http_methods, set_default_responders


class PathRouter(CompiledRouter):
    """Falcon's router, which compares each new path with all before it, without the paths that need no matching.

    What a path without names answers to is found out with its first request. Threads may race there harmlessly.
    """

    def __init__(self) -> None:
        super().__init__()
        self._resources: dict[str, tuple[object, str]] = {}
        self._found: dict[str, tuple[object, Any, str]] = {}

    def add_route(self, uri_template: str, resource: object, **kwargs: Any) -> None:
        """Add a route."""
        if "{" in uri_template:
            super().add_route(uri_template, resource, **kwargs)
        else:
            self._resources[uri_template.lstrip("/")] = resource, uri_template

    def find(self, uri: str, req: Any = None) -> Any:
        """Return the resource of a path, its methods, the values of names, and its template; None if there is none."""
        path = uri.lstrip("/")
        found = self._found.get(path)
        if found is None:
            if path not in self._resources:
                return super().find(uri, req)
            resource, template = self._resources[path]
            methods = map_http_methods(resource)
            set_default_responders(methods)
            found = self._found[path] = resource, methods, template
        resource, methods, template = found
        return resource, methods, {}, template
