"""What is asked and answered where somebody moves one element of a recorded step."""

from __future__ import annotations

from pydantic import Field

from minigrad.observe.schema.parts import Value

from .model import Model


class TouchRequest(Model):
    """One element, and what it shall be: of a tensor that no op of the step made, or of a constant of a node."""

    step: int = Field(ge=0)
    value: float
    tensor: int | None = Field(None, description="its number in the records")
    element: int = Field(0, ge=0, description="row by row")
    node: int | None = Field(None, description="the node of whose constant input it is")
    input: int = Field(0, ge=0, description="the input's place")


class TouchedOutput(Model):
    """What an op gives now, and the gradient that arrives there now."""

    node: int
    output: int = 0
    follows: bool = Field(False, description="its value follows from what was moved; else only its gradient does")
    value: Value | None = None
    gradient: Value | None = None


class TouchedLeaf(Model):
    """A leaf, and its gradient before and after."""

    tensor: int
    value: Value | None = None
    before: Value | None = None
    gradient: Value | None = None


class Touched(Model):
    """The step computed again, or the ``problem`` why it cannot be. The run itself stays as it was."""

    problem: str | None = None
    old: float = 0.0
    value: float = Field(0.0, description="what it became; whole numbers and single precision round it")
    before: float | None = Field(None, description="the loss; null where none depends on it, or it is not finite")
    after: float | None = None
    slope: float | None = Field(None, description="of the loss with the element, before it was moved")
    values: list[TouchedOutput] = Field([], description="of each op that now gives or gets something else")
    leaves: list[TouchedLeaf] = []
    notes: list[str] = Field([], description="what is not as it was in the program")
