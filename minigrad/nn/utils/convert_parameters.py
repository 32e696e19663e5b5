"""Parameters as one vector, under the path that PyTorch has it at."""

from __future__ import annotations

from .vector import parameters_to_vector, vector_to_parameters

__all__ = ["parameters_to_vector", "vector_to_parameters"]
