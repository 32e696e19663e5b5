"""The answers over plain HTTP: runs, their timelines, their graphs."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from minigrad.observe.publish.wire import PROTOCOL_VERSION
from minigrad.observe.schema import SCHEMA_VERSION
from minigrad.observe.schema.parts import Breakpoint, NotFinite, Pause, Place
from minigrad.observe.schema.records import Node, Tensor

from .model import Model


class Trouble(Model):
    """Where a run first went wrong: its first anomaly."""

    step: int
    seq: int
    kind: str = Field(description="nan, inf, stale, written, loss, vanished, exploded")
    message: str
    line: int | None = None
    file: str | None = None


class Run(Model):
    """A run in the list of runs."""

    id: str
    name: str
    status: Literal["running", "finished", "failed", "interrupted", "lost"]
    started: str
    ended: str | None = None
    records: int = 0
    size: int | None = Field(None, description="bytes of its records; none where an older minigrad did not count them")
    steps: int = 0
    loss: float | None = None
    not_finite: NotFinite = Field(None, description="what the loss was where it is no number that JSON knows")
    error: str | None = None
    trouble: Trouble | None = Field(None, description="where it first went wrong; a run that ended opens there")
    paused: Pause | None = Field(None, description="where the program is held, while it is running")
    breakpoints: list[Breakpoint] = []
    rank: int | None = Field(None, description="of its process, where a launcher started several")
    world_size: int | None = None
    launch: str | None = Field(None, description="the same in all runs that were started together")
    control: bool = Field(False, description="while it is running it takes Control messages")


class Step(Model):
    """One row of the timeline: where a step's records are, and its results."""

    step: int
    first: int
    last: int
    nodes: int = 0
    backwards: int = 0
    loss: float | None = None
    not_finite: NotFinite = Field(None, description="what the loss was where it is no number that JSON knows")
    loss_name: str | None = Field(None, description="the variable that held the loss where backward was called")
    grad_norm: float | None = None
    norms: int | None = Field(None, description="the number of its record that has the norm of each gradient")
    values: bool = Field(False, description="values were taken in this step")
    numbers: bool = Field(False, description="the norm and the extremes of each op are known, and no more")
    gradients: bool | None = Field(None, description="the way of a gradient was recorded; null without backward")
    ended: float | None = Field(None, description="seconds into the run when it ended, where it exchanged data")
    exchanged: float | None = Field(None, description="seconds of its exchanges with other ranks, added up")
    waited: float | None = Field(None, description="of these, the seconds in which this rank did nothing but wait")
    trouble: bool = Field(False, description="an anomaly was found in this step")
    done: bool = False


class ParameterNorms(Model):
    """One parameter over the steps of a `Gradients`: "none" if it had no gradient, null if it took no part."""

    tensor: int
    name: str | None = None
    norms: list[float | Literal["nan", "inf", "none"] | None]


class Gradients(Model):
    """Each parameter's gradient norm, step by step. The parameters of the newest step come first, in their order."""

    every: int = Field(1, description="of every this many steps, the one with the largest gradient norm is here")
    steps: list[int] = []
    parameters: list[ParameterNorms] = []
    left_out: int = Field(0, description="further parameters, for which there was no room")


class Distribution(Model):
    """The elements of a tensor when a step began, and of its gradient as the optimiser used it.

    Each by five numbers: 5, 25, 50, 75 and 95 % of the elements lie below. If few elements were recorded, of those.
    """

    step: int
    value: list[float] | None = None
    grad: list[float] | None = None


class Distributions(Model):
    """How the elements of one tensor are distributed, in the steps whose values were taken."""

    every: int = Field(1, description="one of this many such steps is here, and the newest")
    steps: list[Distribution] = []


class Finding(Model):
    """Something that is wrong with a program, and what to do."""

    kind: str = Field(description="one word for programs, such as uncleared")
    message: str
    advice: str = ""
    at: Place | None = None
    step: int | None = Field(None, description="a step in which it shows")
    node: int | None = Field(None, description="the op that it is about, in that step")


class Findings(Model):
    """The findings about a run, the most explanatory first."""

    read: int = Field(0, description="the number of the last record that was read for it")
    complete: bool = Field(True, description="there was no more to read")
    findings: list[Finding] = []


class Graph(Model):
    """The graph of a step at its end: nodes and tensors, without the events that led to it."""

    run: str
    step: int
    nodes: list[Node]
    tensors: list[Tensor]


class Health(Model):
    """The server is up."""

    status: Literal["ok"] = "ok"
    minigrad: str
    protocol: int = PROTOCOL_VERSION
    schema_version: int = SCHEMA_VERSION
    runs: int = 0


class Ticket(Model):
    """A ticket, which opens the explorer once."""

    ticket: str
