"""Serves the built documentation at ``/docs``, or says how to build it."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from minigrad_webui.frontend import file_in

SITE = Path(__file__).parent / "docs"

_NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>minigrad documentation</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
</style><h1>The documentation is not built</h1><p>In the top folder of a checkout, run</p>
<pre><code>make docs</code></pre>
<p>then load this page again. The reading path begins in <code>minigrad/README.md</code>.</p></html>"""

_INLINE_SCRIPT = re.compile(rb"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


def mount(app: FastAPI) -> None:
    """Answer ``/docs`` and everything below it."""

    @app.get("/docs", include_in_schema=False)
    def start() -> Response:
        return RedirectResponse("docs/")

    @app.get("/docs/{path:path}", include_in_schema=False)
    def page(path: str, request: Request) -> Response:
        if not (SITE / "index.html").is_file():
            return HTMLResponse(_NOT_BUILT, 503)
        file = file_in(SITE, path or "index.html")
        if file is None:
            raise HTTPException(404, f"The documentation has no page {path}.")
        if file.suffix != ".html":
            return FileResponse(file)
        text = file.read_bytes()
        request.scope["inline_scripts"] = _hashes(text)
        return Response(text, media_type="text/html")


def _hashes(page: bytes) -> list[str]:
    """The hashes of the page's inline scripts, for the content security policy (see `security`)."""
    digests = (hashlib.sha256(script).digest() for script in _INLINE_SCRIPT.findall(page))
    return sorted({f"'sha256-{base64.b64encode(each).decode()}'" for each in digests})
