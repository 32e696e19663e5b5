"""The one definition of what is recorded: `records` are the kinds, `parts` what they are made of.

A *record* is one thing that happened, as plain data. A recorder writes it, a trace file holds it, it goes over the wire
and into the store in exactly this shape. Everything else that knows of kinds and fields is derived from these classes:

    check             what is wrong with a record that came from outside
    minigrad_webui    the server's OpenAPI document, and of it the explorer's TypeScript types and its list of kinds
    Kind              the places that handle each kind: mypy and tsc name those that forget one

Every record carries ``seq``, its number in the run, from 1, without gaps; ``t``, seconds since the run started; and
``step``, the training step it belongs to, from 0. A step's records are complete in themselves: every node and tensor
named in a step was introduced in that step, so one step can be drawn without any other. Ids of tensors, nodes and
backward runs are small integers, unique in a run. Lines of source are 1-based.

A newer minor version may add fields, which older readers keep; a new kind or a changed field raises `SCHEMA_VERSION`.
"""

from __future__ import annotations

from .check import Wrong, check, mended
from .records import KINDS, RECORDS, SCHEMA_VERSION, Kind, Record, unhandled

__all__ = ["KINDS", "RECORDS", "SCHEMA_VERSION", "Kind", "Record", "Wrong", "unhandled", "check", "mended"]
