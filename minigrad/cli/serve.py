"""`minigrad serve`: run the explorer's server in the foreground, or stop the one in the background."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from . import explorer
from .console import Problem, say
from .options import NoBrowser, Port, Store

PLAIN = re.compile(r"[A-Za-z0-9._~-]+")
"""The characters that an address may hold unescaped."""


def serve(
    port: Port = None,
    store: Store = None,
    token: Annotated[str | None, typer.Option(help="The token to use, instead of a new one at every start.")] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 to be reached from other machines.")
    ] = "127.0.0.1",
    no_browser: NoBrowser = False,
    root_path: Annotated[str, typer.Option(help="The path under which a proxy shows the explorer.")] = "",
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A host name that a proxy in front uses; may be repeated.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="Stop the running explorer, and do nothing else.")] = False,
) -> int:
    """Start the explorer and keep it running until Ctrl-C.

    Programs that are watched find it by themselves. Runs are kept in your data folder, or where --store says
    (`:memory:` keeps nothing).
    """
    if stop:
        stopped = explorer.stop()
        say("No explorer is running." if stopped is None else f"Stopped the explorer at {stopped}.")
        return 0
    if token is not None and not PLAIN.fullmatch(token):
        raise Problem("A token may hold letters, digits and . _ ~ - only, because it stands in an address.")
    from minigrad.observe.watch import has_browser
    from minigrad_webui import server

    return server.serve(
        host, port, store, token, has_browser() and not no_browser, root_path=root_path, allow_hosts=allow_host or ()
    )
