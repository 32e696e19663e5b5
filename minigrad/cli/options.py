"""The options that several commands share, each described once."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Values(str, Enum):
    """The part of tensors' values to keep."""

    auto = "auto"
    all = "all"
    none = "none"


Port = Annotated[
    int | None,
    typer.Option(
        min=0, max=65535, help="The explorer's port; any free one if the usual one is taken.", show_default=False
    ),
]
Store = Annotated[
    str | None, typer.Option(help="The file runs are kept in; `:memory:` keeps nothing.", show_default=False)
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser; the address is printed.")]
Headless = Annotated[bool, typer.Option("--headless", help="No explorer at all: neither server nor browser.")]
Record = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write a trace file too (.jsonl, or .jsonl.gz), {rank} in its name being the rank; see `minigrad replay`.",
        show_default=False,
    ),
]
ValuesKept = Annotated[
    Values, typer.Option("--values", help="Tensors' values: of the steps someone looks at, of all, or of none.")
]
Break = Annotated[
    list[str] | None,
    typer.Option(
        "--break",
        metavar="WHERE",
        help="Stop there: op=MatMul, name=w1, line=12, module=blocks.0, nan or norm>10; as often as wanted.",
        show_default=False,
    ),
]
