"""The HTML page of the OpenAPI description, at ``/api/docs``. It is generated here so that it needs no internet."""

from __future__ import annotations

from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.responses import HTMLResponse

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}: the API</title>
<meta name="viewport" content="width=device-width"><style>
body{{font:15px/1.55 system-ui,sans-serif;max-width:52rem;margin:3rem auto;padding:0 1rem;
color-scheme:light dark}}
pre{{white-space:pre-wrap}}h2{{margin-top:2.2rem;font-size:1.05rem}}code,pre{{font-size:.92em}}
td,th{{text-align:left;vertical-align:top;padding:.15rem 1rem .15rem 0}}</style>
<h1>{title} {version}</h1><pre>{about}</pre><p>For programs: <a href="openapi.json">openapi.json</a>.</p>
{paths}</html>"""


def mount(app: FastAPI) -> None:
    """Answer ``/api/docs``."""

    @app.get("/api/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse(page(app.openapi()))


def page(schema: dict[str, Any]) -> str:
    """An OpenAPI description as HTML: each address with its parameters and answers."""
    paths = [
        _operation(method, path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    info = schema["info"]
    return _PAGE.format(
        title=escape(info["title"]),
        version=escape(info["version"]),
        about=escape(info.get("description", "").strip()),
        paths="".join(paths),
    )


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    parameters = [
        (each["name"], f"in the {each['in']}", each.get("description", "")) for each in operation.get("parameters", [])
    ]
    answers = [(code, "", each.get("description", "")) for code, each in operation["responses"].items()]
    rows = "".join(
        f"<tr><th><code>{escape(name)}</code></th><td>{escape(kind)}</td><td>{escape(said)}</td></tr>"
        for name, kind, said in [*parameters, *answers]
    )
    return (
        f"<h2><code>{method.upper()} {escape(path)}</code> {escape(operation.get('summary', ''))}</h2>"
        f"<p>{escape(operation.get('description', ''))}</p><table>{rows}</table>"
    )
