"""Helpers around modules: gradients kept small, and sequences of several lengths."""

from __future__ import annotations

from . import rnn
from .clipping import clip_grad_norm_, clip_grad_value_
from .vector import parameters_to_vector, vector_to_parameters

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "rnn", "vector_to_parameters"]
