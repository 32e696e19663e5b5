"""The base of the server's own models."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Unknown fields are kept: a newer minor version may add fields."""

    model_config = ConfigDict(extra="allow")
