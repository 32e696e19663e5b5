"""What schemathesis has to know of the server's types of content: traces and how they are packed, lines, and pages."""

from __future__ import annotations

import gzip
import json
from typing import Any

import schemathesis
from hypothesis import strategies as st

from minigrad.observe.record.sinks import encode
from tests.observe.schema_strategies import hostile, traces


def _lines(trace: list[Any], bad: list[Any]) -> bytes:
    return "\n".join([*map(encode, trace), *(json.dumps(each) for each in bad)]).encode()


files = st.builds(_lines, traces(), st.lists(hostile(), max_size=3))
schemathesis.openapi.media_type("application/x-ndjson", files)
schemathesis.openapi.media_type("application/gzip", files.map(gzip.compress))


@schemathesis.deserializer("application/x-ndjson", "text/html")
def as_text(context: Any, response: Any) -> str:
    """Neither is JSON as a whole."""
    return str(response.content.decode())
