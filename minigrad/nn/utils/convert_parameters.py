"""Parameters as one vector, at PyTorch's import path."""

from __future__ import annotations

from .vector import parameters_to_vector, vector_to_parameters

__all__ = ["parameters_to_vector", "vector_to_parameters"]
