"""The request and answer when a viewer changes one element of a recorded step."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from minigrad.observe.schema.parts import Count, Value

from .model import Model


class TouchRequest(Model):
    """The new value of one element: of a tensor that no op of the step made, or of a constant of a node."""

    step: Count
    value: float
    tensor: Count | None = Field(None, description="its number in the records")
    element: Count = Field(0, description="row by row")
    node: Count | None = Field(None, description="the node of whose constant input it is")
    input: Count = Field(0, description="the input's place")

    @field_validator("*", mode="before")
    @classmethod
    def _is_a_number(cls, value: Any) -> Any:
        """Reject texts and truth values, which are no numbers here."""
        if isinstance(value, (bool, str)):
            raise ValueError("Input should be a number")
        return value


class TouchedOutput(Model):
    """An op's new value, and its new gradient."""

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
    """The step computed again, or in ``problem`` why it cannot be. The run itself is unchanged."""

    problem: str | None = None
    old: float = 0.0
    value: float = Field(0.0, description="what it became; whole numbers and single precision round it")
    before: float | None = Field(None, description="the loss; null where none depends on it, or it is not finite")
    after: float | None = None
    slope: float | None = Field(None, description="of the loss with the element, before it was moved")
    values: list[TouchedOutput] = Field([], description="of each op that now gives or gets something else")
    leaves: list[TouchedLeaf] = []
    notes: list[str] = Field([], description="what is not as it was in the program")
