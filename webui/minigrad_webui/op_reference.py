"""The reference of ops: what each computes, and a check of its gradients.

    GET  /api/ops                          all ops
    POST /api/ops/{name}/check?sample=0    compare its gradients with finite differences

A check runs in a separate Python with a time limit, at most two at once, so that the server never waits for one.
"""

from __future__ import annotations

import asyncio
import json
import sys
from functools import cache
from typing import Annotated

from fastapi import FastAPI, HTTPException, Path, Query
from pydantic import BaseModel, Field

from minigrad_webui.errors import trouble

LIMIT = 20.0
"""The most seconds that a check may take."""

_BUSY = asyncio.Semaphore(2)

_CHECK = (
    "import json, sys; from minigrad.observe.explain.op_reference import checked; "
    "print(json.dumps(checked(sys.argv[1], int(sys.argv[2]))))"
)


class Entry(BaseModel):
    """An op, as described by its class. Formulas are LaTeX."""

    name: str
    about: str
    formula: str
    inputs: list[str]
    settings: list[str]
    gradients: dict[str, str] = Field(description="by input; an input that is not here has no gradient")
    samples: list[str] = Field(description="what it is tried on: shapes and settings")
    view: bool = Field(description="the result looks into the memory of its input")


class Checked(BaseModel):
    """The result of a check."""

    passed: bool
    checkable: bool = Field(description="false where the op has no gradient")
    compared: int = Field(description="how many elements of Jacobians were compared")
    words: str


@cache
def entries() -> tuple[Entry, ...]:
    """All ops. They are read once."""
    from minigrad.observe.explain.op_reference import described, every_op, samples_of

    return tuple(Entry(**described(op), samples=samples_of(op)) for op in every_op().values())


def mount(app: FastAPI) -> None:
    """Add the addresses."""

    @app.get("/api/ops", tags=["ops"], summary="All ops")
    def ops() -> list[Entry]:
        """All ops, sorted by name."""
        return list(entries())

    @app.post(
        "/api/ops/{name}/check",
        tags=["ops"],
        summary="Check an op's gradients",
        responses=trouble(404, "There is no such op, or no such sample of it."),
    )
    async def check(
        name: Annotated[str, Path(description="the op", examples=["Tanh"])],
        sample: Annotated[int, Query(ge=0, description="which of its samples, from 0")] = 0,
    ) -> Checked:
        """Compare the op's gradients with finite differences, in every element of every input."""
        known = {entry.name: entry for entry in await asyncio.to_thread(entries)}
        if name not in known or sample >= len(known[name].samples):
            raise HTTPException(404, f"There is no sample {sample} of an op {name!r}. GET /api/ops lists them all.")
        async with _BUSY:
            return await _checked(name, sample)


async def _checked(name: str, sample: int) -> Checked:
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _CHECK, name, str(sample),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, error = await asyncio.wait_for(child.communicate(), LIMIT)
    except asyncio.TimeoutError:
        words = f"The check was ended: it took more than {LIMIT:.0f} seconds. The machine may be busy; try again."
        return Checked(passed=False, checkable=True, compared=0, words=words)
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode:
        last = (error.decode(errors="replace").strip().splitlines() or ["no reason was given"])[-1]
        return Checked(passed=False, checkable=True, compared=0, words=f"The check itself failed: {last}")
    return Checked(**json.loads(out))
