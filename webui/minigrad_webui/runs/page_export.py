"""Write runs as one HTML file that opens without a server: the explorer's page with its scripts and the records inside.

The page is of the version that wrote the file, so the data inside need no version
of their own.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from minigrad_webui import frontend
from minigrad_webui.protocol import Run
from minigrad_webui.runs import doctor, trace_import
from minigrad_webui.runs.launches import companions
from minigrad_webui.runs.store import Store
from minigrad_webui.runs.timeline import now

CHUNK = 1 << 20

GOES_ON = "This file was written while the program was still running."


class NotBuilt(RuntimeError):
    """The front end is not built."""


BATCH = 500
"""How many records to write at a time."""


def page(store: Store, run: str, step: int | None = None) -> str:
    """The file of a run, or of one `step` of it, and of the other ranks of its launch.

    Raises UnknownRun if there is no such run, NotBuilt if the front end is missing.
    """
    return "".join(pieces(store, run, step))


def pieces(store: Store, run: str, step: int | None = None) -> Iterator[str]:
    """Like `page`, but piece by piece, so that a run of a million records needs no more memory than a small one."""
    found = store.run(run)
    return _pieces_of(store, [found, *companions(found, store.runs())], step)


def page_of_traces(paths: Sequence[Path]) -> tuple[list[Run], str]:
    """One file of several trace files, gzipped or not. It opens with the first.

    Raises `trace_import.BadTrace` if one is no trace.
    """
    store = Store()
    try:
        runs = [_taken(path, store) for path in paths]
        return runs, "".join(_pieces_of(store, runs))
    finally:
        store.close()


def _taken(path: Path, store: Store) -> Run:
    try:
        return asyncio.run(trace_import.take(_read(path), store)).run
    except trace_import.BadTrace as error:
        raise trace_import.BadTrace(f"{path}: {error}") from error


async def _read(path: Path) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def _pieces_of(store: Store, runs: Sequence[Run], step: int | None = None) -> Iterator[str]:
    """The pieces of the file, which opens with the first run. Raises errors at once, before the pieces are taken."""
    before, worker, after = _shell(runs[0].name)
    return itertools.chain([before], _replay(store, runs, worker, step), [after])


def _shell(name: str) -> tuple[str, str, str]:
    """The explorer's page up to the data, the code of its worker, and the rest of the page."""
    index = _text("index.html")
    script = re.search(r'<script type="module"[^>]*src="\./([^"]+)"[^>]*></script>', index)
    style = re.search(r'<link rel="stylesheet"[^>]*href="\./([^"]+)"[^>]*>', index)
    if script is None or style is None:
        raise NotBuilt("The explorer's index.html names no script or no style; build it anew: webui/build_frontend.py")
    code = _text(script[1])
    worker = re.search(r"worker-[\w-]+\.js", code)
    opening, closing = '<script type="application/json" id="minigrad-replay">', "</script>"
    parts = {
        script[0]: "",
        style[0]: f"<style>{_with_fonts(_text(style[1]))}</style>",
        "<title>minigrad explorer</title>": f"<title>{_escaped(name)} · minigrad</title>",
    }
    for old, new in parts.items():
        index = index.replace(old, new, 1)
    before, _, after = index.rpartition("</body>")
    rest = f"{closing}{_module(_with_fonts(code))}</body>{after}"
    return before + opening, "" if worker is None else _text(f"assets/{worker[0]}"), rest


def _replay(store: Store, runs: Sequence[Run], worker: str, step: int | None) -> Iterator[str]:
    """The page's data in place of a server. "<" is escaped, so that nothing ends the script element early."""
    for piece in _carried(store, runs, worker, step):
        yield piece.replace("<", "\\u003c")


def _carried(store: Store, runs: Sequence[Run], worker: str, step: int | None) -> Iterator[str]:
    yield f'{{"worker":{json.dumps(worker)},"runs":[\n'
    for place, run in enumerate(runs):
        yield from [",\n"] if place else []
        yield from _one(store, run, step)
    yield "\n]}"


def _one(store: Store, run: Run, step: int | None = None) -> Iterator[str]:
    """One run, or one step of it. In a file, an active run is marked as lost, since no more records will come."""
    if run.status == "running":
        changes = {"status": "lost", "error": GOES_ON, "ended": now(), "paused": None, "control": False}
        run = run.model_copy(update=changes)
    found = "null" if step is not None else doctor.carried(store, run.id).model_dump_json()
    yield f'{{"run":{run.model_dump_json()},"findings":{found},"steps":['
    rows = store.steps(run.id) if step is None else (row for row in [store.step(run.id, step)] if row)
    yield from _joined(row.model_dump_json() for row in rows)
    yield '],"records":[\n'
    yield from _joined(store.records(run.id) if step is None else _records_of(store, run.id, step))
    yield "\n]}"


def _joined(texts: Iterator[str]) -> Iterator[str]:
    """Join texts with commas, some at a time."""
    separator = ""
    while some := list(itertools.islice(texts, BATCH)):
        yield separator + ",\n".join(some)
        separator = ",\n"


def _records_of(store: Store, run: str, step: int) -> Iterator[str]:
    """The run's sources and a step's records; if these are only numbers, also those of the step that it is like."""
    sources = (text for text in store.records(run) if '"type":"source"' in text[:200])
    mine = list(store.records(run, step=step))
    numbers = next((json.loads(text) for text in mine if '"type":"numbers"' in text[:200]), None)
    like = None if numbers is None else numbers.get("like")
    theirs = store.records(run, step=like) if like is not None else iter(())
    fresh = (text for text in itertools.chain(theirs, mine) if '"type":"source"' not in text[:200])
    return itertools.chain(sources, fresh)


def _module(code: str) -> str:
    """The page's program as a script element.

    `</script` can only occur in a string, where a backslash changes nothing.
    """
    code = code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f'<script type="module">{code}</script>'


def _with_fonts(text: str) -> str:
    """Replace the name of each font file by its contents."""
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
