"""The options that several commands share, each described once."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Values(str, Enum):
    """How much of the tensors' values to keep."""

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
    str | None, typer.Option(help="The file in which runs are kept; `:memory:` keeps nothing.", show_default=False)
]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Do not open a browser; the address is printed.")]
Headless = Annotated[bool, typer.Option("--headless", help="No explorer at all: neither server nor browser.")]
Record = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Also write a trace file (.jsonl, or .jsonl.gz) for `minigrad replay`; {rank} in its name is the rank.",
        show_default=False,
    ),
]
ValuesKept = Annotated[
    Values, typer.Option("--values", help="Steps whose tensor values to record: some (auto), all, or none.")
]
Break = Annotated[
    list[str] | None,
    typer.Option(
        "--break",
        metavar="WHERE",
        help="Pause there: op=MatMul, name=w1, line=12, module=blocks.0, nan or norm>10; may be repeated.",
        show_default=False,
    ),
]
