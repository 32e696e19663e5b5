"""A run as one HTML file that opens without a server: the explorer's own page, its parts and the records put inside.

The page's files are those that this server serves, so a replay is always of the version that made it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from minigrad_webui import frontend, importing
from minigrad_webui.protocol import Run, Step
from minigrad_webui.store import Store

CHUNK = 1 << 20


class NotBuilt(RuntimeError):
    """There is no front end to put the run into."""


def page(store: Store, run: str) -> str:
    """The file. `UnknownRun` where there is no such run, `NotBuilt` where the front end is missing."""
    return page_of(store.run(run), store.steps(run), store.records(run))


def page_of_trace(path: Path) -> tuple[Run, str]:
    """The same of a trace file, gzipped or not; `importing.BadTrace` where it is none."""
    import asyncio

    store = Store()
    try:
        run = asyncio.run(importing.take(_pieces(path), store)).run
        return run, page(store, run.id)
    finally:
        store.close()


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def page_of(run: Run, steps: Iterable[Step], records: Iterable[str]) -> str:
    """The file, of records that are JSON already."""
    index = _text("index.html")
    script = re.search(r'<script type="module"[^>]*src="\./([^"]+)"[^>]*></script>', index)
    style = re.search(r'<link rel="stylesheet"[^>]*href="\./([^"]+)"[^>]*>', index)
    if script is None or style is None:
        raise NotBuilt("The explorer's index.html names no script or no style; build it anew: webui/build_frontend.py")
    code = _text(script[1])
    worker = re.search(r"worker-[\w-]+\.js", code)
    data = _replay(run, steps, records, "" if worker is None else _text(f"assets/{worker[0]}"))
    title = f"<title>{_escaped(run.name)} · minigrad</title>"
    body = f'<script type="application/json" id="minigrad-replay">{data}</script>{_module(_with_fonts(code))}</body>'
    parts = {
        script[0]: "",
        style[0]: f"<style>{_with_fonts(_text(style[1]))}</style>",
        "<title>minigrad explorer</title>": title,
        "</body>": body,
    }
    for before, after in parts.items():
        index = index.replace(before, after, 1)
    return index


def _replay(run: Run, steps: Iterable[Step], records: Iterable[str], worker: str) -> str:
    """What the page finds in place of a server. Nothing in it can end the element that it stands in."""
    rows = ",".join(step.model_dump_json() for step in steps)
    lines = ",\n".join(records)
    text = f'{{"run":{run.model_dump_json()},"steps":[{rows}],"worker":{json.dumps(worker)},"records":[\n{lines}\n]}}'
    return text.replace("<", "\\u003c")


def _module(code: str) -> str:
    """The page's program; in it `</script` can only stand in a text, where the backslash says nothing."""
    code = code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f'<script type="module">{code}</script>'


def _with_fonts(text: str) -> str:
    """Wherever a font file is named, what is in it."""
    for name in set(re.findall(r"[\w-]+\.woff2", text)):
        uri = f"data:font/woff2;base64,{base64.b64encode(_bytes(f'assets/{name}')).decode()}"
        text = text.replace(f"url(./{name})", f"url({uri})")
        text = re.sub(rf"new URL\([`\"']{re.escape(name)}[`\"'],\s*import\.meta\.url\)\.href", f'"{uri}"', text)
    return text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _text(path: str) -> str:
    return _bytes(path).decode()


def _bytes(path: str) -> bytes:
    file = frontend.STATIC / path
    if not file.is_file():
        raise NotBuilt(
            f"The explorer's {path} is missing: this checkout holds no built front end. "
            "Build it with: python webui/build_frontend.py"
        )
    return file.read_bytes()
