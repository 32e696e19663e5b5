"""Escape text of a program or of a trace for the place where it is shown.

A name may hold anything: markup, quotes, line breaks, sequences that control a terminal. Each place that shows names
has one function here.
"""

from __future__ import annotations

import html
import re
from typing import NewType

Html = NewType("Html", str)
"""Text that is HTML markup, or was escaped for it."""

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that control a terminal, change the direction of writing, or are invalid."""


def printable(text: str) -> str:
    """Escape a text for a terminal: control characters are replaced by a mark.

    >>> printable("\\x1b[2Jloss")
    '\ufffd[2Jloss'
    """
    return _CONTROL.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The printable text in one line: line ends and tabs become spaces."""
    return printable(text).replace("\n", " ").replace("\t", " ")


def in_html(text: str) -> Html:
    """Escape a text for HTML, and for Graphviz' labels, which are XML.

    >>> in_html("<IMG SRC='x'>")
    '&lt;IMG SRC=&#x27;x&#x27;&gt;'
    """
    return Html(html.escape(one_line(text)))


def in_mermaid(text: str) -> str:
    """Escape a text for a quoted label of Mermaid's.

    >>> in_mermaid('a "b" #1')
    'a #quot;b#quot; #35;1'
    """
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;", "\\": "#92;"}
    return "".join(codes.get(each, each) for each in one_line(text))
